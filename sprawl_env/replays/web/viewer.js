"use strict";

const DASHES = ["", "7 3", "2 3", "9 3 2 3", "1 2"];
const CHART = { width: 400, height: 150, left: 30, right: 8, top: 8, bottom: 18 };

let replay = null; // the data written by content() in sprawl_env/replays/page.py
let pictures = []; // for each step, the numbers of its lines of SVG
let step = 0;
let timer = null;

async function unpack() {
  const packed = Uint8Array.from(atob($("data").textContent), (c) => c.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

// Return the list of line numbers of every step.
function rebuild(steps) {
  const lines = [];
  return steps.map((edits) => {
    for (const [at, removed, inserted] of edits) lines.splice(at, removed, ...inserted);
    return Uint32Array.from(lines);
  });
}

function colour(seat) {
  return replay.colours[seat % replay.colours.length];
}

// ------------------------------------------------------------------------------------ one step

function show(wanted) {
  step = Math.max(0, Math.min(pictures.length - 1, wanted));
  hideTip();
  showParts();
  showSides();
  $("slider").value = step;
  $("where").textContent = `step ${step} / ${pictures.length - 1}`;
  $("turn").value = replay.turns[step] + 1;
  $("cursor").setAttribute("x1", chartX(step));
  $("cursor").setAttribute("x2", chartX(step));
  const old = $("plies").querySelector(".now");
  if (old) old.classList.remove("now");
  const row = $("plies").children[step];
  row.classList.add("now");
  scrollToRow(row);
  document.body.dataset.step = step;
  if (step === pictures.length - 1) pause();
}

// Return the parts of a step: for each a line with what it is, then its lines of SVG.
function partsOf(at) {
  const parts = [];
  for (const k of pictures[at]) {
    const line = replay.lines[k];
    if (line.startsWith("{")) parts.push({ ...JSON.parse(line), svg: "" });
    else parts[parts.length - 1].svg += `${line}\n`;
  }
  return parts;
}

function showParts() {
  const next = replay.plies[step];
  const prepare = (element) => {
    for (const target of element.querySelectorAll(".target")) {
      const isNext = next && target.dataset.actions.split(" ").includes(String(next[1]));
      target.classList.toggle("next", Boolean(isNext));
    }
  };
  arrange(partsOf(step), -1, prepare, ({ others, cards, info }, story) => {
    flow($("below"), info);
    flow($("flow"), [story, ...others, ...cards]);
  });
}

function scrollToRow(row) {
  const list = $("plies");
  const room = list.clientHeight;
  if (row.offsetTop < list.scrollTop + 20 || row.offsetTop > list.scrollTop + room - 40) {
    list.scrollTop = row.offsetTop - room / 2;
  }
}

function showSides() {
  const [toPlay, decision] = replay.decisions[step];
  const over = step === pictures.length - 1;
  $("sides").replaceChildren(
    ...replay.sides.map((name, side) => {
      const row = made("tr", side === toPlay ? "to-play" : "");
      const first = made("td");
      first.append(drawnFrom(replay.pieces[side]), name);
      row.append(first, made("td", "", side === toPlay ? decision : ""));
      row.append(made("td", "", replay.scores[step][side]));
      return row;
    }),
  );
  $("about").textContent = over ? replay.end : replay.about;
  $("about").style.fontWeight = over ? "600" : "";
}

// --------------------------------------------------------------------------------------- chart

function chartX(at) {
  const room = CHART.width - CHART.left - CHART.right;
  return CHART.left + (room * at) / Math.max(1, pictures.length - 1);
}

function drawChart() {
  const chart = $("chart");
  chart.setAttribute("viewBox", `0 0 ${CHART.width} ${CHART.height}`);
  chart.setAttribute("preserveAspectRatio", "none");
  const all = replay.scores.flat();
  const low = Math.min(0, ...new Set(all));
  const high = Math.max(low + 1, ...new Set(all));
  const room = CHART.height - CHART.top - CHART.bottom;
  const y = (score) => CHART.top + (room * (high - score)) / (high - low);
  for (const score of [low, Math.round((low + high) / 2), high]) {
    chart.append(
      drawn("line", {
        x1: CHART.left, x2: CHART.width - CHART.right, y1: y(score), y2: y(score),
        class: "grid",
      }),
      drawn("text", { x: CHART.left - 4, y: y(score) + 3, "text-anchor": "end" }, score),
    );
  }
  chart.append(drawn("text", { x: CHART.left, y: CHART.height - 5 }, "score after each step"));
  replay.sides.forEach((name, side) => {
    const points = replay.scores.map((scores, at) => `${chartX(at)},${y(scores[side])}`);
    const line = drawn("polyline", {
      points: points.join(" "), fill: "none", stroke: colour(side), "stroke-width": 1.8,
      "stroke-dasharray": DASHES[side % DASHES.length],
    });
    line.append(drawn("title", {}, name));
    chart.append(line);
  });
  chart.append(
    drawn("line", {
      id: "cursor", y1: CHART.top, y2: CHART.height - CHART.bottom, 
    }),
  );
  const jump = (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * CHART.width;
    const share = (x - CHART.left) / (CHART.width - CHART.left - CHART.right);
    show(Math.round(share * (pictures.length - 1)));
  };
  chart.addEventListener("pointerdown", jump);
  chart.addEventListener("pointermove", (event) => event.buttons && jump(event));
}

// -------------------------------------------------------------------------------- action list

function listPlies() {
  const rows = [made("li")];
  rows[0].append(made("span", "number", 0), made("span", "", "opening position"));
  const told = replay.plies.map(() => []);
  for (const line of replay.story) told[line.ply].push(line);
  replay.plies.forEach(([seat, , says], k) => {
    const row = made("li", replay.turns[k] !== replay.turns[k - 1] ? "new-turn" : "");
    const why = told[k].map((line) => causesOf(line, replay.names));
    const heading = told[k].slice(0, 1).map((line) => line.heading);
    row.dataset.tip = [...heading, ...why].filter(Boolean).join("\n");
    row.append(made("span", "number", k + 1), drawnFrom(replay.pieces[seat]));
    const words = made("span");
    for (const line of told[k]) words.append(made("div", "", line.text));
    if (!told[k].length) words.append(says);
    row.append(words);
    rows.push(row);
  });
  rows.forEach((row, k) => row.addEventListener("click", () => show(k)));
  $("plies").replaceChildren(...rows);
}

// ---------------------------------------------------------------------------------- navigation

function pause() {
  clearInterval(timer);
  timer = null;
  $("play").textContent = "Play";
}

function play() {
  pause();
  if (step === pictures.length - 1) show(0);
  timer = setInterval(() => show(step + 1), Number($("speed").value));
  $("play").textContent = "Pause";
}

function toggle() {
  if (timer === null) play();
  else pause();
}

function turnStart(turn) {
  const at = replay.turns.findIndex((t) => t >= turn);
  return at < 0 ? pictures.length - 1 : at;
}

function turnBack() {
  const start = turnStart(replay.turns[step]);
  show(start < step ? start : turnStart(replay.turns[step] - 1));
}

function turnForward() {
  show(turnStart(replay.turns[step] + 1));
}

function toggleBox(id) {
  $(id).checked = !$(id).checked;
  $(id).dispatchEvent(new Event("change"));
}

const KEYS = {
  ArrowLeft: () => show(step - 1),
  ArrowRight: () => show(step + 1),
  ArrowUp: turnBack,
  ArrowDown: turnForward,
  Home: () => show(0),
  End: () => show(pictures.length - 1),
  " ": toggle,
  t: () => toggleBox("targets"),
};

function listen() {
  const does = {
    first: KEYS.Home, last: KEYS.End, back: KEYS.ArrowLeft, forward: KEYS.ArrowRight,
    "earlier-turn": turnBack, "later-turn": turnForward, play: toggle,
  };
  for (const [id, action] of Object.entries(does)) $(id).addEventListener("click", action);
  $("slider").addEventListener("input", () => show(Number($("slider").value)));
  $("turn").addEventListener("change", () => show(turnStart(Number($("turn").value) - 1)));
  $("speed").addEventListener("change", () => timer !== null && play());
  $("targets").addEventListener("change", () => {
    document.body.classList.toggle("plain", !$("targets").checked);
  });
  for (const button of $("tabs").children) {
    button.addEventListener("click", () => {
      setTab(button.dataset.tab);
      showParts();
    });
  }
  $("theme").addEventListener("change", () => setTheme($("theme").value));
  addEventListener("resize", showParts);
  listenToZoom();
  listenToTips();
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input[type=number], select");
    const pressing = event.key === " " && event.target.matches("button, input[type=checkbox]");
    if (typing || pressing || !KEYS[event.key]) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });
}

async function start() {
  $("theme").value = keptTheme();
  setTheme($("theme").value);
  replay = await unpack();
  pictures = rebuild(replay.steps);
  $("title").textContent = replay.title;
  $("slider").max = pictures.length - 1;
  $("turn").max = replay.turns[replay.turns.length - 1] + 1;
  drawChart();
  listPlies();
  listen();
  setTab("log");
  show(0);
}

start().catch((error) => {
  $("about").textContent = `The page could not be shown: ${error}`;
});
