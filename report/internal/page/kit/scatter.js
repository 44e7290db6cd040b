// Scatter draws two columns of a table of runs against each other. Positions in a column are from 0
// to 1000, or -1 for no value. The picture in the page shows the first two columns without it.
class Scatter {
  constructor(svg, data) {
    Object.assign(this, { svg, data, left: 90, top: 12, width: 920, height: 380, chosen: null });
    this.hint =
      "Click on a mark to see its run. Drag to move, scroll with Ctrl or use two fingers to zoom, " +
      "or use the arrows, +, − and 0 in the picture.";
    this.whole();
    this.id("info").textContent = this.hint;
    touch(svg, this);
    const wheel = (e) => {
      if (!e.ctrlKey) return;
      e.preventDefault();
      const r = svg.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY / 300), e.clientX - r.left, e.clientY - r.top);
    };
    svg.addEventListener("wheel", wheel, { passive: false });
    svg.onkeydown = (e) => this.key(e);
    this.tools();
  }
  id(name) {
    return document.getElementById(name);
  }
  tools() {
    const x = this.id("x"),
      y = this.id("y");
    this.id("closer").onclick = () => this.zoom(1.4);
    this.id("farther").onclick = () => this.zoom(1 / 1.4);
    this.id("all").onclick = () => this.whole();
    x.onchange = y.onchange = () => this.whole();
    for (const box of document.querySelectorAll("[data-shows]"))
      box.onchange = () => {
        const all = document.querySelectorAll("[data-verdict='" + box.dataset.shows + "']");
        for (const e of all) e.style.display = box.checked ? "" : "none";
      };
    this.id("choose").hidden = false;
  }
  key(e) {
    const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (steps[e.key]) this.shift(...steps[e.key]);
    else if (e.key === "+") this.zoom(1.4);
    else if (e.key === "-") this.zoom(1 / 1.4);
    else if (e.key === "0") this.whole();
    else return;
    e.preventDefault();
  }
  // columns returns the columns on both axes
  columns() {
    return ["x", "y"].map((name) => this.data.columns[this.id(name).selectedIndex]);
  }
  // across and up are the part of both columns that is shown
  whole() {
    Object.assign(this, { across: [0, 1000], up: [0, 1000] });
    this.draw();
  }
  x(at) {
    return this.left + ((at - this.across[0]) * this.width) / (this.across[1] - this.across[0]);
  }
  y(at) {
    return this.top + this.height - ((at - this.up[0]) * this.height) / (this.up[1] - this.up[0]);
  }
  // pixels returns the length of a pixel in the coordinates of the picture
  pixels() {
    return this.svg.viewBox.baseVal.width / this.svg.getBoundingClientRect().width;
  }
  // part moves and resizes a part of a column, and keeps it within the column
  part([from, to], factor, about, shift) {
    const size = Math.min(1000, Math.max(20, (to - from) / factor)),
      at = (about - from) / (to - from),
      begin = Math.min(1000 - size, Math.max(0, about - at * size + shift));
    return [begin, begin + size];
  }
  // zoom keeps the position under the pointer, or the centre
  zoom(f, px, py) {
    const n = px === undefined ? 0 : this.pixels(),
      a = n ? (px * n - this.left) / this.width : 0.5,
      b = n ? (this.top + this.height - py * n) / this.height : 0.5,
      within = ([from, to], at) => from + at * (to - from);
    this.across = this.part(this.across, f, within(this.across, a), 0);
    this.up = this.part(this.up, f, within(this.up, b), 0);
    this.draw();
  }
  move(dx, dy) {
    const n = this.pixels();
    this.shift(dx * n, dy * n);
  }
  shift(dx, dy) {
    const { across, up } = this;
    this.across = this.part(across, 1, across[0], (-dx / this.width) * (across[1] - across[0]));
    this.up = this.part(up, 1, up[0], (dy / this.height) * (up[1] - up[0]));
    this.draw();
  }
  // marksOf returns the ticks of a part of a column; the whole column has its own
  marksOf(column, [from, to]) {
    const within = column.ticks.filter((t) => t.at >= from && t.at <= to),
      [low, high] = column.range ?? [0, 0],
      value = (at) => low + ((high - low) * at) / 1000;
    if (to - from >= 1000 || within.length > 3 || !(high > low)) return within;
    return ticks(value(from), value(to), 5)
      .map(([v, label]) => ({ at: ((v - low) / (high - low)) * 1000, label: String(label) }))
      .filter((t) => t.at >= from && t.at <= to);
  }
  draw() {
    const [a, b] = this.columns(),
      marks = ["h0", "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0", "m-3.5-3.5l7 7m0-7l-7 7"],
      text = (name) => ([...name].length > 60 ? [...name].slice(0, 59).join("") + "…" : name),
      place = (k) => "M" + this.x(a.at[k]).toFixed(1) + " " + this.y(b.at[k]).toFixed(1);
    this.axes(a, b);
    for (const path of document.querySelectorAll("path[data-verdict]")) {
      const v = +path.dataset.verdict,
        seen = new Set();
      this.data.verdicts.forEach((is, k) => {
        if (is === v && Math.min(a.at[k], b.at[k]) >= 0) seen.add(place(k) + marks[v]);
      });
      path.setAttribute("d", [...seen].join(""));
    }
    const k = this.chosen,
      none = k === null || Math.min(a.at[k], b.at[k]) < 0,
      ring = "m-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0";
    this.id("chosen").setAttribute("d", none ? "" : place(k) + ring);
    this.id("xname").textContent = text(a.name);
    this.id("yname").textContent = text(b.name);
  }
  axes(a, b) {
    const { left, top, width, height } = this,
      to = this.id("ticks"),
      add = (name, attributes, text) => {
        const e = document.createElementNS(to.namespaceURI, name);
        for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
        if (text !== undefined) e.textContent = text;
        to.append(e);
      };
    to.replaceChildren();
    for (const t of this.marksOf(a, this.across)) {
      const x = this.x(t.at);
      add("line", { class: "grid", x1: x, x2: x, y1: top - 6, y2: top + height + 6 });
      add("text", { x, y: top + height + 22, "text-anchor": "middle" }, t.label);
    }
    for (const t of this.marksOf(b, this.up)) {
      const y = this.y(t.at);
      add("line", { class: "grid", x1: left - 10, x2: left + width + 10, y1: y, y2: y });
      add("text", { x: left - 16, y: y + 4, "text-anchor": "end" }, t.label.slice(0, 12));
    }
  }
  // pick chooses the run nearest to a position, and names it
  pick(px, py) {
    const [a, b] = this.columns(),
      { cases, texts, verdicts } = this.data,
      n = this.pixels(),
      hidden = [...document.querySelectorAll("[data-shows]")]
        .filter((e) => !e.checked)
        .map((e) => +e.dataset.shows);
    let best = 15;
    this.chosen = null;
    verdicts.forEach((v, k) => {
      if (hidden.includes(v) || Math.min(a.at[k], b.at[k]) < 0) return;
      const far = Math.hypot(this.x(a.at[k]) - px * n, this.y(b.at[k]) - py * n);
      if (far < best) {
        best = far;
        this.chosen = k;
      }
    });
    const c = this.chosen,
      same = verdicts.filter((_, k) => k !== c && a.at[k] === a.at[c] && b.at[k] === b.at[c]).length;
    this.id("info").textContent =
      c === null ? this.hint : `Case ${cases[c]}, ${texts[c]}${same ? `; ${same} more here` : ""}`;
    this.draw();
  }
}
