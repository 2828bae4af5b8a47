"use strict";

// The document, the page's state, which is kept in the URL's fragment, and the attention matrices.

const data = JSON.parse(document.getElementById("data").textContent);

// The three kinds of attention: Figure 1 of the paper has them as orange boxes. Queries attend to keys.
const KINDS = {
  encoder: { title: "Encoder self-attention", short: "Encoder", queries: "source", keys: "source" },
  decoder: { title: "Decoder self-attention", short: "Decoder", queries: "target", keys: "target" },
  cross: { title: "Cross-attention", short: "Cross", queries: "target", keys: "source" },
};
const VIEWS = { heads: "Heads", model: "Model", matrix: "Matrix", search: "Search" };

// The state. `word` is "q" or "k" with an index: the word that is isolated, among the queries or the keys. Layers and
// heads count from 1, as in the paper.

const lastStep = () => (data.search?.nodes ?? []).reduce((last, { step }) => Math.max(last, step), 0);

const DEFAULTS = {
  view: "heads", attention: "encoder", layer: null, heads: null, mean: false, merge: false, word: "",
  step: lastStep(), dropped: true, theme: "",
};

let state = { ...DEFAULTS };

const shown = () => data.attention[state.attention];
const range = (count) => Array.from({ length: count }, (_, index) => index);
const numbers = (count) => range(count).map((index) => index + 1);
const integers = (text) => text.split(",").filter((part) => /^\d+$/.test(part)).map(Number);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Replaces what the fragment or a change of the selection made invalid. */
function validState(wanted) {
  const valid = { ...wanted };
  if (!VIEWS[valid.view] || (valid.view === "search" && !data.search)) valid.view = DEFAULTS.view;
  if (!KINDS[valid.attention]) valid.attention = DEFAULTS.attention;
  const { layers, heads } = data.attention[valid.attention];
  valid.layer = clamp(valid.layer ?? layers, 1, layers);
  valid.heads = numbers(heads).filter((head) => valid.heads?.includes(head) ?? true);
  valid.step = clamp(valid.step, Math.min(1, lastStep()), lastStep());
  if (!["light", "dark"].includes(valid.theme)) valid.theme = "";
  if (!isWord(valid)) valid.word = "";
  return valid;
}

function isWord({ word, attention, merge }) {
  if (!/^[qk]\d+$/.test(word)) return false;
  return Number(word.slice(1)) < wordsOf(attention, sideOf(word), merge).length;
}

const sideOf = (word) => (word[0] === "q" ? "queries" : "keys");

function stateFromFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const text = (name) => given.get(name) ?? DEFAULTS[name];
  const flag = (name) => (given.has(name) ? given.get(name) === "1" : DEFAULTS[name]);
  const number = (name) => integers(given.get(name) ?? "")[0] ?? DEFAULTS[name];
  return validState({
    view: text("view"), attention: text("attention"), word: text("word"), theme: text("theme"),
    layer: number("layer"), step: number("step"), heads: given.has("heads") ? integers(given.get("heads")) : null,
    mean: flag("mean"), merge: flag("merge"), dropped: flag("dropped"),
  });
}

/** The fragment for a state: view, attention, layer and heads always, the rest where it differs from the default. */
function fragmentOf(current) {
  const always = ["view", "attention", "layer", "heads"];
  const names = Object.keys(DEFAULTS).filter((name) => always.includes(name) || current[name] !== DEFAULTS[name]);
  const text = (value) => (typeof value === "boolean" ? Number(value) : value);
  return "#" + names.map((name) => `${name}=${text(current[name])}`).join("&");
}

// Words: what a row or a column stands for, one piece or, merged, all pieces of a word.

/** Lists {text, title, pieces (indices), continues (no new word begins), unknown, predicts} for "queries" or "keys". */
function wordsOf(kind, side, merge = state.merge) {
  const tokens = data[KINDS[kind][side]];
  const groups = [];
  tokens.forEach((token, index) => {
    const continues = index > 0 && tokens[index - 1].word === token.word;
    if (merge && continues) groups.at(-1).push(index);
    else groups.push([index]);
  });
  const predicts = KINDS[kind][side] === "target" && !merge;
  return groups.map((pieces) => describeWord(tokens, pieces, predicts));
}

