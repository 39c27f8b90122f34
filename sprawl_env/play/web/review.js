"use strict";

// The analysis of a finished game: a bot looks at one decision after another.

const MOST_WORST = 5;
const [CURVE_WIDTH, CURVE_HEIGHT, CURVE_LEFT, CURVE_EDGE] = [600, 170, 58, 12];

let reviewing = 0; // number of the newest analysis; older ones stop

function openReview() {
  $("judge").replaceChildren(...optionsOf(view.hints.map(({ name, says }) => [name, says])));
  const analyst = view.hints.find(({ analyses }) => analyses);
  if (analyst) $("judge").value = analyst.name;
  const seats = view.choices.map((plies, seat) => [seat, plies]).filter(([, plies]) => plies.length);
  $("judged").replaceChildren(...optionsOf(seats.map(([seat]) => [seat, view.names[seat]])));
  if (view.choices[view.seat].length) $("judged").value = view.seat;
  $("review").showModal();
  judge();
}

// Ask for one decision after another, and show what is known so far.
async function judge() {
  const mine = ++reviewing, found = [];
  const plies = view.choices[Number($("judged").value)] || [];
  const name = $("judge").value;
  showReviews(found);
  for (const ply of plies) {
    $("review-says").textContent = `Decision ${found.length + 1} of ${plies.length} …`;
    try {
      const { review } = await request("review", { name, ply });
      if (mine !== reviewing || !$("review").open) return;
      found.push(review);
    } catch (error) {
      if (mine === reviewing) $("review-says").textContent = error.message;
      return;
    }
    if (found.length % 4 === 0) showReviews(found);
  }
  showReviews(found);
  const same = found.filter((each) => each.same).length;
  $("review-says").textContent = `It would have played the same in ${same} of ${plies.length} `
    + "decisions with a choice.";
}

function showReviews(found) {
  const valued = found.filter(({ value }) => value !== null);
  $("curve").classList.toggle("hidden", valued.length < 2);
  if (valued.length >= 2) showCurve(valued);
  const cost = ({ lost, share }) => (lost === null ? -share : lost);
  const others = found.filter(({ same, share }) => !same && share !== null);
  const known = others.filter(isLoss);
  const worst = (known.length ? known : others).sort((a, b) => cost(b) - cost(a));
  const rows = found.length && !worst.length ? found.filter(({ same }) => !same) : worst;
  $("worst-title").textContent = known.length ? "What cost most" : "What it would have played";
  $("worst-title").classList.toggle("hidden", rows.length === 0);
  $("worst").replaceChildren(...rows.slice(0, MOST_WORST).map(reviewRow));
}

// Whether another decision was better by so much that it shows.
function isLoss({ lost, unit }) {
  return lost !== null && parseFloat(inUnit(lost, unit)) > 0;
}

function reviewRow(each) {
  const row = made("li");
  const said = isLoss(each)
    ? `${inUnit(each.lost, each.unit)} lost: ${each.says}; better: ${each.best}`
    : `${each.says}; it would have played: ${each.best}`;
  const when = view.log.find(({ ply, heading }) => ply === each.ply && heading);
  const button = made("button", "", when ? `${when.heading}: ${said}` : said);
  button.title = "show the position before it";
  button.addEventListener("click", () => {
    $("review").close();
    const first = each.ply === 0; // nothing is kept of what was before it
    showPast(Math.max(0, each.ply - 1), `${first ? "After" : "Before"} this decision: ${said}`);
  });
  row.append(button);
  return row;
}

function inUnit(value, unit) {
  if (unit === "share of the victory") return `${(100 * value).toFixed(0)}%`;
  return ["lead in points", "rating in points"].includes(unit) ? `${value.toFixed(1)} points` : value.toFixed(2);
}

// ------------------------------------------------------------------------------------- the curve

function showCurve(found) {
  const unit = found[0].unit, values = found.map(({ value }) => value);
  const whole = ["share of the victory", "value from 0 to 1"].includes(unit);
  const low = whole ? 0 : Math.min(0, ...values), high = whole ? 1 : Math.max(0, ...values);
  const x = (k) => CURVE_LEFT + (k / (found.length - 1)) * (CURVE_WIDTH - CURVE_LEFT - CURVE_EDGE);
  const y = (value) => CURVE_EDGE
    + ((high - value) / (high - low || 1)) * (CURVE_HEIGHT - 2 * CURVE_EDGE);
  const svg = drawn("svg", {
    viewBox: `0 0 ${CURVE_WIDTH} ${CURVE_HEIGHT}`, role: "img", class: "curve",
    "aria-label": `${unit}, from ${inUnit(values[0], unit)} to ${inUnit(values.at(-1), unit)}`,
  });
  for (const value of new Set(whole ? [0, 0.5, 1] : [low, 0, high])) {
    svg.append(
      drawn("line", { x1: CURVE_LEFT, x2: CURVE_WIDTH - CURVE_EDGE, y1: y(value), y2: y(value) }),
      drawn("text", { x: CURVE_LEFT - 6, y: y(value) + 5, "text-anchor": "end" },
        inUnit(value, unit).replace(" points", "")),
    );
  }
  const line = found.map(({ value }, k) => `${x(k)},${y(value)}`).join(" ");
  svg.append(drawn("polyline", { points: line }));
  for (const [k, each] of found.entries()) {
    const mark = drawn("circle", { cx: x(k), cy: y(each.value), r: each.same ? 3 : 4.5,
      class: each.same ? "" : "other" });
    const lost = isLoss(each) ? `, ${inUnit(each.lost, unit)} lost` : "";
    mark.append(drawn("title", {}, `${each.says}: ${inUnit(each.value, unit)}${lost}`));
    svg.append(mark);
  }
  const caption = $("curve-says");
  caption.textContent = `${unit} before each decision; hollow marks: it would have played `
    + "something else";
  $("curve").replaceChildren(svg, caption);
}
