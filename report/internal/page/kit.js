"use strict";
// Parts of pages that show what happened over time: one clock, which everything on the page
// follows, its controls, and curves.

const color = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();
const element = (kind, to, attributes = {}, text) => {
  const e = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  if (text !== undefined) e.textContent = text;
  return to ? to.appendChild(e) : e;
};
// lastAt is the place of the last time that is not later, 0 before the first one.
const lastAt = (times, t) => {
  let low = 0,
    high = times.length - 1;
  while (low < high) {
    const k = (low + high + 1) >> 1;
    if (times[k] <= t) low = k;
    else high = k - 1;
  }
  return low;
};

// Clock is the time that all parts of a page share, in seconds.
class Clock {
  constructor(first, last, moments) {
    Object.assign(this, {
      first,
      last,
      moments,
      now: first,
      speed: 1,
      listeners: [],
      running: false,
      loop: false,
    });
  }
  listen(what) {
    this.listeners.push(what);
    what(this.now);
  }
  set(t) {
    this.now = Math.max(this.first, Math.min(this.last, t));
    for (const l of this.listeners) l(this.now);
  }
  index() {
    return lastAt(this.moments, this.now + 1e-9);
  }
  step(n) {
    this.pause();
    this.set(this.moments[Math.max(0, Math.min(this.moments.length - 1, this.index() + n))]);
  }
  pause() {
    this.running = false;
    this.set(this.now);
  }
  play() {
    if (this.now >= this.last) this.now = this.first;
    this.running = true;
    let before = performance.now();
    const tick = (now) => {
      if (!this.running) return;
      const t = this.now + ((now - before) / 1000) * this.speed;
      before = now;
      if (t >= this.last) {
        this.running = false;
        this.set(this.last);
        return;
      }
      this.set(t);
      requestAnimationFrame(tick);
    };
    this.set(this.now);
    requestAnimationFrame(tick);
  }
  toggle() {
    if (this.running) this.pause();
    else this.play();
  }
}

const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

// controls make a bar for a clock, and keys for the whole page.
function controls(to, clock) {
  to.classList.add("bar");
  const button = (text, name, what) => {
    const b = element("button", to, { type: "button", "aria-label": name, title: name }, text);
    b.onclick = what;
    return b;
  };
  button("|◀", "to the beginning (Home)", () => clock.set(clock.first));
  button("◀", "one moment back (left arrow)", () => clock.step(-1));
  const play = button("▶ Play", "play or pause (space)", () => clock.toggle());
  play.id = "play";
  button("▶", "one moment on (right arrow)", () => clock.step(1));
  const slider = element("input", to, {
    type: "range",
    id: "time",
    min: clock.first,
    max: clock.last,
    step: "any",
    "aria-label": "time in seconds",
  });
  const now = element("output", to, { id: "now" });
  const speed = element("select", to, { id: "speed", "aria-label": "speed of the playback" });
  for (const s of speeds) element("option", speed, { value: s }, s + "×");
  speed.value = clock.speed;
  speed.onchange = () => {
    clock.speed = +speed.value;
  };
  slider.oninput = () => clock.set(+slider.value);
  clock.listen((t) => {
    slider.value = t;
    now.value = t.toFixed(clock.last - clock.first < 5 ? 3 : 2) + " s";
    play.textContent = clock.running ? "⏸ Pause" : "▶ Play";
  });
  document.addEventListener("keydown", (e) => {
    if (
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target !== slider)
    )
      return;
    if (e.key === " " && e.target.tagName === "BUTTON") return;
    const faster = (n) => {
      const k = Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(clock.speed) + n));
      clock.speed = speeds[k];
      speed.value = speeds[k];
    };
    const keys = {
      " ": () => clock.toggle(),
      ArrowLeft: () => clock.step(e.shiftKey ? -10 : -1),
      ArrowRight: () => clock.step(e.shiftKey ? 10 : 1),
      Home: () => clock.set(clock.first),
      End: () => clock.set(clock.last),
      "+": () => faster(1),
      "-": () => faster(-1),
    };
    if (keys[e.key]) {
      e.preventDefault();
      keys[e.key]();
    }
  });
  for (const a of document.querySelectorAll("[data-at]"))
    a.addEventListener("click", () => {
      clock.pause();
      clock.set(+a.dataset.at);
    });
}

