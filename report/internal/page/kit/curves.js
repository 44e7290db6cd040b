// Curves lets a reader choose among curves, and draws them on one time axis. A curve has a channel,
// a path, values (null, a number, or the minimum and maximum of an interval), and its own times if
// they differ from the common ones.
class Curves {
  constructor(to, data, clock, axis, first) {
    Object.assign(this, { data, clock, axis, chosen: [...first], panels: [] });
    this.picker = element("div", to, { class: "picker" });
    this.area = element("div", to);
    this.note = element("p", to, { class: "sub", id: "thinned" });
    button(to, "Save these curves as CSV", "save the chosen curves as CSV", () => this.save());
    this.search = element("input", this.picker, {
      type: "search",
      id: "search",
      placeholder: `search ${data.list.length} curve${data.list.length === 1 ? "" : "s"} by name`,
      "aria-label": "search curves",
    });
    this.results = element("ul", this.picker, { id: "found" });
    const longest = Math.max(0, ...data.list.slice(0, 500).map((_, k) => this.name(k).length));
    this.results.style.setProperty("--wide", Math.min(520, Math.max(160, 30 + 6.5 * longest)) + "px");
    this.search.oninput = () => this.find();
    this.find();
    this.arrange();
    axis.listen(() => this.draw());
  }
  name(k) {
    const c = this.data.list[k];
    return (c.channel ? c.channel + ": " : "") + c.path + (c.unit ? ", " + c.unit : "");
  }
  // thinned returns the length of the intervals of a curve if only their extremes are in the page,
  // or 0
  thinned(c) {
    if (!c.values.some(Array.isArray)) return 0;
    const times = this.times(c);
    return (times.at(-1) - times[0]) / (times.length - 1);
  }
  find() {
    const words = this.search.value.toLowerCase().split(/\s+/),
      most = 100;
    this.results.replaceChildren();
    let n = 0;
    this.data.list.forEach((c, k) => {
      if (!words.every((w) => this.name(k).toLowerCase().includes(w)) || n++ >= most) return;
      const label = element("label", element("li", this.results)),
        box = element("input", label, { type: "checkbox" });
      box.checked = this.chosen.includes(k);
      element("span", label, {}, this.name(k));
      box.onchange = () => {
        this.chosen = box.checked ? [...this.chosen, k] : this.chosen.filter((x) => x !== k);
        this.arrange();
      };
    });
    if (n > most) element("li", this.results, {}, `and ${n - most} more`);
    if (!n) element("li", this.results, {}, "no curve has these words in its name");
  }
  // curves of one field of several objects or channels share a panel
  arrange() {
    const groups = new Map();
    for (const k of this.chosen) {
      const c = this.data.list[k],
        key = c.group ?? c.path.replace(/\[[^\]]*\]/g, "[*]");
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(k);
    }
    const all = this.chosen.map((k) => this.thinned(this.data.list[k])).filter((s) => s > 0),
      ends = [...new Set([Math.min(...all), Math.max(...all)].map((s) => +s.toPrecision(2)))];
    this.note.textContent = all.length
      ? `Thinned to what a screen can show: minimum and maximum of every ${ends.join(" to ")} s.`
      : "";
    this.area.replaceChildren();
    this.panels = [...groups.values()].map((list) => {
      const panel = element("div", this.area, { class: "panel" }),
        names = element("div", panel, { class: "names" });
      const values = list.map((k, n) => {
        const span = element("span", names),
          swatch = element("i", span);
        swatch.style.background = this.data.list[k].color ?? `var(--${hue(n)})`;
        span.append(this.name(k) + " ");
        const value = element("b", span);
        element(
          "button",
          span,
          { type: "button", "aria-label": "remove " + this.name(k) },
          "×",
        ).onclick = () => {
          this.chosen = this.chosen.filter((x) => x !== k);
          this.find();
          this.arrange();
        };
        return value;
      });
      const canvas = element("canvas", panel, {
        role: "img",
        "aria-label": list.map((k) => this.name(k)).join(", ") + " over time",
      });
      this.axis.gestures(canvas);
      const p = { list, values, canvas };
      canvas.addEventListener("pointermove", (e) => {
        this.over = { panel: p, x: e.clientX - canvas.getBoundingClientRect().left };
        this.draw();
      });
      canvas.addEventListener("pointerleave", () => {
        this.over = null;
        this.draw();
      });
      return p;
    });
    this.draw();
  }
  draw() {
    this.panels.forEach((p, n) => {
      plot(p.canvas, this.axis, this, p.list, n === this.panels.length - 1);
      if (this.over?.panel === p) readout(p.canvas, this.axis, this, p.list, this.over.x);
      p.list.forEach((k, n) => {
        p.values[n].textContent = this.text(k);
      });
    });
  }
  times(c) {
    return c.times ?? this.data.channels?.[c.channel] ?? this.data.times;
  }
  // the value of a curve at a time: the newest one, unless it is too old
  value(k, t) {
    const c = this.data.list[k],
      times = this.times(c),
      late = t + 1e-6;
    for (let i = lastAt(times, late); i >= 0; i--) {
      if (c.values[i] !== null && times[i] <= late)
        return t - times[i] > this.gap(c) ? null : c.values[i];
    }
    return null;
  }
  text(k, t = this.clock.now) {
    const v = this.value(k, t),
      names = this.data.list[k].names,
      one = (x) => names?.[x] ?? "" + +x.toPrecision(10);
    return v === null ? "–" : Array.isArray(v) ? one(v[0]) + " … " + one(v[1]) : one(v);
  }
  // how long values may be missing before a curve breaks
  gap(c) {
    if (c.steps) return Infinity; // the value holds until it changes
    if (c.gap === undefined) {
      const times = this.times(c),
        steps = [];
      let before = null;
      c.values.forEach((v, i) => {
        if (v !== null) {
          if (before !== null) steps.push(times[i] - before);
          before = times[i];
        }
      });
      steps.sort((a, b) => a - b);
      c.gap = 3.5 * (steps[steps.length >> 1] ?? 1);
    }
    return c.gap;
  }
  // the chosen curves as a table, with minima and maxima where they are thinned
  save() {
    const rows = new Map();
    this.chosen.forEach((k, n) => {
      const c = this.data.list[k];
      c.values.forEach((v, i) => {
        if (v === null) return;
        const t = this.times(c)[i];
        if (!rows.has(t)) rows.set(t, []);
        rows.get(t)[n] = v;
      });
    });
    const cell = (v) => (Array.isArray(v) ? v : [v ?? "", v ?? ""]),
      quoted = (text) => `"${text.replaceAll('"', '""')}"`,
      names = this.chosen.flatMap((k) => [this.name(k) + " least", this.name(k) + " greatest"]);
    const lines = [...rows.entries()]
      .sort((a, b) => a[0] - b[0])
      .map(([t, v]) => [t, ...this.chosen.flatMap((_, n) => cell(v[n]))].join(","));
    const text = [["time", ...names.map(quoted)].join(","), ...lines, ""].join("\n"),
      link = element("a", null, {
        href: URL.createObjectURL(new Blob([text], { type: "text/csv" })),
        download: document.title.replace(/[^\w.-]+/g, "_") + ".csv",
      });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
