"""A real browser without a window, or a reason why there is none."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZE = {"width": 1400, "height": 900}


def chromium():
    """Return the path of a browser that Playwright can drive, or skip the test."""
    pytest.importorskip("playwright", reason="playwright is not installed")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium: apt-get install chromium, or set CHROMIUM to its path")
    return found


@contextmanager
def open_url(url, expected="\0"):
    """Yield a page at ``url``; errors of scripts or loading fail the test, unless ``expected``."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    wrong = []
    with sync_playwright() as playwright:
        # a container's root cannot have Chromium's sandbox
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            page = browser.new_page(viewport=SIZE)
            page.set_default_timeout(60_000)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
            page.goto(url)
            yield page
        finally:
            browser.close()
    assert [text for text in wrong if expected not in text] == []


@contextmanager
def open_page(text):
    """Yield a page made of HTML text in a file, shown and ready."""
    chromium()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        with open_url(path.as_uri()) as page:
            page.wait_for_selector("#board svg")
            yield page
