"use strict";

const FORCED_DELAY = 500;
const CONFLICT = 409; // status of an answer: the game has changed
const FEW = 6; // actions that a narrow page names below the question
const NEAR_END = 8; // pixels from its end, where the log follows the game
const MOST_NEWS = 3; // lines of what the others did

let view = null; // the last view received from the server
let names = new Map(); // names of the legal actions, by id
let hinted = []; // the actions of the last hint, the best first
let timer = null; // timer of the next automatic request
let busy = false;
let byKeyboard = false; // whether the last action was chosen with the keyboard
let past = -1; // the ply whose position is shown instead of the current one
let parts = []; // of the position that is shown
let listed = false; // whether the person wants all actions in a list
let explains = false; // whether arrow keys also go to signs that are no actions
let unsaved = ""; // why the game is not saved by itself, as it was told last
let opener = null; // the place that opened the menu of actions
let guide = null;
let follows = true; // whether the log shows its newest line
const logRows = new WeakMap(); // the row of each line of the log
const SAYS_IN = { save: "settings-says", hand_over: "curtain-says" }; // where they are chosen

// ------------------------------------------------------------------------------------- requests

async function request(what, body) {
  const options = { headers: {}, cache: "no-store" };
  if (body) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    const has = view.log ? { log_of: view.seat } : {}; // lines that need not be sent again
    options.body = JSON.stringify({ ...body, ...has, version: view.version });
  }
  const response = await fetch(`api/${what}`, options).catch(() => {
    throw new Error("sprawl-env play does not answer: it has ended, or this machine is busy.");
  });
  const content = await response.json();
  if (!response.ok) throw Object.assign(new Error(content.error), { status: response.status });
  return content;
}

async function act(what, body = {}) {
  if (busy) return;
  clearTimeout(timer);
  const from = document.activeElement;
  setBusy(true);
  const botActs = what === "advance" || what === "hint";
  const slow = setTimeout(() => botActs && say("The bot is choosing an action …"), 400);
  try {
    const found = await request(what, body);
    clearTimeout(slow);
    say(found.says || "", false, SAYS_IN[what]);
    showAdvice(found.hint || []);
    show(found);
    if (what === "undo") view.stopped = true; // a forced action is not played again at once
  } catch (error) {
    clearTimeout(slow);
    const isLate = error.status === CONFLICT; // another tab has acted: no bot has failed
    if (!(isLate && what === "advance")) say(error.message, true, SAYS_IN[what]);
    if (view) await refresh(isLate || what !== "advance").catch(() => { view.stopped = true; });
  } finally {
    setBusy(false);
    if (from && from.isConnected && from.closest("dialog[open], #log")) from.focus();
    else keepFocus();
    scheduleNext();
  }
}

async function refresh(continues = true) {
  show(await request("view"));
  if (!continues) view.stopped = true; // after a bot has failed, only a click makes it try again
}

async function listSaves() {
  try {
    showSaves((await request("saves")).saves);
  } catch (error) {
    say(error.message, true, "settings-says");
  }
}

function showSaves(saves) {
  const chosen = $("saves").value;
  $("saves").replaceChildren(
    ...saves.map(({ name, says, damaged }) => {
      const option = made("option", "", says);
      option.value = name;
      option.disabled = damaged !== ""; // shown in grey
      option.title = damaged;
      return option;
    }),
  );
  if (saves.some(({ name }) => name === chosen)) $("saves").value = chosen;
  $("saved").classList.toggle("hidden", saves.length === 0);
  enable();
}

// ------------------------------------------------------------------------------------------- view

function say(text, isError = false, where = "message") {
  $(where).textContent = text;
  $(where).classList.toggle("error", isError);
}

function setBusy(now) {
  busy = now;
  document.body.classList.toggle("busy", now);
  for (const id of ["undo", "hint", "save", "load", "deal", "again", "next", "hand-over",
    "take-back", "open-review"]) {
    $(id).disabled = now;
  }
  if (!now) enable();
}

function enable() {
  $("undo").disabled = !view || !view.may_undo;
  $("hint").disabled = !view || !view.mine || view.hints.length === 0;
  $("list").disabled = !view || !view.mine;
  $("load").disabled = $("saves").selectedIndex < 0;
}

function pieceOf(side) {
  const piece = drawnFrom(view.pieces[side] || "<svg></svg>");
  piece.classList.add("piece");
  return piece;
}

