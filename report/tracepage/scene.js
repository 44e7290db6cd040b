// Scene draws what is in the world, from above, or around the vehicle.
class Scene {
  constructor(canvas, scene, clock) {
    Object.assign(this, {
      canvas,
      scene,
      clock,
      scale: 4,
      x: 0,
      y: 0,
      around: false,
      follow: true,
      hidden: new Set(),
      points: new Map(),
      by: new Map(),
    });
    const f = scene.frames[0],
      at = f.pose ?? f.objects.slice(1, 3);
    if (at.length) [this.x, this.y] = at;
    this.track = scene.frames.filter((f) => f.pose).map((f) => f.pose);
    this.fit();
    clock.listen(() => this.draw());
    window.addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    let drag = null;
    canvas.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        this.zoom(Math.exp(-e.deltaY / 500));
      },
      { passive: false },
    );
    canvas.onpointerdown = (e) => {
      drag = [e.clientX, e.clientY];
      canvas.setPointerCapture(e.pointerId);
    };
    canvas.onpointermove = (e) => {
      if (!drag) return;
      this.follow = false;
      this.onmove?.();
      const dx = (e.clientX - drag[0]) / this.scale,
        dy = (e.clientY - drag[1]) / this.scale;
      this.x -= dx;
      this.y += dy;
      drag = [e.clientX, e.clientY];
      this.draw();
    };
    canvas.onpointerup = () => {
      drag = null;
    };
  }
  zoom(f) {
    this.scale = Math.max(0.02, Math.min(120, this.scale * f));
    this.draw();
  }
  // fit begins with a scale that shows points, or the whole track where there is nothing else
  fit() {
    const s = this.scene,
      size = Math.min(this.canvas.clientWidth, this.canvas.clientHeight) || 400;
    let reach = 0;
    for (const from of s.sensors)
      for (const c of from.clouds)
        reach = Math.max(
          reach,
          Math.min(150, Math.max(-c.low[0], c.high[0], -c.low[1], c.high[1])),
        );
    if (reach) this.scale = Math.max(0.5, Math.min(5, (0.4 * size) / reach));
    if (s.bodies.length < 2 && !s.lines.length && !reach && this.track.length > 1) {
      const xs = this.track.map((p) => p[0]),
        ys = this.track.map((p) => p[1]),
        low = (a) => a.reduce((p, q) => Math.min(p, q)),
        high = (a) => a.reduce((p, q) => Math.max(p, q));
      const wide = Math.max(high(xs) - low(xs), high(ys) - low(ys), 1);
      this.scale = Math.min(40, (0.8 * size) / wide);
      this.x = (low(xs) + high(xs)) / 2;
      this.y = (low(ys) + high(ys)) / 2;
      this.follow = false;
    }
  }
  draw() {
    const [g, w, h] = sized(this.canvas),
      s = this.scene,
      f = s.frames[this.clock.index()],
      pose = f.pose ?? [0, 0, 0];
    if (this.around) [this.x, this.y] = pose;
    else if (this.follow && f.pose) [this.x, this.y] = f.pose;
    const turn = this.around ? Math.PI / 2 - pose[2] : 0;
    Object.assign(this, {
      g,
      w,
      h,
      turn,
      sin: Math.sin(turn),
      cos: Math.cos(turn),
      pose,
      psin: Math.sin(pose[2]),
      pcos: Math.cos(pose[2]),
    });
    if (this.around) this.rings();
    else this.grid();
    if (!this.hidden.has("truth")) this.truth(f);
    for (const l of f.seen) if (!this.hidden.has("sensor " + l.sensor)) this.seen(l);
    this.ruler();
  }
  // at is the place on the canvas of a place in the world; on that of one around the vehicle
  at(x, y) {
    const dx = x - this.x,
      dy = y - this.y;
    return [
      this.w / 2 + (dx * this.cos - dy * this.sin) * this.scale,
      this.h / 2 - (dx * this.sin + dy * this.cos) * this.scale,
    ];
  }
  on(x, y) {
    return this.at(
      this.pose[0] + x * this.pcos - y * this.psin,
      this.pose[1] + x * this.psin + y * this.pcos,
    );
  }
  unit() {
    return [1, 2, 5, 10]
      .map((k) => k * 10 ** Math.floor(Math.log10(60 / this.scale)))
      .find((m) => m * this.scale >= 60);
  }
  grid() {
    const { g, w, h } = this,
      m = this.unit();
    g.strokeStyle = color("edge");
    g.lineWidth = 0.6;
    g.beginPath();
    for (
      let x = Math.ceil((this.x - w / 2 / this.scale) / m) * m;
      x < this.x + w / 2 / this.scale;
      x += m
    ) {
      const [a] = this.at(x, 0);
      g.moveTo(a, 0);
      g.lineTo(a, h);
    }
    for (
      let y = Math.ceil((this.y - h / 2 / this.scale) / m) * m;
      y < this.y + h / 2 / this.scale;
      y += m
    ) {
      const [, b] = this.at(0, y);
      g.moveTo(0, b);
      g.lineTo(w, b);
    }
    g.stroke();
    if (this.track.length < 2) return;
    g.strokeStyle = color("host");
    g.globalAlpha = 0.55;
    g.lineWidth = 1.5;
    g.setLineDash([]);
    g.beginPath();
    this.track.forEach((p, k) => {
      const [a, b] = this.at(p[0], p[1]);
      if (k) g.lineTo(a, b);
      else g.moveTo(a, b);
    });
    g.stroke();
    g.globalAlpha = 1;
  }
  rings() {
    const { g, w, h } = this,
      m = this.unit(),
      [a, b] = this.at(this.x, this.y);
    g.strokeStyle = color("edge");
    g.fillStyle = color("soft");
    g.lineWidth = 1;
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "left";
    const far = Math.hypot(w, h) / 2;
    for (let r = m; r * this.scale < far; r += m) {
      g.beginPath();
      g.arc(a, b, r * this.scale, 0, 7);
      g.stroke();
      g.fillText(+r.toPrecision(6) + " m", a + 4, b - r * this.scale - 3);
    }
    for (let k = 0; k < 12; k++) {
      g.beginPath();
      g.moveTo(a, b);
      g.lineTo(a + far * Math.cos((k * Math.PI) / 6), b + far * Math.sin((k * Math.PI) / 6));
      g.stroke();
    }
  }
  polyline(points, place) {
    const g = this.g;
    g.beginPath();
    for (let k = 0; k < points.length; k += 2) {
      const [a, b] = place(points[k], points[k + 1]);
      if (k) g.lineTo(a, b);
      else g.moveTo(a, b);
    }
    g.stroke();
  }
  box(a, b, angle, length, width, fill, outline) {
    const g = this.g,
      l = Math.max(length, 0.3) * this.scale,
      s = Math.max(width, 0.3) * this.scale;
    g.save();
    g.translate(a, b);
    g.rotate(-angle);
    if (outline) {
      g.strokeStyle = fill;
      g.lineWidth = 2;
      g.strokeRect(-l / 2, -s / 2, l, s);
    } else {
      g.fillStyle = fill;
      g.fillRect(-l / 2, -s / 2, l, s);
    }
    if (!outline && l > 6) {
      g.fillStyle = color("card");
      g.beginPath();
      g.moveTo(l / 2, 0);
      g.lineTo(l / 4, s / 3);
      g.lineTo(l / 4, -s / 3);
      g.fill();
    }
    g.restore();
  }
  truth(f) {
    const g = this.g,
      s = this.scene,
      lane = color("lane"),
      faint = color("edge"),
      place = (x, y) => this.at(x, y);
    s.lines.forEach((l, k) => {
      const style = s.styles[k];
      g.strokeStyle = style === "none" ? faint : lane;
      g.lineWidth = style === "edge" ? 2 : 1;
      g.setLineDash(style === "dashed" ? [3 * this.scale, 3 * this.scale] : []);
      this.polyline(l, place);
    });
    g.setLineDash([]);
    for (const o of s.fixed) {
      const [a, b] = this.at(o.x, o.y);
      this.box(a, b, o.yaw + this.turn, o.length, o.width, color("fixed"), false);
    }
    const host = color("host"),
      body = color("body"),
      person = color("person"),
      label = color("label");
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "left";
    for (let k = 0; k < f.objects.length; k += 5) {
      const o = s.bodies[f.objects[k]],
        [a, b] = this.at(f.objects[k + 1], f.objects[k + 2]);
      if (a < -50 || b < -50 || a > this.w + 50 || b > this.h + 50) continue;
      const least = f.objects[k] === f.host ? 7 / this.scale : 0.5;
      this.box(
        a,
        b,
        f.objects[k + 3] + this.turn,
        Math.max(o.length, 2 * least),
        Math.max(o.width, least),
        f.objects[k] === f.host ? host : o.kind === "person" ? person : body,
        false,
      );
      if (this.scale > 2) {
        const turn = f.objects[k + 3] + this.turn,
          cos = Math.cos(turn),
          sin = Math.sin(turn);
        g.fillStyle = label;
        g.fillText(
          f.objects[k] === f.host ? "host" : o.id,
          a + (Math.abs(o.length * cos) + Math.abs(o.width * sin)) * (this.scale / 2) + 3,
          b + 4,
        );
      }
    }
    const lamps = ["#888", "#888", "#e02020", "#f0b000", "#18a548", "#2b6fe0", "#ddd"];
    for (let k = 0; k < f.lights.length; k += 3) {
      const l = s.lights[f.lights[k]],
        [a, b] = this.at(l.x, l.y),
        off = f.lights[k + 2] === 2;
      g.fillStyle = lamps[f.lights[k + 1]] ?? "#888";
      g.globalAlpha = off ? 0.15 : 1;
      g.beginPath();
      g.arc(a, b, off ? 3 : 5, 0, 7);
      g.fill();
      g.globalAlpha = 1;
      if (!off) {
        g.strokeStyle = label;
        g.lineWidth = 0.8;
        g.stroke();
      }
    }
    if (f.host < 0 && (f.pose || this.scene.sensors.length)) {
      const [a, b] = this.on(0, 0);
      this.box(
        a,
        b,
        this.pose[2] + this.turn,
        Math.max(4.5, 14 / this.scale),
        Math.max(1.8, 7 / this.scale),
        host,
        false,
      );
    }
  }
  seen(l) {
    const g = this.g,
      stroke = palette[(l.sensor + 3) % palette.length],
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
    for (let k = 0; k < l.boxes.length; k += 6) {
      const [a, b] = this.on(l.boxes[k], l.boxes[k + 1]);
      if (l.boxes[k + 3] > 0)
        this.box(a, b, angle + l.boxes[k + 2], l.boxes[k + 3], l.boxes[k + 4], stroke, true);
      g.fillStyle = stroke;
      g.beginPath();
      g.arc(a, b, 3.5, 0, 7);
      g.fill();
    }
    for (const p of l.clouds) this.cloud(l.sensor, p);
  }
  // numbers of a cloud, unpacked once
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
  }
  cloud(sensor, p) {
    const g = this.g,
      c = this.scene.sensors[sensor].clouds[p.cloud],
      data = this.unpack(p, c),
      n = c.low.length,
      by = this.by.get(c) ?? (n > 3 ? 3 : 2),
      size = Math.max(2, Math.min(4, this.scale / 3));
    for (let k = 0; k < data.length; k += n) {
      const [a, b] = this.on(data[k], data[k + 1]),
        part = (data[k + by] - c.low[by]) / (c.high[by] - c.low[by] || 1);
      g.fillStyle = Number.isNaN(part) ? color("soft") : rainbow(part);
      g.fillRect(a - size / 2, b - size / 2, size, size);
    }
  }
  ruler() {
    const g = this.g,
      m = this.unit();
    g.fillStyle = color("label");
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "left";
    g.fillRect(14, this.h - 16, m * this.scale, 2);
    g.fillText(+m.toPrecision(6) + " m", 14, this.h - 22);
  }
}