function describeWord(tokens, pieces, predicts) {
  const first = pieces[0];
  // "▁" stands for the space before a word.
  const text = pieces.map((index) => tokens[index].piece).join("").replace(/^▁(?=.)/, "");
  return {
    text: text || "␣",
    title: pieces.map((index) => tokens[index].piece).join(" "),
    pieces,
    continues: first > 0 && tokens[first - 1].word === tokens[first].word,
    unknown: pieces.some((index) => tokens[index].unknown),
    predicts: predicts ? tokens[first + 1]?.text ?? lastPrediction() : "",
  };
}

/** What the decoder's last position predicts: nothing if the search reached the maximum length without an end symbol. */
function lastPrediction() {
  const best = data.search?.nodes.find(({ id }) => id === data.search.best);
  return !best || best.state === "finished" ? "</s>" : "";
}

// Matrices: rows are queries, columns are keys.

/** The weights of one head. A word's weight is summed over its pieces as keys, and averaged over them as queries. */
function headMatrix(layer, head) {
  const { heads, queries, keys, weights } = shown();
  const columns = wordsOf(state.attention, "keys");
  return wordsOf(state.attention, "queries").map((row) => columns.map((column) => {
    let sum = 0;
    for (const query of row.pieces) {
      const begin = (((layer - 1) * heads + head - 1) * queries + query) * keys;
      for (const key of column.pieces) sum += weights[begin + key];
    }
    return sum / row.pieces.length / 10000;
  }));
}

function meanMatrix(matrices) {
  return matrices[0].map((row, query) => row.map((_, key) => {
    return matrices.reduce((sum, matrix) => sum + matrix[query][key], 0) / matrices.length;
  }));
}

/** The selected heads of the layer, or of several heads their mean, as a list of {name, color, matrix}. */
function selectedMatrices(mean) {
  const selected = state.heads.map((head) => ({
    name: `head ${head}`, color: headColor(head), matrix: headMatrix(state.layer, head),
  }));
  if (!mean || selected.length < 2) return selected;
  return [{ name: "mean", color: "var(--accent)", matrix: meanMatrix(selected.map(({ matrix }) => matrix)) }];
}

const placeName = () => `${KINDS[state.attention].title}, layer ${state.layer}`;

/** A decoder position cannot attend to later positions (section 3.2.3). */
const isMasked = (query, key) => state.attention === "decoder" && key > query;

// Presentation.

/** A CSS color; hues are spread over the circle, and neighbors differ in lightness, too. */
function headColor(head) {
  const hue = (25 + (360 * (head - 1)) / shown().heads) % 360;
  return `oklch(calc(var(--head-lightness) + ${head % 2 ? 0.04 : -0.03}) var(--head-chroma) ${hue.toFixed(0)})`;
}

/** The color as the browser computes it, without var(), for a canvas. */
function computedColor(color) {
  const probe = create("i", { style: `color: ${color}` });
  document.body.append(probe);
  const computed = getComputedStyle(probe).color;
  probe.remove();
  return computed;
}

const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** The relative luminance of WCAG 2 for a CSS color, 0 to 1. */
function luminance(color) {
  pixel.fillStyle = computedColor(color);
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue] = [...pixel.getImageData(0, 0, 1, 1).data].map((value) => {
    return value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black or white, whichever is easier to read on a background of this luminance. */
const textColorOn = (background) => (background > 0.179 ? "black" : "white");

const percent = (value) => `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %`;
const decimal = (value) => value.toFixed(2).replace("-", "\u2212");

/** An HTML or SVG element. Functions among the attributes are event listeners; false and null leave one out. */
function create(tag, attributes = {}, ...children) {
  const isSvg = ["svg", "g", "path", "rect", "text", "title"].includes(tag);
  const node = document.createElementNS(`http://www.w3.org/${isSvg ? "2000/svg" : "1999/xhtml"}`, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name.startsWith("aria-")) node.setAttribute(name, value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function fill(id, ...children) {
  document.getElementById(id).replaceChildren(...children);
}
