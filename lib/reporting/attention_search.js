// The search view: the hypotheses of beam search as a tree, from left to right, and the candidates of one step.

const NODE = { width: 92, height: 42, columnGap: 28, rowGap: 10, top: 24 };
const MAX_BEFORE = 60; // characters of a hypothesis before its newest piece
const STATES = { live: "kept", finished: "finished", dropped: "dropped" };

function searchControls() {
  const slider = create("input", {
    type: "range", id: "step", min: 1, max: Math.max(lastStep(), 1), "aria-label": "Step",
    // The slider itself stays while it is dragged.
    input: (event) => update({ step: Number(event.target.value) }, renderSearch),
  });
  slider.value = state.step;
  const button = (id, text, label, by) => create("button", { type: "button", id, "aria-label": label,
    click: () => move(by) }, text);
  return [
    group("Step", button("step-back", "‹", "Previous step", -1), slider, button("step-on", "›", "Next step", 1),
      create("output", { id: "step-text" })),
    group("Show", option("dropped", "dropped candidates", state.dropped, (dropped) => update({ dropped }))),
  ];
}

function renderSearch() {
  const { beam_size: beamSize, length_penalty: penalty } = data.search;
  const layout = treeLayout();
  const scroll = create("div", { class: "scroll tree", tabindex: 0, role: "group", "aria-label": "Tree of hypotheses" },
    tree(layout));
  fill("view", scroll, stateLegend(), candidateTable());
  fill("caption", `Beam search, beam size ${beamSize}, length penalty ${penalty}: score = log-probability / penalty. ` +
    "Below each piece: its score and its probability.");
  fill("step-text", `${state.step} of ${lastStep()}`);
  scrollToStep(scroll, layout);
}

function scrollToStep(scroll, layout) {
  const left = columnX(state.step) - scroll.clientWidth + 2 * (NODE.width + NODE.columnGap);
  scroll.scrollLeft = clamp(left, 0, layout.width);
}

const shownNodes = () => data.search.nodes.filter((node) => state.dropped || node.state !== "dropped");
const columnX = (step) => 2 + step * (NODE.width + NODE.columnGap);

const nodesById = new Map((data.search?.nodes ?? []).map((node) => [node.id, node]));

/** The nodes from the root to this one. */
function pathTo(node) {
  const path = [];
  for (let at = node; at; at = nodesById.get(at.parent)) path.unshift(at);
  return path;
}

/** The ids of the best hypothesis's nodes. */
const bestPath = () => new Set(pathTo(nodesById.get(data.search.best)).map(({ id }) => id));

/** The position of each node. Children stand in the order of their parents, so that edges do not cross. */
function treeLayout() {
  const columns = range(lastStep() + 1).map(() => []);
  for (const node of shownNodes()) columns[node.step].push(node);
  const rows = Math.max(...columns.map((column) => column.length));
  const pitch = NODE.height + NODE.rowGap;
  const order = new Map();
  const positions = new Map();
  columns.forEach((column, step) => {
    column.sort((a, b) => (order.get(a.parent) ?? 0) - (order.get(b.parent) ?? 0) || b.score - a.score);
    column.forEach((node, row) => {
      order.set(node.id, row);
      positions.set(node.id, { x: columnX(step), y: NODE.top + (row + (rows - column.length) / 2) * pitch });
    });
  });
  return { positions, width: columnX(lastStep()) + NODE.width + 2, height: NODE.top + rows * pitch };
}

function tree({ positions, width, height }) {
  const best = bestPath();
  const nodes = shownNodes().filter((node) => positions.has(node.id));
  const edges = nodes.filter((node) => positions.has(node.parent)).map((node) => edge(node, positions, best));
  edges.sort((a, b) => a.classList.contains("best") - b.classList.contains("best")); // the winning path on top
  return create("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    currentColumn(height), ...range(lastStep() + 1).map(stepNumber), ...edges,
    ...nodes.map((node) => treeNode(node, positions.get(node.id), best)));
}

