// The views of the attention weights: heads (words joined by lines), model (thumbnails) and matrix (heat map).

// Head view: the queries on the left, the keys on the right, and a line for each weight and head.

const FULL_WEIGHT = 0.25; // the weight of an opaque line where no weight is larger
const MIN_OPACITY = 0.02; // lines with less are not drawn

let headView = null; // what the head view shows: {root, sides: {q, k: {words, buttons}}, lines, matrices}
let hovered = ""; // the word under the pointer or with keyboard focus, in the form of state.word

function renderHeads() {
  hovered = "";
  headView = { sides: { q: wordColumn("q"), k: wordColumn("k") }, matrices: selectedMatrices(state.mean) };
  headView.lines = create("svg", { class: "lines", "aria-hidden": "true", preserveAspectRatio: "none" });
  const columns = [headView.sides.q.column, headView.lines, headView.sides.k.column];
  headView.root = create("div", { class: "heads", style: rowStyle() }, ...columnTitles(), ...columns);
  fill("view", headView.root);
  drawWord();
}

/** Fewer words get higher rows; 24 px is the smallest touch target. */
function rowHeight() {
  const count = Math.max(headView.sides.q.words.length, headView.sides.k.words.length);
  return clamp(Math.floor(560 / count), 24, 46);
}

function rowStyle() {
  const height = rowHeight();
  return `--row: ${height}px; --text-size: ${clamp(Math.round(height * 0.5), 13, 20)}px`;
}

function columnTitles() {
  const { queries, keys } = KINDS[state.attention];
  const title = (text) => create("div", { class: "column-title" }, create("span", {}, text),
    create("span", { class: "note" }, headView.matrices.length > 1 ? "weight by head, mean" : "weight"));
  return [title(`${queries} (queries)`), create("div"), title(`${keys} (keys)`)];
}

function wordColumn(side) {
  const words = wordsOf(state.attention, sideOf(side));
  const buttons = words.map((word, index) => wordButton(word, `${side}${index}`, index));
  const column = create("div", {
    class: `words ${side}`, role: "group", "aria-label": side === "q" ? "Queries" : "Keys",
    mouseleave: () => hover(""), keydown: (event) => moveFocus(event, buttons),
  }, ...buttons);
  return { words, buttons, column };
}

function wordButton(word, id, index) {
  const classes = `word${word.continues ? " continues" : ""}${word.unknown ? " unknown" : ""}`;
  return create("button", {
    type: "button", class: classes, id: `word-${id}`, tabindex: index === 0 ? 0 : -1,
    title: word.title + (word.predicts ? `, predicts ${word.predicts}` : "") + (word.unknown ? ", unknown piece" : ""),
    click: () => (state.word === id ? releaseWord() : update({ word: id })),
    mouseenter: () => hover(id),
    focus: (event) => event.target.matches(":focus-visible") && hover(id),
    blur: () => hover(""),
  },
  create("bdi", { class: "text" }, word.text),
  word.predicts ? create("span", { class: "predicts", "aria-hidden": "true" }, `→ ${word.predicts}`) : "",
  create("span", { class: "bars", "aria-hidden": "true" }));
}

function moveFocus(event, buttons) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  buttons[buttons.indexOf(event.target) + by]?.focus();
}

function hover(id) {
  if (hovered === id || state.view !== "heads") return;
  hovered = id;
  drawWord();
}

function releaseWord() {
  update({ word: "" });
  hover(""); // also where the word has the keyboard focus
}

/** Draws what depends on the isolated word: lines, bars and caption. */
function drawWord() {
  const id = hovered || state.word;
  const selected = id ? { side: id[0], index: Number(id.slice(1)) } : null;
  drawLines(selected);
  for (const side of ["q", "k"]) headView.root.classList.toggle(`select-${side}`, selected?.side === side);
  for (const side of ["q", "k"]) {
    headView.sides[side].buttons.forEach((button, index) => {
      const isSelected = selected?.side === side && selected.index === index;
      button.classList.toggle("selected", isSelected);
      button.setAttribute("aria-pressed", state.word === `${side}${index}`);
      drawBars(button, selected && selected.side !== side ? weightsOf(selected, index) : null);
    });
  }
  fill("caption", headCaption(selected));
}

/** Of each matrix, the weight between the selected word and a word of the other side. */
function weightsOf({ side, index }, other) {
  return headView.matrices.map(({ matrix }) => (side === "q" ? matrix[index][other] : matrix[other][index]));
}