function show(found) {
  if (found.log_from > 0) { // the earlier lines are the same
    found.log.unshift(...view.log.filter(({ ply }) => ply < found.log_from));
  }
  const isOther = !view || view.curtain || view.seat !== found.seat; // another person looks
  if (view && view.version !== found.version && !found.hint) showAdvice([]); // it was of then
  view = found;
  past = -1;
  $("past").classList.add("hidden");
  names = new Map(view.actions);
  hideTip();
  closeMenu();
  document.body.dataset.version = view.version;
  $("curtain").classList.toggle("hidden", !view.curtain);
  for (const element of document.querySelectorAll("body > :not(#curtain, dialog)")) {
    element.inert = view.curtain;
  }
  if (view.curtain) {
    const next = view.names[view.to_play];
    $("who-is-next").textContent = `${next === "person" ? "The other person" : next} is to play`;
    $("take-back").classList.toggle("hidden", !view.may_undo);
    for (const id of ["board", "below", "flow"]) clearParts($(id));
    for (const id of ["seats", "prompt", "help", "choices", "advice", "points", "log", "news"]) {
      $(id).replaceChildren();
    }
    shown.clear();
    texts.clear();
    document.title = `hand over: ${view.game}`;
    return;
  }
  if (view.unsaved && view.unsaved !== unsaved) say(view.unsaved, true);
  ({ unsaved } = view);
  if (isOther) showLists();
  showTitle();
  ({ parts } = view);
  showParts();
  showSeats();
  showDecision();
  showLog();
  showNews();
  showChoices();
  enable();
}

function optionsOf(rows) {
  return rows.map(([value, text]) => {
    const option = made("option", "", text);
    option.value = value;
    return option;
  });
}

// Fill the lists that a person chooses from; what is chosen in them stays.
function showLists() {
  const lists = {
    whose: [["", "everybody"], ...view.names.map((name, side) => [side, name])],
    adviser: view.hints.map(({ name, says }) => [name, says]),
  };
  for (const [id, rows] of Object.entries(lists)) {
    const chosen = Math.max(0, $(id).selectedIndex);
    $(id).replaceChildren(...optionsOf(rows));
    $(id).selectedIndex = chosen;
  }
}

function clearParts(room) {
  for (const part of room.querySelectorAll(".part")) part.remove();
}

function showTitle() {
  const others = whoPlays() ? `${whoPlays()} plays` : "the others play";
  const whose = view.over ? "game over" : view.mine ? "your turn" : others;
  document.title = `${whose}: ${view.game}`;
  $("title").textContent = view.game;
  $("facts").textContent = view.facts;
}

// Return who is to play; "" if several are, in secret.
function whoPlays() {
  const known = view.to_play >= 0 && (view.mine || view.to_play !== view.seat);
  return known ? view.names[view.to_play] : "";
}

function showSeats() {
  $("seats").replaceChildren(
    ...view.names.map((name, side) => {
      const row = made("li", side === view.to_play ? "to-play" : "");
      const points = view.points[side];
      row.append(pieceOf(side), `${name}: ${points === null ? "?" : points}`);
      return row;
    }),
  );
}

// Return whether a place can be chosen in what is shown: on a narrow page, the board and one tab.
function hasTargets() {
  return [...shown.values()].some((part) => part.isConnected && part.querySelector(".target"));
}

function showDecision() {
  const { mine, over, decision } = view;
  $("decision").classList.toggle("mine", mine);
  let text = view.question;
  let help = mine ? `${howToChoose()} Legal actions: ${names.size}.` : "";
  if (view.bot) help = whoPlays() ? `${whoPlays()} is a bot.` : "Bots are choosing.";
  if (over) {
    text = decision;
    help = view.took_back ? `Decisions taken back: ${view.took_back}.` : "";
  }
  $("prompt").textContent = text.charAt(0).toUpperCase() + text.slice(1);
  $("help").textContent = help;
  $("next").classList.toggle("hidden", !waitsForClick());
  $("after").classList.toggle("hidden", !over);
  $("replay").classList.toggle("hidden", !view.replay);
  $("open-review").classList.toggle("hidden", view.hints.length === 0);
  showPoints();
}

function howToChoose() {
  if (past >= 0) return "Go back to now to choose.";
  if (!hasTargets()) return "Choose from the list.";
  if (!matchMedia("(pointer: coarse)").matches) return "Choose an outlined place.";
  return "Tap an outlined place; hold a finger on it to see what it does.";
}

