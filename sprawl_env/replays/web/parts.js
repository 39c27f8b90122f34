"use strict";

// Parts of a picture: where they go, zoom, tooltips.  Used by the page to play and by replays.

const COLUMN = 325; // least width in pixels of a column; texts are then at least 11 pixels high
const GAP = 8;
const WIDE = 1250; // least width in pixels for boards and panels side by side
const TIP_DELAY = 250;
const LONG_PRESS = 450;
const ZOOM = 2.6; // of a double tap
const MOST_ZOOM = 5;

const $ = (id) => document.getElementById(id);

function made(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// Return a new element of SVG.
function drawn(kind, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Return what SVG text shows as an element; the browser's own tooltips are removed.
function drawnFrom(svg) {
  const holder = made("div");
  holder.innerHTML = svg;
  for (const title of holder.querySelectorAll("g > title")) {
    title.parentNode.setAttribute("aria-label", title.textContent);
    title.parentNode.setAttribute("role", "img");
    title.parentNode.dataset.says = title.textContent;
    title.remove();
  }
  return holder.firstElementChild;
}

// ------------------------------------------------------------------------------------- elements

const shown = new Map(); // the element of each part, by its name
const texts = new Map(); // the SVG text that each element shows

// Return the element of a part, which stays the same from one position to the next.
function elementOf(part, prepare) {
  let element = shown.get(part.name);
  if (!element) {
    element = made("section", "part");
    element.dataset.part = part.name;
    element.dataset.role = part.role;
    element.dataset.group = part.group;
    shown.set(part.name, element);
  }
  if (texts.get(part.name) !== part.svg) {
    element.replaceChildren(drawnFrom(part.svg));
    texts.set(part.name, part.svg);
  }
  prepare(element);
  element.dataset.height = part.height / part.width;
  element.style.setProperty("--ratio", part.height / part.width);
  return element;
}

const UNEVEN = 1.25; // how much longer the longest column may be than in a fresh layout
const laid = new WeakMap(); // of each room: the number of columns, and the column of each block

function groupOf(element) {
  return element.dataset.group || element.id; // the story is no part of a picture
}

// Return elements in blocks, each with its height; a group of parts is one block.
function blocksOf(elements, wide) {
  const blocks = [];
  for (const element of elements) {
    const group = groupOf(element);
    const known = element.dataset.height ? element.dataset.height * wide : element.offsetHeight;
    const last = blocks.at(-1);
    if (last && last.group === group) {
      last.elements.push(element);
      last.height += known + GAP;
    } else {
      blocks.push({ group, elements: [element], height: known + GAP });
    }
  }
  return blocks;
}

// Put each block into its column, if it has one, or where it comes to lie highest.
function inColumns(blocks, count, columnOf) {
  const heights = Array(count).fill(0);
  const chosen = blocks.map((block) => {
    const k = columnOf.get(block.group) ?? heights.indexOf(Math.min(...heights));
    heights[k] += block.height;
    return k;
  });
  return { chosen, longest: Math.max(...heights) };
}

// Put elements into as many columns as fit; a block stays in its column while that is not uneven.
function flow(room, elements) {
  const width = room.clientWidth || COLUMN;
  const fitting = Math.max(1, Math.floor((width + GAP) / (COLUMN + GAP)));
  const groups = new Set(elements.map(groupOf));
  const count = Math.max(1, Math.min(fitting, groups.size));
  const blocks = blocksOf(elements, (width - GAP * (count - 1)) / count);
  const before = laid.get(room);
  const fresh = inColumns(blocks, count, new Map());
  const kept = before && before.count === count ? inColumns(blocks, count, before.columnOf) : fresh;
  const { chosen } = kept.longest <= UNEVEN * fresh.longest ? kept : fresh;
  laid.set(room, { count, columnOf: new Map(blocks.map(({ group }, k) => [group, chosen[k]])) });
  while (room.children.length > count) room.lastChild.remove();
  while (room.children.length < count) room.append(made("div", "column"));
  for (const [k, column] of [...room.children].entries()) {
    const wanted = blocks.filter((_, at) => chosen[at] === k).flatMap((block) => block.elements);
    const same = wanted.length === column.children.length
      && wanted.every((element, at) => element === column.children[at]);
    if (!same) column.replaceChildren(...wanted);
  }
}

function setTab(name) {
  document.body.dataset.tab = name;
  for (const button of $("tabs").children) {
    button.setAttribute("aria-pressed", String(button.dataset.tab === name));
  }
}

// Show the parts of a picture: the board, then the others side by side, or by tabs.
function arrange(parts, ownSeat, prepare, sideBySide) {
  const kept = new Set(parts.map((part) => part.name));
  for (const [name, element] of shown) {
    if (kept.has(name)) continue;
    element.remove();
    shown.delete(name);
    texts.delete(name);
  }
  const elements = parts.map((part) => [part, elementOf(part, prepare)]);
  const pick = (fits) => elements.slice(1).filter(([part]) => fits(part)).map(([, e]) => e);
  const isOwn = (part) => part.role === "seat" && part.seat === ownSeat;
  const groups = {
    own: pick(isOwn),
    others: pick((part) => part.role === "seat" && !isOwn(part)),
    cards: pick((part) => part.role === "cards"),
    info: pick((part) => part.role === "info"),
  };
  const board = elements[0][1], story = $("story"); // which other columns give up below
  if (board.parentNode !== $("board")) {
    for (const old of $("board").querySelectorAll(".part")) old.remove();
    $("board").append(board);
  }
  if (innerWidth >= WIDE) {
    sideBySide(groups, story);
  } else {
    const { own, others, cards, info } = groups;
    const tabs = { cards: [...cards, ...own], seats: [...own, ...others], info, log: [] };
    $("tabs").querySelector("[data-tab=info]").classList.toggle("hidden", info.length === 0);
    for (const button of $("tabs").children) {
      const offers = tabs[button.dataset.tab].some((part) => part.querySelector(".target"));
      button.classList.toggle("offers", offers);
    }
    flow($("below"), []);
    flow($("flow"), tabs[document.body.dataset.tab]);
    if (story.parentNode !== $("side")) $("side").append(story);
  }
  applyZoom();
}

// ----------------------------------------------------------------------------------------- zoom

const DOUBLE_TAP = 300; // most milliseconds between two taps
const NEAR = 40; // most pixels between two taps
const zoom = {
  scale: 1, x: 0, y: 0, pointers: new Map(), tap: { x: 0, y: 0, at: 0 }, moved: false, wait: null,
};

// Do what a tap on the board asks for, unless a second tap follows, which zooms.
function afterTap(event, choose) {
  clearTimeout(zoom.wait);
  const maySecond = event.pointerType === "touch" && zoom.scale === 1
    && event.target.closest("#board");
  if (maySecond) zoom.wait = setTimeout(choose, DOUBLE_TAP);
  else choose();
}

function applyZoom() {
  const board = $("board"), part = board.querySelector(".part");
  if (!part) return;
  zoom.scale = Math.min(MOST_ZOOM, Math.max(1, zoom.scale));
  const least = (size) => size * (1 - zoom.scale);
  zoom.x = Math.min(0, Math.max(least(board.clientWidth), zoom.x));
  zoom.y = Math.min(0, Math.max(least(board.clientHeight), zoom.y));
  const still = zoom.scale === 1;
  part.style.transform = still ? "" : `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})`;
  board.classList.toggle("zoomed", !still);
  $("unzoom").classList.toggle("hidden", still);
}

// Change the scale so that the place at (x, y) of the board stays where it is.
function zoomAt(x, y, scale) {
  const to = Math.min(MOST_ZOOM, Math.max(1, scale));
  zoom.x = x - ((x - zoom.x) * to) / zoom.scale;
  zoom.y = y - ((y - zoom.y) * to) / zoom.scale;
  zoom.scale = to;
  applyZoom();
}

function centre() {
  const all = [...zoom.pointers.values()];
  const box = $("board").getBoundingClientRect();
  const mean = (key) => all.reduce((sum, point) => sum + point[key], 0) / all.length;
  const gap = all.length < 2 ? 0 : Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y);
  return { x: mean("x") - box.left, y: mean("y") - box.top, gap };
}

function listenToZoom() {
  const board = $("board");
  $("unzoom").addEventListener("click", () => zoomAt(0, 0, 1));
  board.addEventListener("pointerdown", (event) => {
    if (event.target.closest("#unzoom")) {
      zoom.moved = false; // no click has followed what moved the board
      return;
    }
    zoom.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    zoom.moved = zoom.pointers.size > 1;
    zoom.last = centre();
    const { x, y } = zoom.last, { tap } = zoom;
    const at = event.timeStamp;
    const near = Math.hypot(x - tap.x, y - tap.y) < NEAR && at - tap.at < DOUBLE_TAP;
    zoom.tap = { x, y, at };
    if (near && zoom.pointers.size === 1 && event.pointerType !== "mouse") {
      clearTimeout(zoom.wait);
      zoom.moved = true; // the click that follows chooses nothing
      zoomAt(x, y, zoom.scale > 1 ? 1 : ZOOM);
    }
  });
  board.addEventListener("pointermove", (event) => {
    if (!zoom.pointers.has(event.pointerId)) return;
    zoom.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const before = zoom.last, now = centre();
    const far = Math.hypot(now.x - before.x, now.y - before.y);
    if (zoom.pointers.size === 1 && (zoom.scale === 1 || (far < 6 && !zoom.moved))) return;
    zoom.moved = true;
    zoom.x += now.x - before.x;
    zoom.y += now.y - before.y;
    if (now.gap && before.gap) zoomAt(now.x, now.y, (zoom.scale * now.gap) / before.gap);
    else applyZoom();
    zoom.last = now;
  });
  const end = (event) => {
    zoom.pointers.delete(event.pointerId);
    if (zoom.pointers.size) zoom.last = centre();
  };
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    board.addEventListener(name, end);
  }
  board.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = board.getBoundingClientRect();
    zoomAt(event.clientX - box.left, event.clientY - box.top, zoom.scale * 0.998 ** event.deltaY);
  }, { passive: false });
  board.addEventListener("click", (event) => {
    if (!zoom.moved) return;
    zoom.moved = false;
    if (event.detail === 0) return; // of the keyboard
    event.stopPropagation();
    event.preventDefault();
  }, true);
}

