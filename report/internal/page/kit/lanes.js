// Lanes show what a machine, or something else, was doing over time: bars within bars that
// never cover each other. A lane has a name and bars, each with from, to, a text and a kind.
class Lanes {
  constructor(to, lanes, clock, axis) {
    Object.assign(this, { clock, axis, height: 21 });
    this.panels = lanes.map((lane) => {
      const panel = element("div", to, { class: "panel" }),
        names = element("div", panel, { class: "names" });
      element("b", names, {}, lane.name);
      const now = element("span", names, { class: "states" }),
        canvas = element("canvas", panel, { role: "img", "aria-label": this.described(lane) }),
        rows = this.stack(lane.bars);
      canvas.style.height = rows * this.height + 26 + "px";
      axis.gestures(canvas);
      const p = { lane, now, canvas, rows };
      canvas.addEventListener("pointermove", (e) => {
        canvas.title = this.under(p, e);
      });
      return p;
    });
    axis.listen(() => this.draw());
  }
  described(lane) {
    const most = 40,
      texts = lane.bars.slice(0, most).map((b) => `${b.text} from ${short(b.from)} to ${short(b.to)} s`);
    if (lane.bars.length > most) texts.push(`and ${lane.bars.length - most} more`);
    return `${lane.name} over time: ${texts.join(", ")}`;
  }
  // stack gives each bar a row: the first free one below the bars that contain it
  stack(bars) {
    const ends = [];
    const instant = (b) => (b.to > b.from ? 1 : 0), // it ends before the next one begins
      order = (a, b) =>
        a.from - b.from || instant(a) - instant(b) || b.to - a.to || a.order - b.order;
    for (const b of [...bars].sort(order)) {
      let row = ends.findIndex((end) => end <= b.from + 1e-9);
      if (row < 0) row = ends.length;
      ends[row] = Math.max(b.to, b.from + 1e-9);
      b.row = row;
    }
    return Math.max(1, ends.length);
  }
  under(p, e) {
    const r = p.canvas.getBoundingClientRect(),
      X = this.axis.x(r.width),
      row = Math.floor((e.clientY - r.top - 2) / this.height),
      x = e.clientX - r.left,
      b = p.lane.bars.findLast((b) => b.row === row && X(b.from) - 1 <= x && x <= X(b.to) + 1);
    return b ? `${b.text}: ${short(b.from)} to ${short(b.to)} s` : "";
  }
  draw() {
    for (const p of this.panels) this.panel(p);
  }
  panel(p) {
    const [g, w] = sized(p.canvas),
      low = p.rows * this.height + 4,
      now = this.clock.now;
    p.now.textContent = p.lane.bars
      .filter((b) => b.from <= now + 1e-9 && (now < b.to || (b.to >= this.clock.last && now <= b.to)))
      .map((b) => b.text)
      .join(" · ");
    if (w < 100) return;
    this.axis.lines(g, w, 2, low, true);
    this.axis.inside(g, w, 2, low, () => {
      for (const b of p.lane.bars) this.bar(g, b, this.axis.x(w));
    });
  }
  bar(g, b, X) {
    const x = X(b.from),
      width = Math.max(2, X(b.to) - x),
      y = 2 + b.row * this.height + 1,
      h = this.height - 3,
      fill = color(b.kind === "bad" ? "bad" : hue(this.number(b.text)));
    g.fillStyle = color("card");
    g.fillRect(x, y, width, h);
    g.globalAlpha = 0.25;
    g.fillStyle = fill;
    g.fillRect(x, y, width, h);
    g.globalAlpha = 1;
    g.fillRect(x, y, Math.min(3, width), h);
    if (b.kind === "bad") {
      g.strokeStyle = fill;
      g.lineWidth = 1;
      g.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), h - 1);
    }
    const from = Math.max(x, this.axis.left),
      room = x + width - from - 9;
    if (room < 14) return;
    g.fillStyle = color("ink");
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillText(fitted(g, b.text, room), from + 6, y + h / 2 + 0.5);
  }
  number(text) {
    let n = 7;
    for (const c of text) n = (n * 31 + c.codePointAt(0)) % 9973;
    return n % hues;
  }
}

// fitted shortens a text to the available width.
function fitted(g, text, room) {
  if (g.measureText(text).width <= room) return text;
  let n = text.length;
  while (n > 0 && g.measureText(text.slice(0, n) + "…").width > room) n--;
  return n > 0 ? text.slice(0, n) + "…" : "";
}
