"use strict";

// Names and roles that the theme leaves out, for readers who use a screen reader or the keyboard.
addEventListener("load", () => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  for (const search of all(".md-search")) search.setAttribute("aria-label", "Search");
  all(".md-code__nav").forEach((nav, k) => nav.setAttribute("aria-label", `Code ${k + 1}`));
  all("nav.md-nav[aria-labelledby]").forEach((nav, k) => {
    const label = document.getElementById(nav.getAttribute("aria-labelledby"));
    nav.removeAttribute("aria-labelledby");
    nav.setAttribute("aria-label", `${label ? label.textContent.trim() : "Pages"}, list ${k + 1}`);
  });
  for (const wide of all(".md-typeset__scrollwrap, pre > code")) wide.setAttribute("tabindex", "0");
  for (const head of all("th:empty")) head.replaceWith(document.createElement("td"));
});