// ------------------------------------------------------------------------------------- tooltips

const tip = { timer: null, on: null, pressed: null, place: null };

function tipOf(element) {
  return element && element.closest ? element.closest("[data-tip], [data-says]") : null;
}

// Show the tooltip of an element; `more` may fill in what an action would do.
function showTip(element, more) {
  const box = $("tip");
  const says = element.matches(".target") || !element.dataset.tip ? element.dataset.says : "";
  const { tip: text } = element.dataset;
  const own = says && text ? says.replace(text, "").replace(/ · $/, "") : says; // see svg.py
  box.replaceChildren();
  if (own) box.append(made("b", "", own));
  if (text) box.append(text);
  if (!box.childNodes.length) return;
  const effect = made("span", "effect hidden");
  box.append(effect);
  box.classList.remove("hidden");
  tip.on = element;
  const place = tip.place = () => {
    const at = element.getBoundingClientRect();
    const left = Math.min(at.left, innerWidth - box.offsetWidth - 8);
    const below = at.bottom + 6 + box.offsetHeight < innerHeight;
    box.style.left = `${Math.max(8, left)}px`;
    box.style.top = `${Math.max(4, below ? at.bottom + 6 : at.top - box.offsetHeight - 6)}px`;
  };
  place();
  if (more) {
    more(element, (words) => {
      if (tip.on !== element || !words) return;
      effect.textContent = words;
      effect.classList.remove("hidden");
      place();
    });
  }
}

