// What a scene of a trace shows in addition to objects: lines, stationary things, lights, and what
// sensors saw.
Object.assign(Scene.prototype, {
  still() {
    const g = this.g,
      s = this.scene,
      lane = color("lane"),
      faint = color("edge"),
      place = (x, y) => this.at(x, y);
    if (!this.around) this.trail();
    s.lines.forEach((l, k) => {
      const style = s.styles[k];
      g.strokeStyle = style === "none" ? faint : lane;
      g.lineWidth = style === "edge" ? 2 : 1;
      const dash = style === "dashed" ? 3 : style === "centre" ? 1 : 0;
      g.setLineDash(dash ? [dash * this.scale, dash * this.scale] : []);
      this.polyline(l, place);
    });
    g.setLineDash([]);
    for (const o of s.fixed) {
      const [a, b] = this.at(o.x, o.y);
      if (o.kind === "sign") this.sign(a, b);
      else if (o.kind === "marking") this.mark(a, b, o);
      else this.box(a, b, o.yaw + this.turn, o.length, o.width, color("fixed"), false);
    }
  },
  sign(a, b) {
    const g = this.g;
    g.fillStyle = color("card");
    g.strokeStyle = color("bad");
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(a, b - 5);
    g.lineTo(a + 4.5, b + 3);
    g.lineTo(a - 4.5, b + 3);
    g.closePath();
    g.fill();
    g.stroke();
  },
  mark(a, b, o) {
    const g = this.g,
      l = Math.max(o.length * this.scale, 2),
      w = Math.max(o.width * this.scale, 2);
    g.save();
    g.translate(a, b);
    g.rotate(-(o.yaw + this.turn));
    g.fillStyle = color("label");
    g.fillRect(-l / 2, -w / 2, l, w);
    g.restore();
  },
  trail() {
    if (this.track.length < 2) return;
    const g = this.g;
    g.strokeStyle = color("host");
    g.globalAlpha = 0.55;
    g.lineWidth = 1.5;
    g.setLineDash([]);
    this.polyline(
      this.track.flatMap((p) => [p[0], p[1]]),
      (x, y) => this.at(x, y),
    );
    g.globalAlpha = 1;
  },
  lamps(f) {
    const g = this.g,
      lights = f.lights ?? [],
      hues = ["#888", "#888", "#e02020", "#f0b000", "#18a548", "#2b6fe0", "#ddd"];
    for (let k = 0; k < lights.length; k += 3) {
      const l = this.scene.lights[lights[k]],
        [a, b] = this.at(l.x, l.y),
        off = lights[k + 2] === 2;
      g.fillStyle = hues[lights[k + 1]] ?? "#888";
      g.globalAlpha = off ? 0.15 : 1;
      g.beginPath();
      g.arc(a, b, off ? 3 : 5, 0, 7);
      g.fill();
      g.globalAlpha = 1;
      if (off) continue;
      g.strokeStyle = color("label");
      g.lineWidth = 0.8;
      g.stroke();
    }
  },
  seen(l) {
    const g = this.g,
      stroke = color(hue(l.sensor + 3)),
      angle = this.pose[2] + this.turn;
    g.strokeStyle = stroke;
    g.lineWidth = 2;
    for (const line of l.lines) this.polyline(line, (x, y) => this.on(x, y));
    for (let k = 0; k < l.arcs.length; k += 4) {
      const [a, b] = this.on(l.arcs[k], l.arcs[k + 1]),
        turn = -(angle + l.arcs[k + 2]);
      g.beginPath();
      g.arc(a, b, l.arcs[k + 3] * this.scale, turn - Math.PI / 6, turn + Math.PI / 6);
      g.stroke();
    }
    // outlines of several sensors around one object lie around each other
    const order = this.order(l.sensor),
      room = (6 * order) / this.scale;
    for (let k = 0; k < l.boxes.length; k += 6) {
      const [a, b] = this.on(l.boxes[k], l.boxes[k + 1]),
        [turn, length, width] = l.boxes.slice(k + 2, k + 5);
      if (length > 0) this.box(a, b, angle + turn, length + room, width + room, stroke, true);
      g.fillStyle = stroke;
      g.beginPath();
      g.arc(a, b, 3.5 + 3 * order, 0, 7);
      if (order) g.stroke();
      else g.fill();
    }
    for (const p of l.clouds) this.cloud(l.sensor, p);
  },
  // order returns how many sensors with objects come before a sensor
  order(sensor) {
    this.seers ??= this.scene.sensors.map((_, k) =>
      this.scene.frames.some((f) => f.seen?.some((l) => l.sensor === k && l.boxes.length)),
    );
    return this.seers.slice(0, sensor).filter((sees) => sees).length;
  },
  // numbers of a cloud, unpacked only once
  unpack(p, c) {
    if (this.points.has(p)) return this.points.get(p);
    const bytes = Uint8Array.from(atob(p.data), (x) => x.charCodeAt(0)),
      view = new DataView(bytes.buffer),
      n = c.low.length,
      out = new Float64Array(bytes.length / 2);
    for (let k = 0; k < out.length; k++) {
      const q = view.getInt16(2 * k, true),
        j = k % n;
      out[k] = q === -32768 ? NaN : c.low[j] + ((q + 32767) / 65534) * (c.high[j] - c.low[j]);
    }
    this.points.set(p, out);
    return out;
  },
  cloud(sensor, p) {
    const g = this.g,
      c = this.scene.sensors[sensor].clouds[p.cloud],
      data = this.unpack(p, c),
      n = c.low.length,
      by = this.by.get(c) ?? (n > 3 ? 3 : 2),
      size = Math.max(2, Math.min(4, this.scale / 3)),
      hues = ramp(),
      unset = color("soft");
    for (let k = 0; k < data.length; k += n) {
      const [a, b] = this.on(data[k], data[k + 1]),
        part = (data[k + by] - c.low[by]) / (c.high[by] - c.low[by] || 1);
      g.fillStyle = Number.isNaN(part) ? unset : hues[Math.round(100 * part)];
      g.fillRect(a - size / 2, b - size / 2, size, size);
    }
  },
});

// ramp returns 101 colors from the least to the greatest value, which are visible in both themes.
let ramps = { of: "" };
function ramp() {
  const stops = [0, 1, 2, 3, 4].map((k) => color("r" + k)),
    of = stops.join();
  if (ramps.of === of) return ramps.list;
  const parts = stops.map((s) => [1, 3, 5].map((k) => parseInt(s.slice(k, k + 2), 16)));
  const list = Array.from({ length: 101 }, (_, n) => {
    const at = (n / 100) * (parts.length - 1),
      k = Math.min(Math.floor(at), parts.length - 2),
      mixed = parts[k].map((x, j) => Math.round(x + (at - k) * (parts[k + 1][j] - x)));
    return `rgb(${mixed.join(" ")})`;
  });
  ramps = { of, list };
  return list;
}