// sized makes the pixels of a canvas those of the screen.
function sized(canvas) {
  const ratio = window.devicePixelRatio || 1,
    w = canvas.clientWidth,
    h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  return [g, w, h];
}

// round numbers for an axis, about n of them
function ticks(low, high, n) {
  const raw = (high - low) / Math.max(1, n),
    unit = 10 ** Math.floor(Math.log10(raw)),
    step = [1, 2, 5, 10].find((k) => k * unit >= raw) * unit,
    list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    list.push([k * step, +(k * step).toPrecision(12)]);
  return list;
}
const short = (x) =>
  x === null || x === undefined || Number.isNaN(x)
    ? "–"
    : Math.abs(x) >= 1e6 || (x !== 0 && Math.abs(x) < 1e-3)
      ? x.toExponential(2)
      : "" + +x.toPrecision(5);

const palette = [
  "#1f77d0",
  "#d1660a",
  "#2b8a3e",
  "#c2255c",
  "#7048c8",
  "#0b8599",
  "#946200",
  "#5c6773",
];

// Curves lets a reader choose among curves, and draws them on one axis of time. A curve has a
// channel, a path, values (null, a number, or the least and the greatest one of an interval), and
// times of its own if they are not the common ones.
class Curves {
  constructor(to, data, clock, first) {
    Object.assign(this, {
      data,
      clock,
      view: [clock.first, Math.max(clock.last, clock.first + 1e-3)],
      chosen: [],
      panels: [],
    });
    this.picker = element("div", to, { class: "picker" });
    this.area = element("div", to);
    this.search = element("input", this.picker, {
      type: "search",
      id: "search",
      placeholder: `search ${data.list.length} curves, such as velocity.x or id=7`,
      "aria-label": "search curves",
    });
    this.results = element("ul", this.picker, { id: "found" });
    this.search.oninput = () => this.find();
    for (const k of first) this.chosen.push(k);
    this.find();
    this.arrange();
    clock.listen(() => this.draw());
    window.addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }
  name(k) {
    const c = this.data.list[k];
    return c.channel ? c.channel + ": " + c.path : c.path;
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
      label.append(" " + this.name(k));
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
    this.area.replaceChildren();
    this.panels = [...groups.values()].map((list) => {
      const panel = element("div", this.area, { class: "panel" }),
        names = element("div", panel, { class: "names" });
      const values = list.map((k, n) => {
        const span = element("span", names),
          swatch = element("i", span);
        swatch.style.background = palette[n % palette.length];
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
      this.gestures(canvas);
      return { list, values, canvas };
    });
    this.draw();
  }
  gestures(canvas) {
    const left = 62,
      time = (e) => {
        const r = canvas.getBoundingClientRect();
        return (
          this.view[0] +
          ((e.clientX - r.left - left) / (r.width - left - 8)) * (this.view[1] - this.view[0])
        );
      };
    let drag = null;
    canvas.addEventListener(
      "wheel",
      (e) => {
        if (!e.ctrlKey && !e.shiftKey) return;
        e.preventDefault();
        const t = time(e),
          f = Math.exp((e.deltaY || e.deltaX) / 400);
        this.view = [
          Math.max(this.clock.first, t + (this.view[0] - t) * f),
          Math.min(this.clock.last, t + (this.view[1] - t) * f),
        ];
        if (this.view[1] - this.view[0] < 1e-4) this.view[1] = this.view[0] + 1e-4;
        this.draw();
      },
      { passive: false },
    );
    canvas.onpointerdown = (e) => {
      drag = [time(e), e.clientX, false];
      canvas.setPointerCapture(e.pointerId);
    };
    canvas.onpointermove = (e) => {
      if (drag) {
        this.clock.pause();
        this.clock.set(time(e));
      }
    };
    canvas.onpointerup = (e) => {
      if (drag) {
        this.clock.pause();
        this.clock.set(time(e));
      }
      drag = null;
    };
    canvas.ondblclick = () => {
      this.view = [this.clock.first, this.clock.last];
      this.draw();
    };
  }
  draw() {
    this.panels.forEach((p, n) => this.panel(p, n === this.panels.length - 1));
  }
  panel(p, bottom) {
    p.canvas.style.height = bottom ? "168px" : "150px";
    const [g, w, h] = sized(p.canvas),
      left = 62,
      right = 8,
      top = 6,
      low = bottom ? 22 : 6,
      [x0, x1] = this.view;
    if (w < 100) return;
    let least = Infinity,
      greatest = -Infinity,
      names = null;
    for (const k of p.list) {
      const c = this.data.list[k],
        times = c.times ?? this.data.times;
      names = c.names ?? names;
      c.values.forEach((v, i) => {
        if (v === null || times[i] < x0 || times[i] > x1) return;
        const [a, b] = Array.isArray(v) ? v : [v, v];
        least = Math.min(least, a);
        greatest = Math.max(greatest, b);
      });
    }
    if (!(least <= greatest)) {
      least = 0;
      greatest = 1;
    }
    if (greatest - least < 1e-9 * Math.max(1, Math.abs(least))) {
      least -= 0.5;
      greatest += 0.5;
    }
    const margin = 0.06 * (greatest - least);
    least -= margin;
    greatest += margin;
    const X = (t) => left + ((w - left - right) * (t - x0)) / (x1 - x0),
      Y = (v) => top + ((h - top - low) * (greatest - v)) / (greatest - least);
    g.font = "11px system-ui, sans-serif";
    g.lineWidth = 1;
    g.strokeStyle = color("edge");
    g.fillStyle = color("soft");
    g.textAlign = "right";
    g.textBaseline = "middle";
    const marks =
      names && greatest - least < 12
        ? ticks(least, greatest, 12).filter(([v]) => Number.isInteger(v))
        : ticks(least, greatest, 4);
    for (const [v, text] of marks) {
      g.beginPath();
      g.moveTo(left, Y(v));
      g.lineTo(w - right, Y(v));
      g.stroke();
      g.fillText(short(text), left - 6, Y(v));
    }
    g.textAlign = "center";
    g.textBaseline = "alphabetic";
    for (const [t, text] of ticks(x0, x1, w / 110)) {
      g.beginPath();
      g.moveTo(X(t), top);
      g.lineTo(X(t), h - low);
      g.stroke();
      if (bottom) g.fillText(text + " s", Math.min(X(t), w - right - 18), h - 6);
    }
    g.save();
    g.beginPath();
    g.rect(left, 0, w - left - right, h - low);
    g.clip();
    p.list.forEach((k, n) => this.curve(g, this.data.list[k], palette[n % palette.length], X, Y));
    g.strokeStyle = color("cursor");
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(X(this.clock.now), top);
    g.lineTo(X(this.clock.now), h - low);
    g.stroke();
    g.restore();
    p.list.forEach((k, n) => {
      p.values[n].textContent = this.text(k);
    });
  }
  // what a curve is at the time of the clock: the newest value, if it is not long ago
  value(k) {
    const c = this.data.list[k],
      times = c.times ?? this.data.times;
    const late = this.clock.now + this.half();
    for (let i = lastAt(times, late); i >= 0; i--) {
      if (c.values[i] !== null && times[i] <= late)
        return this.clock.now - times[i] > this.gap(c) ? null : c.values[i];
    }
    return null;
  }
  half() {
    return this.data.times.length > 1 ? (this.data.times[1] - this.data.times[0]) / 2 : 0;
  }
  text(k) {
    const v = this.value(k),
      names = this.data.list[k].names,
      one = (x) => names?.[x] ?? short(x);
    return v === null ? "–" : Array.isArray(v) ? one(v[0]) + " … " + one(v[1]) : one(v);
  }
  // how long values may be missing before a curve breaks
  gap(c) {
    if (c.gap === undefined) {
      const times = c.times ?? this.data.times,
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
  curve(g, c, stroke, X, Y) {
    const times = c.times ?? this.data.times,
      gap = this.gap(c);
    g.strokeStyle = stroke;
    g.lineWidth = 1.6;
    g.lineJoin = "round";
    g.beginPath();
    let before = null,
      y = 0,
      alone = false;
    const dot = () => {
      if (alone) g.lineTo(X(before) + 1.5, y);
    };
    c.values.forEach((v, i) => {
      if (v === null) return;
      const x = X(times[i]),
        [a, b] = Array.isArray(v) ? v : [v, v];
      if (before === null || times[i] - before > gap) {
        dot();
        g.moveTo(x, Y(a));
        alone = true;
      } else {
        if (c.names) g.lineTo(x, y);
        g.lineTo(x, Y(a));
        alone = false;
      }
      if (b !== a) g.lineTo(x, Y(b));
      y = Y(b);
      before = times[i];
    });
    dot();
    g.stroke();
  }
}