// Show what the others did since this person's last decision, where the log is not in view.
function showNews() {
  const lines = view.over ? view.log.slice(-1) : view.log.slice(lastOwn() + 1).slice(-MOST_NEWS);
  $("news").classList.toggle("hidden", lines.length === 0);
  $("news").replaceChildren(...lines.map((line) => told(line)));
}

function showPoints() {
  const rows = view.score_table || [];
  $("points").classList.toggle("hidden", rows.length === 0);
  const head = made("tr");
  head.append(made("th", "", "points"), ...view.names.map((name) => made("th", "", name)));
  $("points").replaceChildren(
    head,
    ...rows.map(({ what, points, total }) => {
      const row = made("tr", total ? "total" : "");
      row.append(made("th", "", what), ...points.map((value) => made("td", "", value)));
      return row;
    }),
  );
}

function showChoices() {
  const few = innerWidth < WIDE && names.size <= FEW;
  const isShown = view.mine && past < 0 && (listed || few || !hasTargets());
  $("choices").classList.toggle("hidden", !isShown);
  $("choices").replaceChildren(...(isShown ? [...names.keys()].map(choice) : []));
}

function choice(action) {
  const button = made("button", action === hinted[0] ? "hinted" : "", names.get(action));
  button.dataset.action = action;
  button.dataset.actions = action;
  button.dataset.says = names.get(action);
  button.addEventListener("click", () => act("play", { action }));
  return button;
}

function showAdvice(hint) {
  hinted = hint.map(({ action }) => action);
  $("advice").classList.toggle("hidden", hint.length === 0);
  $("advice").replaceChildren(
    ...hint.map(({ action, says, why }, k) => {
      const row = made("li");
      const button = made("button", "", "Play");
      button.setAttribute("aria-label", `play ${says}`);
      button.addEventListener("click", () => act("play", { action }));
      row.append(made("span", "", `${k + 1}. ${says}${why ? ` (${why})` : ""}`), button);
      return row;
    }),
  );
}

// ------------------------------------------------------------------------------------------ log

// Return where the log tells this person's last decision, the first line of its ply; -1: nowhere.
function lastOwn() {
  return view.log.findLastIndex(
    ({ seat, ply }, k) => seat === view.seat && (k === 0 || view.log[k - 1].ply !== ply),
  );
}

function showLog() {
  const own = lastOwn(), since = own < 0 ? -1 : view.log[own].ply;
  const whose = $("whose").value === "" ? -1 : Number($("whose").value);
  const wanted = [];
  let heading = null;
  for (const line of view.log) {
    if (line.heading && line.heading !== heading) {
      heading = line.heading;
      wanted.push(made("li", "heading", heading));
    }
    if (whose < 0 || line.seat === whose) wanted.push(logRow(line, since));
  }
  const log = $("log"), top = log.scrollTop;
  log.replaceChildren(...wanted);
  log.scrollTop = follows ? log.scrollHeight : top; // who reads earlier lines goes on reading
}

function told(line, kind = "li") {
  const element = made(kind);
  if (line.seat >= 0) element.append(pieceOf(line.seat));
  element.append(line.text);
  return element;
}

function logRow(line, since) {
  const row = logRows.get(line) || made("li");
  const mine = line.seat === view.seat;
  row.className = mine ? "mine" : line.ply > since ? "new" : "";
  if (logRows.has(line)) return row;
  logRows.set(line, row);
  row.dataset.ply = line.ply;
  row.dataset.tip = `${causesOf(line, view.names)}\n(Choose it to see this position.)`.trim();
  const button = told(line, "button");
  button.tabIndex = -1; // arrow keys go to it
  button.addEventListener("click", () => {
    showPast(past === line.ply ? -1 : line.ply, `After “${line.text}”`);
  });
  row.append(button);
  return row;
}

// Show the position after a decision of the log, and say which it is; -1: the current one.
async function showPast(ply, words) {
  if (busy) return;
  clearTimeout(timer);
  const same = ply < 0 || ply === view.log.at(-1).ply;
  try {
    ({ parts } = same ? view : await request("at", { ply }));
    past = same ? -1 : ply;
    showParts();
    for (const row of $("log").children) {
      row.classList.toggle("now", Number(row.dataset.ply) === past);
    }
    $("past-says").textContent = words;
    $("past").classList.toggle("hidden", same);
    showDecision();
    showChoices();
    if (!same && innerWidth < WIDE) $("past").scrollIntoView({ block: "start" });
  } catch (error) {
    say(error.message, true);
  }
  scheduleNext(); // nothing goes on while an earlier position is shown
}