/** Draws the lines. Their opacity is the weight, scaled so that the strongest line is opaque. */
function drawLines(selected) {
  const { width, height } = headView.lines.getBoundingClientRect();
  const full = Math.max(FULL_WEIGHT, ...headView.matrices.flatMap(({ matrix }) => shownWeights(matrix, selected)));
  const scale = { width, full };
  const paths = headView.matrices.flatMap((head, index) => headPaths(head, lineOffset(index), selected, scale));
  headView.lines.setAttribute("viewBox", `0 0 ${width} ${height}`);
  headView.lines.dataset.count = paths.reduce((count, path) => count + Number(path.dataset.count), 0);
  headView.lines.replaceChildren(...paths);
}

const isShown = (selected, query, key) => !selected || selected.index === (selected.side === "q" ? query : key);

/** The largest weight of each row among those whose lines are drawn. */
function shownWeights(matrix, selected) {
  return matrix.map((row, query) => Math.max(0, ...row.filter((_, key) => isShown(selected, query, key))));
}

/** The lines of one head. Lines of about the same weight form one path, which keeps long sentences fast. */
function headPaths({ color, matrix }, offset, selected, { width, full }) {
  const levels = 40;
  const curves = range(levels + 1).map(() => []);
  matrix.forEach((row, query) => row.forEach((weight, key) => {
    const opacity = Math.min(weight / full, 1);
    if (opacity >= MIN_OPACITY && isShown(selected, query, key)) {
      curves[Math.round(opacity * levels)].push(curve(query, key, offset, width));
    }
  }));
  return curves.map((list, level) => create("path", {
    d: list.join(""), "data-count": list.length, style: `stroke: ${color}`, class: "line",
    "stroke-opacity": level / levels, "stroke-width": (1 + (2.5 * level) / levels).toFixed(2),
  })).filter((path) => path.dataset.count > 0);
}

/** The lines of different heads leave a word side by side. */
function lineOffset(index) {
  const count = headView.matrices.length;
  return (index - (count - 1) / 2) * Math.min(3, (rowHeight() * 0.6) / count);
}

function curve(query, key, offset, width) {
  const y = (position) => ((position + 0.5) * rowHeight() + offset).toFixed(1);
  const bend = (width / 2).toFixed(1);
  return `M0 ${y(query)}C${bend} ${y(query)} ${bend} ${y(key)} ${width.toFixed(1)} ${y(key)}`;
}

/** One bar for each head, and the mean of their weights as a number; nothing if `weights` is null. */
function drawBars(button, weights) {
  const bars = button.querySelector(".bars");
  if (!weights?.length) return bars.replaceChildren();
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const cells = weights.map((weight, index) => create("i", {
    style: `--color: ${headView.matrices[index].color}; --weight: ${weight.toFixed(3)}`,
  }));
  bars.replaceChildren(create("span", { class: "cells" }, ...cells), create("span", { class: "value" }, decimal(mean)));
}

function headCaption(selected) {
  const place = placeName();
  if (!headView.matrices.length) return `${place}: no head is selected.`;
  if (!selected) return `${place}. Select a word to see its weights.`;
  const others = headView.sides[selected.side === "q" ? "k" : "q"].words;
  const word = headView.sides[selected.side].words[selected.index];
  const strongest = strongestLink(selected, others);
  const verb = selected.side === "q" ? "attends most to" : "gets most attention from";
  const predicts = word.predicts ? ` (predicts “${word.predicts}”)` : "";
  return `${place}: “${word.text}”${predicts} ${verb} “${others[strongest.index].text}”, ${
    percent(strongest.weight)} (${strongest.name}).`;
}

function strongestLink(selected, others) {
  let best = { weight: -1 };
  others.forEach((_, index) => weightsOf(selected, index).forEach((weight, head) => {
    if (weight > best.weight) best = { weight, index, name: headView.matrices[head].name };
  }));
  return best;
}

// Model view: a thumbnail of each head, one row for each layer.

function renderModel() {
  const { layers, heads: count } = shown();
  const colors = numbers(count).map((head) => computedColor(headColor(head)));
  const title = (head) => create("span", { class: "head-title", style: `--color: ${headColor(head)}` }, head);
  const row = (layer) => [create("span", { class: "layer-title" }, layer),
    ...numbers(count).map((head) => thumbnail(layer, head, colors[head - 1]))];
  fill("view", create("div", { class: "model", style: `--heads: ${count}` },
    create("span", { class: "corner" }, create("span", {}, "layer ↓ head →")),
    ...numbers(count).map(title), ...numbers(layers).flatMap(row)));
  fill("caption", `${KINDS[state.attention].title}: a row for each layer, a column for each head; inside, queries ` +
    "run downwards and keys to the right. Select a head to open it.");
}

