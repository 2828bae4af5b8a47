// The header, the controls, the keyboard, and the start of the page.

/** Applies the changes, writes the fragment and draws the page again, or what `draw` draws of it. */
function update(changes, draw = render) {
  state = validState({ ...state, ...changes });
  history.replaceState(null, "", fragmentOf(state));
  draw();
}

function render() {
  document.documentElement.dataset.theme = state.theme;
  const focused = document.activeElement?.id;
  renderSummary();
  renderViewNames();
  renderControls();
  renderTheme();
  renderHelp();
  hideTooltip();
  RENDER_VIEW[state.view]();
  if (focused) document.getElementById(focused)?.focus();
}

const RENDER_VIEW = { heads: renderHeads, model: renderModel, matrix: renderMatrix, search: renderSearch };

// Header.

function renderSummary() {
  const { layers, heads } = shown();
  const row = (name, text) => [create("dt", {}, name), create("dd", { dir: "auto" }, text || "(empty)")];
  fill("summary",
    ...row("Source", data.source_text), ...row("Target", data.target_text),
    ...row("Model", `${data.model} · ${layers} ${layers === 1 ? "layer" : "layers"} of ${heads} ${
      heads === 1 ? "head" : "heads"}`));
}

function renderViewNames() {
  const names = Object.keys(VIEWS).filter((name) => name !== "search" || data.search);
  fill("views", ...names.map((name) => create("button", {
    type: "button", id: `view-${name}`, "aria-pressed": state.view === name, click: () => update({ view: name }),
  }, VIEWS[name])));
}

const isDark = () => (state.theme ? state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

function renderTheme() {
  const other = isDark() ? "light" : "dark";
  const button = document.getElementById("theme");
  button.textContent = isDark() ? "☀" : "☾";
  button.title = `Switch to ${other} colors`;
  button.setAttribute("aria-label", button.title);
  button.onclick = () => update({ theme: other });
}

// Controls.

function renderControls() {
  if (state.view === "search") return fill("controls", ...searchControls());
  const selection = state.view === "model" ? [] : [layerControl(), headControl()];
  fill("controls", kindControl(), ...selection, optionControl());
}

const group = (label, ...children) => create("div", { class: "group", role: "group", "aria-label": label },
  create("span", { class: "label", "aria-hidden": "true" }, label), create("span", { class: "buttons" }, ...children));

const choice = (id, text, label, pressed, click) => create("button", {
  type: "button", id, "aria-pressed": pressed, "aria-label": label, click,
}, text);

function kindControl() {
  return group("Attention", ...Object.entries(KINDS).map(([kind, { title, short }]) => choice(
    `kind-${kind}`, short, title, kind === state.attention, () => update({ attention: kind, word: "" }))));
}

function layerControl() {
  return group("Layer", ...numbers(shown().layers).map((layer) => choice(
    `layer-${layer}`, layer, `Layer ${layer}`, layer === state.layer, () => update({ layer }))));
}

function headControl() {
  const all = numbers(shown().heads);
  return group("Heads", ...all.map(headSwatch),
    create("button", { type: "button", id: "heads-all", click: () => update({ heads: all }) }, "all"),
    create("button", { type: "button", id: "heads-none", click: () => update({ heads: [] }) }, "none"));
}

function headSwatch(head) {
  return create("button", {
    type: "button", id: `head-${head}`, class: "swatch", style: swatchStyle(headColor(head)),
    "aria-pressed": state.heads.includes(head), "aria-label": `Head ${head}`,
    title: `Head ${head}: click to toggle, double-click or Shift to isolate`,
    click: (event) => clickHead(head, event),
  }, head);
}

const swatchStyle = (color) => `--color: ${color}; --on-color: ${textColorOn(luminance(color))}`;

// A dblclick event would be lost, because the first click draws the buttons anew.
let lastHeadClick = { head: null, time: 0 };

function clickHead(head, event) {
  const isDouble = lastHeadClick.head === head && event.timeStamp - lastHeadClick.time < 400;
  lastHeadClick = { head, time: event.timeStamp };
  if (isDouble || event.shiftKey) update({ heads: [head] });
  else toggleHead(head);
}

function toggleHead(head) {
  if (head < 1 || head > shown().heads) return;
  const others = state.heads.filter((other) => other !== head);
  const heads = others.length < state.heads.length ? others : [...others, head];
  update({ heads });
}

function optionControl() {
  const mean = option("mean", "mean over heads", state.mean, (checked) => update({ mean: checked }));
  const merge = option("merge", "merge word pieces", state.merge, toggleMerge);
  return group("Show", ...(state.view === "heads" ? [mean, merge] : [merge]));
}

function option(id, text, checked, change) {
  const box = create("input", { type: "checkbox", id, change: (event) => change(event.target.checked) });
  box.toggleAttribute("checked", checked);
  return create("label", { class: "option" }, box, text);
}

/** A word's index changes with merging; the isolated word is the one that holds the same piece. */
function toggleMerge() {
  const merge = !state.merge;
  let word = "";
  if (state.word) {
    const side = sideOf(state.word);
    const piece = wordsOf(state.attention, side)[Number(state.word.slice(1))].pieces[0];
    const index = wordsOf(state.attention, side, merge).findIndex(({ pieces }) => pieces.includes(piece));
    word = state.word[0] + index;
  }
  update({ merge, word });
}

// Help and keyboard.

function renderHelp() {
  const key = (name) => create("kbd", {}, name);
  const attention = [key("←"), " ", key("→"), " layer · ", key("1"), "–", key("9"), " toggle head · ", key("a"),
    " all heads · ", key("m"), " merge word pieces · ", key("↑"), " ", key("↓"), " next word · ", key("Esc"),
    " release the word."];
  const search = [key("←"), " ", key("→"), " step · ", key("d"), " dropped candidates"];
  fill("help", ...(state.view === "search" ? search : attention));
}

const KEYS = {
  ArrowLeft: () => move(-1),
  ArrowRight: () => move(1),
  Escape: releaseWord,
  m: toggleMerge,
  a: () => update({ heads: numbers(shown().heads) }),
  d: () => update({ dropped: !state.dropped }),
};

function move(by) {
  update(state.view === "search" ? { step: state.step + by } : { layer: state.layer + by });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.type === "range") return;
  if (KEYS[event.key]) KEYS[event.key]();
  else if (/^\d$/.test(event.key)) toggleHead(Number(event.key));
  else return;
  event.preventDefault();
}

let width = innerWidth; // phones change the height while the page is scrolled
addEventListener("keydown", onKey);
addEventListener("hashchange", () => { state = stateFromFragment(); render(); });
addEventListener("resize", () => { if (innerWidth !== width) RENDER_VIEW[state.view](); width = innerWidth; });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
state = stateFromFragment();
render();
