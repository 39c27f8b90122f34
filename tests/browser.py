"""A real browser without a window, or a reason why there is none."""

import os
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
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


class _Kept:
    """The browser of a module's tests, started when the first of them asks for it."""

    def __init__(self):
        self.stack, self.browser = ExitStack(), None


_kept = []  # at most one


@contextmanager
def keep_browser():
    """While this is open, all tests share a browser; each still has a context of its own."""
    kept = _Kept()
    _kept.append(kept)
    try:
        yield
    finally:
        _kept.remove(kept)
        kept.stack.close()


@contextmanager
def launched():
    """Yield a new browser."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # a container's root cannot have Chromium's sandbox
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def new_page(**options):
    """Yield a page in a context of its own; the options are those of ``new_context``."""
    with ExitStack() as stack:
        if not _kept:
            browser = stack.enter_context(launched())
        else:
            kept = _kept[-1]
            if kept.browser is None:
                kept.browser = kept.stack.enter_context(launched())
            browser = kept.browser
        context = browser.new_context(**options)
        stack.callback(context.close)
        yield context.new_page()


@contextmanager
def open_url(url, expected="\0", **options):
    """Yield a page at ``url``; errors of scripts or loading fail the test, unless ``expected``."""
    wrong = []
    with new_page(viewport=SIZE, **options) as page:
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.goto(url)
        yield page
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