// rainbow is a color between blue (0) and red (1), as dark as text on white
const rainbows = Array.from({ length: 101 }, (_, k) => `hsl(${240 - 2.4 * k} 85% 45%)`),
  rainbow = (part) => rainbows[Math.round(100 * Math.max(0, Math.min(1, part)))];

const data = JSON.parse(document.getElementById("data").textContent),
  frames = data.scene.frames;
const clock = new Clock(
  data.first,
  data.last,
  frames.length
    ? frames.map((f) => f.t)
    : data.curves.times.length
      ? data.curves.times
      : [data.first],
);
const canvas = document.getElementById("scene");
if (canvas) {
  const view = new Scene(canvas, data.scene, clock),
    layers = document.getElementById("layers"),
    follow = document.getElementById("follow");
  const layer = (name, key, hue) => {
    const label = element("label", layers),
      box = element("input", label, { type: "checkbox" });
    box.checked = true;
    if (hue) element("i", label).style.background = hue;
    label.append(name);
    box.onchange = () => {
      if (box.checked) view.hidden.delete(key);
      else view.hidden.add(key);
      view.draw();
    };
    return label;
  };
  if (frames.length)
    layer(
      data.scene.bodies.length || data.scene.lines.length ? "truth" : "host vehicle",
      "truth",
      color("body"),
    );
  data.scene.sensors.forEach((s, k) => {
    if (!s.shown) return;
    layer(s.topic, "sensor " + k, palette[(k + 3) % palette.length]);
    for (const c of s.clouds) {
      const select = element("select", layers, {
        "aria-label": `color of the points of ${c.kind} ${c.index} by`,
      });
      ["x, m", "y, m", "z, m", ...c.fields].forEach((name, j) =>
        element(
          "option",
          select,
          { value: j },
          `${c.kind} ${c.index}: ${name}, ${short(c.low[j])} to ${short(c.high[j])}`,
        ),
      );
      select.value = c.low.length > 3 ? 3 : 2;
      select.onchange = () => {
        view.by.set(c, +select.value);
        view.draw();
      };
    }
  });
  follow.checked = view.follow;
  view.onmove = () => {
    follow.checked = false;
  };
  follow.onchange = () => {
    view.follow = follow.checked;
    view.draw();
  };
  document.getElementById("around").onchange = (e) => {
    view.around = e.target.checked;
    view.draw();
  };
  document.getElementById("closer").onclick = () => view.zoom(1.4);
  document.getElementById("farther").onclick = () => view.zoom(1 / 1.4);
}
if (data.last > data.first) controls(document.getElementById("controls"), clock);
if (data.curves.list.length) {
  // what a reader sees first: metrics, or the motion of the vehicle
  const wishes = [
      /^metrics: Minimum (gap|time to)/,
      /^metrics: (Detection rate|Maximum position)/,
      /host_vehicle_location\.(position|velocity)\.[xyz]$/,
      /velocity\.[xy]$/,
      /./,
    ],
    list = data.curves.list;
  let first = [];
  for (const wish of wishes)
    if (first.length < 4)
      list.forEach((c, k) => {
        if (
          first.length < 4 &&
          !first.includes(k) &&
          wish.test((c.channel ? c.channel + ": " : "") + c.path)
        )
          first.push(k);
      });
  new Curves(document.getElementById("curves"), data.curves, clock, first);
}