const currentColumn = (height) => create("rect", {
  class: "current-step", x: columnX(state.step) - 8, width: NODE.width + 16, height, rx: 10,
});

const stepNumber = (step) => create("text", {
  class: "step-number", x: columnX(step) + NODE.width / 2, y: 15,
}, step === 0 ? "step" : step);

const nodeClass = (node, best) => `${node.state}${best.has(node.id) ? " best" : ""}${
  node.step > state.step ? " later" : ""}`;

function edge(node, positions, best) {
  const from = positions.get(node.parent);
  const to = positions.get(node.id);
  const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + NODE.height / 2, to.x, to.y + NODE.height / 2];
  const middle = (x1 + x2) / 2;
  const line = `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  return create("path", { class: `edge ${nodeClass(node, best)}`, d: line });
}

function treeNode(node, { x, y }, best) {
  const text = (content, dy, name) => create("text", { x: NODE.width / 2, y: dy, class: name }, content);
  const isRoot = node.parent < 0;
  return create("g", {
    class: `node ${nodeClass(node, best)}`, transform: `translate(${x} ${y})`, "data-id": node.id,
    click: () => update({ step: Math.max(node.step, 1) }),
  },
  create("title", {}, isRoot ? "start" : `${hypothesisOf(node)} (${STATES[node.state]})`),
  create("rect", { width: NODE.width, height: NODE.height, rx: 8 }),
  text(isRoot ? "start" : shortened(node.piece), isRoot ? 26 : 18, "piece"),
  isRoot ? "" : text(`${decimal(node.score)} · ${tokenPercent(node)}`, 34, "numbers"));
}

const shortened = (piece) => ([...piece].length > 10 ? `${[...piece].slice(0, 9).join("")}…` : piece);
const tokenPercent = (node) => percent(Math.exp(node.token_log_prob));

/** The text of a hypothesis up to this node. */
function hypothesisOf(node) {
  const pieces = pathTo(node).map(({ piece }) => (piece === "</s>" ? " </s>" : piece));
  return pieces.join("").replaceAll("▁", " ").trim();
}

function stateLegend() {
  const item = (name, text) => create("span", { class: `item ${name}` }, text);
  return create("p", { class: "legend" }, item("live", "kept in the beam"), item("finished", "finished with </s>"),
    item("dropped", "dropped"), item("best", "best hypothesis"));
}

/** The candidates of the current step, the best first. */
function candidateTable() {
  const best = bestPath();
  const candidates = shownNodes().filter((node) => node.step === state.step && node.parent >= 0);
  candidates.sort((a, b) => b.score - a.score);
  const titles = ["Hypothesis", "Probability", "Log-prob.", "Score", "State"];
  return create("div", { class: "scroll" }, create("table", { class: "candidates" },
    create("caption", {}, `Candidates of step ${state.step}`),
    create("thead", {}, create("tr", {}, ...titles.map((title) => create("th", { scope: "col" }, title)))),
    create("tbody", {}, ...candidates.map((node) => candidateRow(node, best.has(node.id))))));
}

function candidateRow(node, isBest) {
  const cells = [tokenPercent(node), decimal(node.log_prob), decimal(node.score), STATES[node.state]];
  return create("tr", { class: `${node.state}${isBest ? " best" : ""}` },
    create("td", { dir: "auto" }, ...markedHypothesis(node)), ...cells.map((text) => create("td", {}, text)));
}

/** The end of the hypothesis with its newest piece marked. */
function markedHypothesis(node) {
  const text = hypothesisOf(node);
  const piece = node.piece.replaceAll("▁", " ").trim();
  const before = text.slice(0, text.length - piece.length);
  return [before.length > MAX_BEFORE ? `…${before.slice(-MAX_BEFORE)}` : before, create("b", {}, piece)];
}
