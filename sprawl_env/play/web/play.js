"use strict";

const $ = (id) => document.getElementById(id);
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#333333"];
const FORCED_DELAY = 500;
const LEGIBLE = 680; // least width in pixels at which a board is readable

let view = null; // the last view received from the server
let names = new Map(); // names of the legal actions, by id
let hinted = -1; // the action of the last hint
let timer = null; // timer of the next automatic request
let busy = false;

// ------------------------------------------------------------------------------------- requests

async function request(what, body) {
  const options = { headers: {}, cache: "no-store" };
  if (body) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify({ ...body, version: view.version });
  }
  const response = await fetch(`api/${what}`, options);
  const content = await response.json();
  if (!response.ok) throw new Error(content.error);
  return content;
}

async function act(what, body = {}) {
  if (busy) return;
  clearTimeout(timer);
  setBusy(true);
  const botActs = what === "advance" || what === "hint";
  const slow = setTimeout(() => botActs && say("The bot is choosing an action …"), 400);
  try {
    const found = await request(what, body);
    clearTimeout(slow);
    say(found.says || "");
    hinted = found.hint === undefined ? -1 : found.hint;
    show(found);
  } catch (error) {
    clearTimeout(slow);
    say(error.message, true);
    if (view) await refresh(what !== "advance").catch(() => {});
  } finally {
    setBusy(false);
    scheduleNext();
  }
}

async function refresh(continues = true) {
  show(await request("view"));
  if (!continues) view.stopped = true; // after a bot has failed, only a click makes it try again
}

async function listSaves() {
  const { saves, damaged } = await request("saves");
  $("saves").replaceChildren(
    ...saves.map((name) => {
      const option = made("option", "", name in damaged ? `${name} (damaged)` : name);
      option.value = name;
      option.disabled = name in damaged; // shown in grey
      option.title = damaged[name] || "";
      return option;
    }),
  );
  $("saves").disabled = saves.length === 0;
  enable();
}

// ------------------------------------------------------------------------------------------- view