// ------------------------------------------------------------------------------------- the parts

function showParts() {
  arrange(parts, view.seat, prepare, ({ own, others, cards, info }, story) => {
    const isAnswer = (element) => element.dataset.part === "answers";
    const [answers, table] = [cards.filter(isAnswer), cards.filter((each) => !isAnswer(each))];
    flow($("below"), [story]);
    flow($("flow"), [...answers, ...own, ...table, ...others, ...info]);
  });
  makeRoving();
}

function chooseTab(name) {
  setTab(name);
  showParts();
  showDecision();
  showChoices();
  const newest = $("log").lastElementChild;
  if (name === "log" && newest && innerWidth < WIDE) newest.scrollIntoView({ block: "end" });
}

function actionsOf(target) {
  return target.dataset.actions.split(" ").map(Number);
}

function actionsAt(x, y) {
  const found = document.elementsFromPoint(x, y).map((element) => element.closest(".target"));
  return [...new Set(found.filter(Boolean).flatMap(actionsOf))]; // targets may overlap
}

function prepare(element) {
  for (const target of element.querySelectorAll(".target")) {
    const actions = actionsOf(target);
    target.classList.toggle("hinted", actions.includes(hinted[0]));
    const says = actions.map((action) => names.get(action)).filter(Boolean).join("; ");
    if (says) target.dataset.says = says;
    if (says) target.setAttribute("aria-label", says);
    if (target.dataset.ready) continue;
    target.dataset.ready = "yes";
    target.setAttribute("role", "button");
    target.addEventListener("click", (event) => {
      event.stopPropagation();
      byKeyboard = false;
      const chosen = actionsAt(event.clientX, event.clientY);
      afterTap(event, () => chooseOf(chosen.length ? chosen : actions, target));
    });
  }
}

function chooseOf(actions, target) {
  const legal = actions.filter((action) => names.has(action));
  if (past >= 0 || !view.mine || busy) return;
  if (legal.length === 1) act("play", { action: legal[0] });
  else if (legal.length > 1) openMenu(legal, target);
}