function hideTip() {
  clearTimeout(tip.timer);
  $("tip").classList.add("hidden");
  tip.on = null;
}

// Return why a line of the story came about: the cause of each change that has one, in a row each.
function causesOf(line, names) {
  const known = line.changes.filter(({ text, cause }) => cause && !text.includes(cause));
  return known.map(({ seat, text, cause }) => {
    const whose = seat >= 0 && seat !== line.seat ? `${names[seat]} ` : "";
    return `${whose}${text}: ${cause}`;
  }).join("\n");
}

function listenToTips(more) {
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const element = tipOf(event.target);
    if (element === tip.on) return;
    hideTip();
    if (element) tip.timer = setTimeout(() => showTip(element, more), TIP_DELAY);
  });
  document.addEventListener("pointerdown", (event) => {
    hideTip();
    tip.pressed = null; // of a long press that no click followed
    const element = tipOf(event.target);
    if (event.pointerType === "mouse" || !element || !event.isPrimary) return;
    tip.timer = setTimeout(() => {
      tip.pressed = element;
      showTip(element, more);
    }, LONG_PRESS);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    document.addEventListener(name, () => clearTimeout(tip.timer));
  }
  document.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse" && Math.hypot(event.movementX, event.movementY) > 6) {
      clearTimeout(tip.timer);
    }
  });
  document.addEventListener("click", (event) => {
    if (tip.pressed === null || event.detail === 0) return; // 0: with the keyboard
    tip.pressed = null; // a long press explains and chooses nothing
    event.stopPropagation();
    event.preventDefault();
  }, true);
  document.addEventListener("contextmenu", (event) => tipOf(event.target) && event.preventDefault());
  document.addEventListener("focusin", (event) => {
    const element = tipOf(event.target);
    if (element && event.target.matches(":focus-visible")) showTip(element, more);
    else hideTip();
  });
  document.addEventListener("scroll", () => {
    const focused = tip.on && tip.on.contains(document.activeElement); // came into view by it
    if (focused) tip.place();
    else hideTip();
  }, true);
}

// ---------------------------------------------------------------------------------------- themes

function setTheme(theme) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = theme === "auto" ? (dark ? "dark" : "light") : theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // nothing is kept where the browser does not allow it
  }
}

function keptTheme() {
  try {
    return localStorage.getItem("theme") || "auto";
  } catch {
    return "auto";
  }
}
