// Axis is the time range that curves and states show, with the gestures that change it.
class Axis {
  constructor(clock) {
    Object.assign(this, { clock, left: 62, right: 8, listeners: [] });
    this.whole();
  }
  listen(draw) {
    this.listeners.push(draw);
    this.clock.listen(draw);
    onLook(draw);
  }
  changed() {
    for (const l of this.listeners) l();
  }
  // extend keeps the whole time in view while it grows, if it was before
  extend(change) {
    const { first, last } = this.clock,
      whole = this.view[0] <= first + 1e-9 && this.view[1] >= last - 1e-9;
    change();
    if (whole) this.whole();
  }
  whole() {
    this.view = [this.clock.first, Math.max(this.clock.last, this.clock.first + 1e-3)];
    this.changed();
  }
  zoom(t, f) {
    const { first, last } = this.clock;
    this.view = [
      Math.max(first, t + (this.view[0] - t) * f),
      Math.min(Math.max(last, first + 1e-3), t + (this.view[1] - t) * f),
    ];
    if (this.view[1] - this.view[0] < 1e-4) this.view[1] = this.view[0] + 1e-4;
    this.changed();
  }
  pan(by) {
    const [a, b] = this.view,
      shift = Math.max(this.clock.first - a, Math.min(this.clock.last - b, by));
    this.view = [a + shift, b + shift];
    this.changed();
  }
  // x returns the function from times to positions in a picture of the given width
  x(width) {
    const [a, b] = this.view;
    return (t) => this.left + ((width - this.left - this.right) * (t - a)) / (b - a);
  }
  // lines draws the marks of the axis, with labels only at the bottom
  lines(g, w, top, low, texts) {
    const X = this.x(w);
    g.strokeStyle = color("edge");
    g.fillStyle = color("soft");
    g.lineWidth = 1;
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "center";
    g.textBaseline = "alphabetic";
    for (const [t, text] of ticks(...this.view, w / 110)) {
      g.beginPath();
      g.moveTo(X(t), top);
      g.lineTo(X(t), low);
      g.stroke();
      if (texts) g.fillText(text + " s", Math.min(X(t), w - this.right - 18), low + 16);
    }
  }
  // inside draws between the margins, with the time of the clock above
  inside(g, w, top, low, draw) {
    g.save();
    g.beginPath();
    g.rect(this.left, 0, w - this.left - this.right, low);
    g.clip();
    draw();
    const x = this.x(w)(this.clock.now);
    g.strokeStyle = color("cursor");
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x, top);
    g.lineTo(x, low);
    g.stroke();
    g.restore();
  }
  gestures(canvas) {
    const at = (e) => {
      const r = canvas.getBoundingClientRect(),
        part = (e.clientX - r.left - this.left) / (r.width - this.left - this.right);
      return this.view[0] + part * (this.view[1] - this.view[0]);
    };
    let drag = null;
    const wheel = (e) => {
      if (!e.ctrlKey && !e.shiftKey) return;
      e.preventDefault();
      this.zoom(at(e), Math.exp((e.deltaY || e.deltaX) / 400));
    };
    canvas.addEventListener("wheel", wheel, { passive: false });
    const set = (e) => {
      this.clock.pause();
      this.clock.set(at(e));
    };
    canvas.onpointerdown = (e) => {
      drag = { pan: e.shiftKey || e.button === 1, t: at(e) };
      canvas.setPointerCapture(e.pointerId);
    };
    canvas.onpointermove = (e) => {
      if (!drag) return;
      if (drag.pan) this.pan(drag.t - at(e));
      else set(e);
    };
    canvas.onpointerup = (e) => {
      if (drag && !drag.pan) set(e);
      drag = null;
    };
    canvas.ondblclick = () => this.whole();
  }
}