function made(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function say(text, isError = false) {
  $("message").textContent = text;
  $("message").classList.toggle("error", isError);
}

function setBusy(now) {
  busy = now;
  $("board").classList.toggle("busy", now);
  for (const id of ["undo", "hint", "save", "load", "deal", "again", "next", "hand-over"]) {
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

function mark(seat) {
  const square = made("span", "seat");
  square.style.background = COLOURS[seat % COLOURS.length];
  return square;
}

function show(found) {
  view = found;
  names = new Map(view.actions);
  document.title = `${view.game}: seat ${view.seat}`;
  document.body.dataset.version = view.version;
  $("title").textContent = view.game;
  $("board").innerHTML = view.svg;
  for (const target of $("board").querySelectorAll(".target")) prepareTarget(target);
  $("seats").replaceChildren(
    ...view.seats.map((name, seat) => {
      const row = made("li", seat === view.to_play ? "to-play" : "");
      const you = seat === view.seat ? " (you)" : "";
      const points = view.scores ? `: ${view.scores[seat]}` : "";
      row.append(mark(seat), `seat ${seat} ${name === "human" ? "person" : name}${you}${points}`);
      return row;
    }),
  );
  showDecision();
  showLog();
  showChoices(!$("choices").classList.contains("hidden"));
  enable();
  closeMenu();
  scrollToTargets();
}

function scrollToTargets() {
  const room = $("board").getBoundingClientRect();
  const targets = [...$("board").querySelectorAll(".target")];
  const visible = targets.some((target) => {
    const box = target.getBoundingClientRect();
    return box.bottom > room.top + 8 && box.top < room.bottom - 8;
  });
  if (targets.length && !visible) targets[0].scrollIntoView({ block: "center" });
}

function showDecision() {
  const { mine, over, decision } = view;
  $("decision").classList.toggle("mine", mine);
  const who = view.to_play >= 0 ? `Seat ${view.to_play}: ` : "";
  let text = mine ? `Your decision: ${decision}` : `${who}${decision}`;
  let help = mine ? "Click an outlined place on the board." : "";
  if (mine && names.size > 1) help += ` ${names.size} legal actions.`;
  if (view.hand_over) {
    text = "It is another person's turn.";
    help = "Hand over the screen, then show the next view.";
  } else if (view.bot) {
    help = "A bot is to play.";
  }
  if (over) help = view.scores.map((score, side) => `${sideName(side)}: ${score}`).join(", ");
  $("prompt").textContent = text;
  $("help").textContent = help;
  $("hand-over").classList.toggle("hidden", !view.hand_over);
  $("next").classList.toggle("hidden", !waitsForClick());
  $("after").classList.toggle("hidden", !over);
  $("replay").classList.toggle("hidden", !view.replay);
}

function sideName(side) {
  return side < view.seats.length ? `seat ${side}` : "the automaton";
}

function showLog() {
  const list = $("log");
  list.replaceChildren(
    ...view.log.map(([seat, says], k) => {
      const row = made("li", seat === view.seat ? "mine" : "");
      row.append(mark(seat), `${k + 1}. seat ${seat}: ${says}`);
      return row;
    }),
  );
  list.scrollTop = list.scrollHeight;
}

function showChoices(open) {
  const shown = open && view.mine;
  $("choices").classList.toggle("hidden", !shown);
  $("choices").replaceChildren(...(shown ? [...names.keys()].map(choice) : []));
}

function choice(action) {
  const button = made("button", action === hinted ? "hinted" : "", names.get(action));
  button.dataset.action = action;
  button.addEventListener("click", () => act("play", { action }));
  return button;
}

// ------------------------------------------------------------------------------------- the board

function actionsOf(target) {
  return target.dataset.actions.split(" ").map(Number);
}

function actionsAt(x, y) {
  const found = document.elementsFromPoint(x, y).map((element) => element.closest(".target"));
  return [...new Set(found.filter(Boolean).flatMap(actionsOf))]; // targets may overlap
}

function prepareTarget(target) {
  const actions = actionsOf(target);
  target.setAttribute("tabindex", "0");
  target.setAttribute("role", "button");
  target.classList.toggle("hinted", actions.includes(hinted));
  const choose = (event) => {
    event.stopPropagation();
    event.preventDefault();
    const chosen = event.type === "click" ? actionsAt(event.clientX, event.clientY) : actions;
    if (chosen.length === 1) act("play", { action: chosen[0] });
    else openMenu(chosen, target.getBoundingClientRect());
  };
  target.addEventListener("click", choose);
  target.addEventListener("keydown", (event) => event.key === "Enter" && choose(event));
}

function openMenu(actions, box) {
  const menu = $("menu");
  menu.replaceChildren(...actions.map(choice));
  menu.classList.remove("hidden");
  menu.style.left = `${Math.min(box.right + 4, innerWidth - menu.offsetWidth - 8)}px`;
  menu.style.top = `${Math.max(8, Math.min(box.top, innerHeight - menu.offsetHeight - 8))}px`;
  menu.firstChild.focus();
}

function closeMenu() {
  $("menu").classList.add("hidden");
}

// ------------------------------------------------------------------------------ automatic actions

function waitsForClick() {
  return view.bot && (view.stopped || Number($("pace").value) < 0);
}

function scheduleNext() {
  clearTimeout(timer);
  if (!view || busy) return;
  $("next").classList.toggle("hidden", !waitsForClick());
  if (view.bot && !waitsForClick()) {
    timer = setTimeout(() => act("advance"), Number($("pace").value));
  } else if (view.mine && names.size === 1 && $("forced").checked) {
    const [action] = names.keys();
    timer = setTimeout(() => act("play", { action }), FORCED_DELAY);
  }
}

function fitBoard() {
  const { width, height } = $("board").querySelector("svg").viewBox.baseVal;
  $("whole").checked = ($("board").clientHeight * width) / height >= LEGIBLE;
  $("board").classList.toggle("whole", $("whole").checked);
  $("whole").disabled = false; // a choice made earlier would be overwritten here
}

// --------------------------------------------------------------------------------------- controls

function undo() {
  if (!$("undo").disabled) act("undo");
}

function hint() {
  if (!$("hint").disabled) act("hint", { name: $("adviser").value });
}

function list() {
  if (!$("list").disabled) showChoices($("choices").classList.contains("hidden"));
}

async function save() {
  await act("save", { name: $("name").value });
  await listSaves();
}

function deal() {
  if (view.over || view.log.length === 0 || confirm("End this game and start a new one?")) {
    act("deal");
  }
}

function listen() {
  $("undo").addEventListener("click", undo);
  $("hint").addEventListener("click", hint);
  $("list").addEventListener("click", list);
  $("save").addEventListener("click", save);
  $("load").addEventListener("click", () => act("load", { name: $("saves").value }));
  $("deal").addEventListener("click", deal);
  $("again").addEventListener("click", deal);
  $("next").addEventListener("click", () => act("advance"));
  $("hand-over").addEventListener("click", () => act("hand_over"));
  $("pace").addEventListener("change", scheduleNext);
  $("forced").addEventListener("change", scheduleNext);
  $("whole").addEventListener("change", () => {
    $("board").classList.toggle("whole", $("whole").checked);
  });
  document.addEventListener("click", closeMenu);
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") closeMenu();
    const does = { u: undo, h: hint, l: list }[event.key];
    if (does) does();
  });
}

async function start() {
  listen();
  await refresh();
  await listSaves();
  $("name").value = view.game.toLowerCase().replaceAll(" ", "_");
  $("adviser").replaceChildren(...view.hints.map((name) => made("option", "", name)));
  fitBoard();
  enable();
  scheduleNext();
}

start().catch((error) => say(error.message, true));