function openMenu(actions, target) {
  const menu = $("menu"), box = target.getBoundingClientRect();
  opener = target;
  menu.replaceChildren(...actions.map((action) => {
    const button = choice(action);
    button.setAttribute("role", "menuitem");
    return button;
  }));
  menu.classList.remove("hidden");
  const left = Math.min(box.right + 4, innerWidth - menu.offsetWidth - 8);
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${Math.max(8, Math.min(box.top, innerHeight - menu.offsetHeight - 8))}px`;
  menu.firstChild.focus();
  tellEffects([...menu.children]);
}

// Add to each button of the menu what its action would do, one after another.
async function tellEffects(buttons) {
  for (const button of buttons) {
    const words = await effectOf(Number(button.dataset.action)).catch(() => "");
    if (!button.isConnected || $("menu").classList.contains("hidden")) return;
    if (words) button.append(made("span", "effect", words));
  }
}

function closeMenu() {
  $("menu").classList.add("hidden");
}

// Ask what an action would do, and hand the words on.
async function preview(element, tell) {
  if (!view.mine || !element.dataset.actions || past >= 0) return;
  const actions = actionsOf(element);
  if (actions.length !== 1) return;
  tell(await effectOf(actions[0]).catch(() => "")); // if it fails, the tooltip only explains
}

// Return in words what an action would do, as far as this person may know.
async function effectOf(action) {
  const { preview: found } = await request("preview", { action });
  if (!found) return ""; // the position has changed since
  const points = found.scores[view.seat];
  const score = points && points[0] !== points[1] ? `points ${points[0]} → ${points[1]}` : "";
  return [found.text, score].filter(Boolean).join("; ");
}

// ----------------------------------------------------------------------------------- the keyboard

function places() {
  const wanted = explains ? ".target, .tip" : ".target";
  return [...document.querySelectorAll(`main .part :is(${wanted})`)]
    .filter((element) => element.getBoundingClientRect().width > 0);
}

// Of all places only one is reached with the tab key; arrow keys go on from there.
function makeRoving() {
  for (const sign of document.querySelectorAll(".tip")) {
    if (explains) sign.setAttribute("tabindex", "-1");
    else sign.removeAttribute("tabindex");
  }
  const all = places();
  const now = all.includes(document.activeElement) ? document.activeElement : all[0];
  for (const place of all) place.setAttribute("tabindex", place === now ? "0" : "-1");
}

function keepFocus() {
  const first = places()[0], now = document.activeElement;
  const lost = now === null || now === document.body || now.closest("dialog:not([open])") !== null;
  if (view && view.curtain) $("hand-over").focus();
  else if (byKeyboard && lost && view.mine) (first || $("choices").firstChild || $("list")).focus();
  else if (byKeyboard && lost && waitsForClick()) $("next").focus();
}

function middleOf(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}

// Focus the nearest place in the direction of an arrow key.
function goTo(key) {
  const all = places(), from = document.activeElement;
  if (!all.length) return;
  if (!all.includes(from)) {
    all[0].focus();
    return;
  }
  const here = middleOf(from);
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = null, least = Infinity;
  for (const place of all) {
    const { x, y } = middleOf(place);
    const along = (x - here.x) * dx + (y - here.y) * dy;
    const across = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
    const far = along + 2.5 * across;
    if (place !== from && along > 1 && far < least) [best, least] = [place, far];
  }
  if (!best) return;
  from.setAttribute("tabindex", "-1");
  best.setAttribute("tabindex", "0");
  best.focus();
  best.scrollIntoView({ block: "nearest" });
}

// Focus the next of the buttons in a column in the direction of an arrow key.
function goAlong(buttons, key) {
  const now = buttons.indexOf(document.activeElement);
  const next = key === "ArrowDown" ? (now + 1) % buttons.length : Math.max(now, 0) - 1;
  if (buttons.length) buttons.at(next).focus();
}

function pressed(event) {
  const typing = event.target.matches("input[type=text], select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  byKeyboard = true;
  if (!view || view.curtain) {
    if (event.repeat) event.preventDefault(); // a key that is still held does not hand over
    return;
  }
  if (event.key === "Escape") {
    const wasInMenu = $("menu").contains(document.activeElement);
    closeMenu();
    hideTip();
    endTour();
    if (wasInMenu) opener.focus();
    return;
  }
  if (event.repeat && (event.key === "Enter" || event.key === " " || KEYS[event.key])) {
    event.preventDefault(); // a key that is still held decides nothing more
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  const onPlace = event.target.matches && event.target.matches(".target");
  const column = event.target.closest("#log, #menu");
  if (column && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    event.preventDefault();
    goAlong([...column.querySelectorAll("button")], event.key);
  } else if (!column && event.key.startsWith("Arrow")) {
    event.preventDefault();
    goTo(event.key);
  } else if (onPlace && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    chooseOf(actionsOf(event.target), event.target);
  } else if (KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  }
}

const clicks = (id) => () => $(id).disabled || $(id).click();
const KEYS = {
  u: clicks("undo"), h: clicks("hint"), l: clicks("list"), m: clicks("open-menu"),
  "?": clicks("open-guide"),
  n: () => waitsForClick() && act("advance"),
  e: () => {
    explains = !explains;
    makeRoving();
    say(explains ? "Arrow keys now go to every sign that is explained; e ends this." : "");
  },
};

// ------------------------------------------------------------------------------ automatic actions

function waitsForClick() {
  return Boolean(view.bot) && (view.stopped || Number($("pace").value) < 0);
}

function scheduleNext() {
  clearTimeout(timer);
  if (!view || busy || view.curtain || past >= 0) return;
  $("next").classList.toggle("hidden", !waitsForClick());
  if (view.bot && !waitsForClick()) {
    timer = setTimeout(() => act("advance"), Number($("pace").value));
  } else if (view.mine && !view.stopped && names.size === 1 && $("forced").checked) {
    const [action] = names.keys();
    timer = setTimeout(() => act("play", { action }), FORCED_DELAY);
  }
}

// ------------------------------------------------------------------------------- how to play, tour

let step = -1;

async function openGuide() {
  guide = guide || (await request("guide"));
  $("guide-title").textContent = `How to play ${view.game}`;
  $("guide-text").replaceChildren(
    ...guide.sections.map(({ title, text, svg }) => {
      const section = made("section");
      section.append(made("h2", "", title), made("p", "", text));
      if (svg) section.append(made("p", "quiet", "Example"), drawnFrom(svg));
      return section;
    }),
  );
  $("tour").classList.toggle("hidden", !guide.sections.some(({ part }) => part));
  $("guide").showModal();
}

function tourStops() {
  return guide.sections.filter(({ part }) => part);
}

function showStep(wanted) {
  endPointing();
  const stops = tourStops();
  if (wanted >= stops.length) {
    endTour();
    return;
  }
  step = Math.max(0, wanted);
  const { title, text, part } = stops[step];
  $("step-title").textContent = title;
  $("step-text").textContent = text;
  $("step-count").textContent = `${step + 1} of ${stops.length}`;
  $("step-back").disabled = step === 0;
  $("step-on").textContent = step + 1 < stops.length ? "Next" : "Done";
  $("step").classList.remove("hidden");
  $("step-on").focus();
  const named = parts.find(({ name }) => name === part)
    || parts.find(({ name }) => name.startsWith(part));
  if (!named) return;
  if (innerWidth < WIDE) {
    const own = named.seat === view.seat;
    chooseTab(named.role === "seat" && !own ? "seats" : named.role === "info" ? "info" : "cards");
  }
  const element = shown.get(named.name);
  element.classList.add("pointed");
  element.scrollIntoView({ block: innerWidth < WIDE ? "start" : "center" });
}

function endPointing() {
  for (const element of document.querySelectorAll(".pointed")) element.classList.remove("pointed");
}

function endTour() {
  const hadFocus = $("step").contains(document.activeElement);
  endPointing();
  $("step").classList.add("hidden");
  if (hadFocus) $("open-guide").focus();
}

// --------------------------------------------------------------------------------------- controls

async function save() {
  await act("save", { name: $("name").value });
  await listSaves();
}

// End the game by loading or dealing another, if the person means it.
function endBy(what, body, question) {
  const isBegun = !view.over && (view.curtain || view.log.length > 0);
  if (isBegun && !confirm(question)) return;
  $("settings").close();
  act(what, body);
}

function deal() {
  endBy("deal", {}, "End this game and start a new one?");
}

function undo() {
  if ($("confirms").checked && !confirm("Go back to your last decision?")) return;
  act("undo");
}

function listen() {
  const does = {
    undo, save, deal, again: deal,
    hint: () => act("hint", { name: $("adviser").value }),
    list: () => {
      listed = $("choices").classList.contains("hidden");
      showChoices();
    },
    now: () => showPast(-1, ""),
    load: () => endBy("load", { name: $("saves").value }, "End this game and load another?"),
    next: () => act("advance"),
    "hand-over": () => act("hand_over"),
    "take-back": undo,
    "open-menu": () => {
      say("", false, "settings-says");
      listSaves();
      $("settings").showModal();
    },
    "open-guide": () => openGuide().catch((error) => say(error.message, true)),
    "open-review": openReview,
    tour: () => {
      $("guide").close();
      showStep(0);
    },
    "step-back": () => showStep(step - 1),
    "step-on": () => showStep(step + 1),
    "step-end": endTour,
  };
  for (const [id, action] of Object.entries(does)) $(id).addEventListener("click", action);
  $("judge").addEventListener("change", judge);
  $("judged").addEventListener("change", judge);
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", keepFocus);
  }
  for (const button of $("tabs").children) {
    button.addEventListener("click", () => chooseTab(button.dataset.tab));
  }
  $("pace").addEventListener("change", scheduleNext);
  $("forced").addEventListener("change", scheduleNext);
  $("whose").addEventListener("change", showLog);
  $("theme").addEventListener("change", () => setTheme($("theme").value));
  document.addEventListener("click", closeMenu);
  document.addEventListener("keydown", pressed);
  document.addEventListener("pointerdown", () => {
    byKeyboard = false;
  });
  $("log").addEventListener("scroll", () => {
    const { scrollTop, clientHeight, scrollHeight } = $("log");
    if (clientHeight > 0) follows = scrollTop + clientHeight > scrollHeight - NEAR_END;
  });
  addEventListener("resize", () => {
    if (!view || view.curtain) return;
    showParts();
    if (follows) $("log").scrollTop = $("log").scrollHeight;
    showDecision();
    showChoices();
  });
  listenToZoom();
  listenToTips(preview);
}

async function start() {
  $("theme").value = keptTheme();
  setTheme($("theme").value);
  listen();
  setTab("cards");
  const first = await request("view");
  $("name").value = first.game.toLowerCase().replaceAll(" ", "_");
  show(first);
  await listSaves();
  enable();
  keepFocus();
  scheduleNext();
}

start().catch((error) => say(error.message, true));
