// Clock is the time that all parts of a page share, in seconds. Moments are the times at which
// something is shown; changes are the times at which something happened.
class Clock {
  constructor(first, last, moments, changes = []) {
    Object.assign(this, { first, last, moments, changes });
    Object.assign(this, { now: first, speed: 1, listeners: [], running: false, loop: false });
  }
  listen(what) {
    this.listeners.push(what);
    what(this.now);
  }
  set(t) {
    this.now = Math.max(this.first, Math.min(this.last, t));
    for (const l of this.listeners) l(this.now);
  }
  // extend adds moments at the end; a reader at the newest moment follows
  extend(times) {
    const newest = this.now >= this.last - 1e-9 && !this.running;
    this.moments.push(...times);
    this.last = times.at(-1);
    this.set(newest ? this.last : this.now);
  }
  // forget drops the oldest moments
  forget(n) {
    this.moments.splice(0, n);
    this.first = this.moments[0];
  }
  index() {
    return lastAt(this.moments, this.now + 1e-9);
  }
  step(n) {
    this.pause();
    this.set(this.moments[Math.max(0, Math.min(this.moments.length - 1, this.index() + n))]);
  }
  // change goes to the next or previous time at which something happened
  change(n) {
    const list = this.changes,
      t = n > 0 ? list.find((t) => t > this.now + 1e-9) : list.findLast((t) => t < this.now - 1e-9);
    this.pause();
    this.set(t ?? (n > 0 ? this.last : this.first));
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
      const t = this.now + (Math.max(0, now - before) / 1000) * this.speed;
      before = now;
      if (t >= this.last && !this.loop) {
        this.running = false;
        this.set(this.last);
        return;
      }
      this.set(t >= this.last ? this.first : t);
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

// controls creates the control bar of a clock and a time axis, and keys for the whole page.
function controls(to, clock, axis) {
  to.classList.add("bar");
  button(to, "|◀", "to the beginning (Home)", () => clock.set(clock.first));
  if (clock.changes.length)
    button(to, "◀◀", "to the change before ([)", () => clock.change(-1));
  button(to, "◀", "one moment back (left arrow)", () => clock.step(-1));
  const play = button(to, "▶ Play", "play or pause (space)", () => clock.toggle());
  play.id = "play";
  button(to, "▶", "one moment on (right arrow)", () => clock.step(1));
  if (clock.changes.length) button(to, "▶▶", "to the next change (])", () => clock.change(1));
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
  const loop = element("input", element("label", to, {}, "loop "), { type: "checkbox", id: "loop" });
  loop.onchange = () => {
    clock.loop = loop.checked;
  };
  const zoom = element("span", to, { class: "group" });
  button(zoom, "+", "zoom into the time of the curves (i)", () => axis.zoom(clock.now, 0.5));
  button(zoom, "−", "zoom out of the time of the curves (o)", () => axis.zoom(clock.now, 2));
  button(zoom, "⇔", "show the whole time (w)", () => axis.whole());
  slider.oninput = () => clock.set(+slider.value);
  clock.listen((t) => {
    slider.min = clock.first;
    slider.max = clock.last;
    slider.value = t;
    slider.setAttribute("aria-valuetext", t.toFixed(3) + " s");
    now.value = t.toFixed(clock.last - clock.first < 5 ? 3 : 2) + " s";
    play.textContent = clock.running ? "❚❚ Pause" : "▶ Play";
  });
  keys(clock, axis, slider, (n) => {
    const k = Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(clock.speed) + n));
    clock.speed = speeds[k];
    speed.value = speeds[k];
  });
  for (const a of document.querySelectorAll("[data-at]"))
    a.addEventListener("click", (e) => {
      const shows = ["scene", "lanes", "curves"].map((name) => document.getElementById(name));
      e.preventDefault();
      clock.pause();
      clock.set(+a.dataset.at);
      shows.find((place) => place)?.scrollIntoView({ block: "center" });
    });
}

function keys(clock, axis, slider, faster) {
  const what = {
    " ": () => clock.toggle(),
    ArrowLeft: (e) => clock.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => clock.step(e.shiftKey ? 10 : 1),
    Home: () => clock.set(clock.first),
    End: () => clock.set(clock.last),
    "+": () => faster(1),
    "-": () => faster(-1),
    "[": () => clock.change(-1),
    "]": () => clock.change(1),
    i: () => axis.zoom(clock.now, 0.5),
    o: () => axis.zoom(clock.now, 2),
    w: () => axis.whole(),
  };
  document.addEventListener("keydown", (e) => {
    const own = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target !== slider;
    if (e.ctrlKey || e.metaKey || e.altKey || own || !what[e.key]) return;
    if (e.key === " " && /^(BUTTON|A|SUMMARY)$/.test(e.target.tagName)) return;
    e.preventDefault();
    what[e.key](e);
  });
}