function thumbnail(layer, head, color) {
  const canvas = create("canvas", { "aria-hidden": "true" });
  paint(canvas, headMatrix(layer, head), color);
  const label = `Layer ${layer}, head ${head}`;
  const isSelected = layer === state.layer && state.heads.includes(head);
  return create("button", {
    type: "button", class: `thumbnail${isSelected ? " selected" : ""}`, title: label, "aria-label": label,
    click: () => update({ view: "heads", layer, heads: [head], word: "" }),
  }, canvas);
}

/** One pixel for each weight, which CSS enlarges. */
function paint(canvas, matrix, color) {
  canvas.width = matrix[0].length;
  canvas.height = matrix.length;
  const context = canvas.getContext("2d");
  context.fillStyle = color;
  matrix.forEach((row, query) => row.forEach((weight, key) => {
    context.globalAlpha = strength(weight);
    context.fillRect(key, query, 1, 1);
  }));
}

/** How strongly a heat map colors a weight: the square root lets small weights be seen. */
const strength = (weight) => Math.sqrt(Math.min(weight, 1));

/** A function from a weight to the style of its cell: CSS mixes `color` into the card; the text stays readable. */
function heatStyles(color) {
  const [card, heat] = ["var(--card)", color].map((end) => Math.cbrt(luminance(end)));
  return (weight) => {
    const share = strength(weight);
    const mixed = (card + share * (heat - card)) ** 3;
    return `--strength: ${share.toFixed(3)}; color: ${textColorOn(mixed)}`;
  };
}

// Matrix view: the mean of the selected heads.

function renderMatrix() {
  const [shownMatrix] = selectedMatrices(true);
  if (!shownMatrix) return renderNoMatrix();
  const queries = wordsOf(state.attention, "queries");
  const keys = wordsOf(state.attention, "keys");
  const cell = cellSize(Math.max(queries.length, keys.length));
  const corner = create("th", { class: "corner" }, create("span", {}, "queries ↓ keys →"));
  const styleOf = heatStyles(shownMatrix.color);
  const head = create("tr", {}, corner, ...keys.map((word) => headerCell(word, "col")));
  const rows = queries.map((word, query) => create("tr", {}, headerCell(word, "row"),
    ...shownMatrix.matrix[query].map((weight, key) => matrixCell(weight, isMasked(query, key), styleOf, cell >= 34))));
  fill("view", create("div", { class: "scroll" }, create("table", {
    class: "matrix", style: `--cell: ${cell}px; --heat: ${shownMatrix.color}`, "aria-label": "Attention weights",
    mouseover: (event) => showTooltip(event, queries, keys), mouseleave: hideTooltip,
  }, create("thead", {}, head), create("tbody", {}, ...rows))), legend(shownMatrix.color, styleOf));
  fill("caption", `${placeName()}, ${matrixName(shownMatrix)}. Each row sums to 1.`);
}

function renderNoMatrix() {
  fill("view");
  fill("caption", `${placeName()}: no head is selected.`);
}

const matrixName = ({ name }) => (name === "mean" ? `mean of heads ${state.heads.join(", ")}` : name);

/** Cells fill the window's width, within limits. */
function cellSize(count) {
  return clamp(Math.floor((Math.min(innerWidth, 1100) - 150) / Math.max(count, 1)), 13, 64);
}

function headerCell(word, scope) {
  const attributes = { scope, title: word.title, class: word.continues ? "continues" : null };
  return create("th", attributes, create("bdi", {}, word.text));
}

function matrixCell(weight, masked, styleOf, hasText) {
  if (masked) return create("td", { class: "masked", "data-weight": "masked" });
  return create("td", { style: styleOf(weight), "data-weight": weight.toFixed(4) }, hasText ? decimal(weight) : "");
}

function legend(color, styleOf) {
  const weights = [0, 0.05, 0.25, 0.5, 1];
  const steps = weights.map((weight) => create("span", { class: "step", style: styleOf(weight) }, weight));
  return create("p", { class: "legend", style: `--heat: ${color}` }, "weight ", ...steps);
}

function showTooltip(event, queries, keys) {
  const cell = event.target.closest("td");
  if (!cell) return hideTooltip();
  const query = queries[cell.parentNode.rowIndex - 1];
  const key = keys[cell.cellIndex - 1];
  const tooltip = document.getElementById("tooltip");
  tooltip.textContent = `${query.text} → ${key.text}: ${cell.dataset.weight}`;
  tooltip.hidden = false;
  const { left, bottom } = cell.getBoundingClientRect();
  tooltip.style.left = `${clamp(left, 4, innerWidth - tooltip.offsetWidth - 4)}px`;
  tooltip.style.top = `${bottom + 4}px`;
}

function hideTooltip() {
  document.getElementById("tooltip").hidden = true;
}
