// Scene draws the world from above, or around the vehicle. Its data contains bodies, and frames with
// a time, objects (for each object: index of the body, x, y, yaw, speed) and, for traces, lights,
// lines and what sensors saw.
class Scene extends View {
  constructor(canvas, scene, clock) {
    super(canvas);
    Object.assign(this, { scene, clock, around: false, chosen: null, ground: null });
    Object.assign(this, { hidden: new Set(), points: new Map(), by: new Map() });
    for (const list of ["lines", "styles", "fixed", "lights", "sensors"]) scene[list] ??= [];
    scene.small ??= this.tiny();
    if (scene.small) this.closest = 2000;
    const svg = document.getElementById("ground");
    if (svg) this.ground = new Ground(svg);
    this.begin(0);
    this.track = scene.frames.filter((f) => f.pose).map((f) => f.pose);
    this.fit();
    clock.listen(() => this.draw());
  }
  // tiny reports whether the scene is only the track of a sensor that moves by a few metres
  tiny() {
    const { bodies, lines, fixed, sensors, frames } = this.scene,
      poses = frames.filter((f) => f.pose).map((f) => f.pose);
    if (bodies.length > 1 || bodies[0]?.length > 0.5 || lines.length || fixed.length) return false;
    if (poses.length < 2 || sensors.some((s) => s.clouds.length)) return false;
    const far = (j) => Math.max(...poses.map((p) => p[j])) - Math.min(...poses.map((p) => p[j]));
    return Math.max(far(0), far(1)) < 5;
  }
  // fit chooses the initial scale: it shows points, or else the whole track, or all objects if there
  // is no vehicle to follow
  fit() {
    const s = this.scene,
      f = s.frames[0],
      size = Math.min(this.canvas.clientWidth, this.canvas.clientHeight) || 400;
    const at = f.pose ?? f.objects.slice(1, 3);
    if (at.length) [this.x, this.y] = at;
    let reach = 0;
    for (const from of s.sensors)
      for (const c of from.clouds)
        reach = Math.max(
          reach,
          Math.min(150, Math.max(-c.low[0], c.high[0], -c.low[1], c.high[1])),
        );
    if (reach) this.scale = Math.max(0.5, Math.min(5, (0.4 * size) / reach));
    if (s.bodies.length < 2 && !s.lines.length && !this.ground && !reach && this.track.length > 1)
      this.show(this.track.flatMap((p) => [p[0], p[1]]));
    else if (!f.pose && f.objects.length) this.gather();
    if (f.pose && s.bodies.length && !reach) this.flat(Math.max(this.scale, 6));
  }
  // gather shows all objects, or follows one of them where others would be specks
  gather() {
    const s = this.scene,
      all = [];
    for (const x of s.frames)
      for (let k = 0; k < x.objects.length; k += 5) all.push(x.objects[k + 1], x.objects[k + 2]);
    this.show(all, 15);
    if (this.scale >= 3) return this.flat(this.scale);
    const first = s.frames[0].objects,
      ids = [];
    for (let k = 0; k < first.length; k += 5) ids.push(k);
    const middle = first.filter((_, k) => k % 5 === 1).reduce((sum, x) => sum + x, 0) / ids.length;
    ids.sort((a, b) => Math.abs(first[a + 1] - middle) - Math.abs(first[b + 1] - middle));
    this.chosen = first[ids[0]];
    this.follow = true;
    this.scale = 4;
    this.flat(6);
  }
  // flat makes the canvas lower if everything happens on a band, such as a straight road
  flat(scale) {
    let low = Infinity,
      high = -Infinity;
    for (const f of this.scene.frames)
      for (let k = 0; k < f.objects.length; k += 5) {
        low = Math.min(low, f.objects[k + 2]);
        high = Math.max(high, f.objects[k + 2]);
      }
    if (high - low > 16) return;
    this.scale = scale;
    this.canvas.style.height = "260px";
  }
  // show fits positions (x, y, x, y, ...) into the view
  show(places, margin = 0) {
    const low = [Infinity, Infinity],
      high = [-Infinity, -Infinity];
    places.forEach((x, k) => {
      low[k % 2] = Math.min(low[k % 2], x - margin);
      high[k % 2] = Math.max(high[k % 2], x + margin);
    });
    const { clientWidth: w, clientHeight: h } = this.canvas,
      least = this.scene.small ? 0.2 : 1,
      fits = [w / Math.max(high[0] - low[0], least), h / Math.max(high[1] - low[1], least)];
    this.scale = Math.max(0.02, Math.min(this.scene.small ? this.closest : 40, 0.9 * Math.min(...fits)));
    this.x = (low[0] + high[0]) / 2;
    this.y = (low[1] + high[1]) / 2;
    this.follow = false;
  }
  // moment returns the frame at the time of the clock. While the clock runs, objects move on towards
  // the next frame, because a long trace has few frames.
  moment() {
    const k = this.clock.index(),
      f = this.scene.frames[k],
      next = this.scene.frames[k + 1];
    if (!this.clock.running || !next || next.t - f.t > 2 || next.t <= f.t) return f;
    const part = Math.max(0, Math.min(1, (this.clock.now - f.t) / (next.t - f.t)));
    next.places ??= this.places(next);
    const objects = [...f.objects];
    for (let i = 0; i < objects.length; i += 5) {
      const j = next.places.get(objects[i]);
      if (j !== undefined) between(objects, i + 1, next.objects, j + 1, part);
    }
    const pose = f.pose && next.pose ? [...f.pose] : f.pose;
    if (pose && next.pose) between(pose, 0, next.pose, 0, part);
    return { ...f, objects, pose };
  }
  places(f) {
    const places = new Map();
    for (let k = 0; k < f.objects.length; k += 5) places.set(f.objects[k], k);
    return places;
  }
  draw() {
    const s = this.scene;
    if (!s.frames.length) return;
    const f = this.moment(),
      pose = f.pose ?? [0, 0, 0],
      followed = this.chosen === null ? f.pose : this.place(f, this.chosen);
    if (this.around) [this.x, this.y] = pose;
    else if (this.follow && followed) [this.x, this.y] = followed;
    this.begin(this.around ? Math.PI / 2 - pose[2] : 0);
    Object.assign(this, { pose, psin: Math.sin(pose[2]), pcos: Math.cos(pose[2]) });
    if (this.around) this.rings();
    else this.grid();
    if (!this.hidden.has("truth")) {
      this.ground?.draw(this);
      this.truth(f);
    }
    for (const l of f.seen ?? []) if (!this.hidden.has("sensor " + l.sensor)) this.seen(l);
    this.ruler();
    this.oninfo?.(this.about(f));
  }
  // on converts a position around the vehicle to the canvas
  on(x, y) {
    return this.at(
      this.pose[0] + x * this.pcos - y * this.psin,
      this.pose[1] + x * this.psin + y * this.pcos,
    );
  }
  place(f, body) {
    for (let k = 0; k < f.objects.length; k += 5)
      if (f.objects[k] === body) return f.objects.slice(k + 1, k + 5);
    return null;
  }
  // pick selects the object at a position on the canvas, to show its values and to follow it
  pick(a, b) {
    const f = this.moment();
    let best = 20,
      chosen = null;
    for (let k = 0; k < f.objects.length; k += 5) {
      const [x, y] = this.at(f.objects[k + 1], f.objects[k + 2]),
        o = this.scene.bodies[f.objects[k]],
        far = Math.max(0, Math.hypot(x - a, y - b) - (this.scale * Math.max(o.length, o.width)) / 2);
      if (far < best) [best, chosen] = [far, f.objects[k]];
    }
    this.chosen = chosen;
    this.draw();
  }
  about(f) {
    if (this.scene.small && f.pose)
      return `x ${f.pose[0].toFixed(2)} m, y ${f.pose[1].toFixed(2)} m. Drag to move, scroll or pinch to zoom.`;
    if (this.chosen === null)
      return (
        "Click on an object to see its values and to follow it. " +
        "Drag to move, scroll or pinch to zoom."
      );
    const o = this.scene.bodies[this.chosen],
      at = this.place(f, this.chosen),
      name = `${o.kind} ${o.name ?? o.id}, ${short(o.length)} m × ${short(o.width)} m`;
    if (!at) return name + ": not there at this time";
    const [ox, oy] = this.scene.origin ?? [0, 0],
      from = f.pose && f.host !== this.chosen ? Math.hypot(at[0] - f.pose[0], at[1] - f.pose[1]) : 0;
    return (
      `${name}: x ${(at[0] + ox).toFixed(2)} m, y ${(at[1] + oy).toFixed(2)} m, ` +
      `yaw ${((at[2] * 180) / Math.PI).toFixed(1)}°, ${at[3].toFixed(2)} m/s` +
      (from ? `, ${from.toFixed(1)} m from the vehicle` : "")
    );
  }
  truth(f) {
    this.still(f);
    const g = this.g,
      s = this.scene;
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "left";
    g.textBaseline = "alphabetic";
    const labels = [];
    for (let k = 0; k < f.objects.length; k += 5)
      this.object(f.objects[k], f.objects.slice(k + 1, k + 5), f.objects[k] === f.host, labels);
    g.fillStyle = color("label");
    g.strokeStyle = color("ground");
    g.lineWidth = 3;
    g.lineJoin = "round";
    for (const [text, a, b] of labels) {
      g.strokeText(text, a, b); // readable on any road
      g.fillText(text, a, b);
    }
    this.lamps(f);
    if (!(f.host >= 0) && (f.pose || s.sensors.length)) {
      const [a, b] = this.on(0, 0);
      const size = s.small ? [0, 0] : [4.5, 1.8],
        least = [Math.max(size[0], 14 / this.scale), Math.max(size[1], 7 / this.scale)];
      this.box(a, b, this.pose[2] + this.turn, ...least, color("host"), false);
    }
  }
  object(body, [x, y, yaw, speed], host, labels) {
    const o = this.scene.bodies[body],
      turn = yaw + this.turn,
      cos = Math.cos(turn),
      sin = Math.sin(turn),
      least = host ? 7 / this.scale : 0.5;
    let [a, b] = this.at(x, y);
    if (a < -50 || b < -50 || a > this.w + 50 || b > this.h + 50) return;
    a += ((o.x ?? 0) * cos - (o.y ?? 0) * sin) * this.scale;
    b -= ((o.x ?? 0) * sin + (o.y ?? 0) * cos) * this.scale;
    const hue = o.color ?? color(host ? "host" : o.kind === "person" ? "person" : "body");
    this.box(a, b, turn, Math.max(o.length, 2 * least), Math.max(o.width, least), hue, false);
    if (body === this.chosen) {
      this.g.strokeStyle = color("cursor");
      this.g.lineWidth = 2;
      this.g.beginPath();
      this.g.arc(a, b, (Math.hypot(o.length, o.width) / 2) * this.scale + 4, 0, 7);
      this.g.stroke();
    }
    if (this.scale <= 2 && body !== this.chosen && !o.name) return;
    const right = a + (Math.abs(o.length * cos) + Math.abs(o.width * sin)) * (this.scale / 2) + 3,
      name = o.name ?? (host ? "host" : o.id),
      text = o.name && this.scale > 1 ? `${name} ${speed.toFixed(1)} m/s` : name,
      width = this.g.measureText(text).width;
    let low = b + 4;
    for (const l of labels) // below labels that it would cover
      if (Math.abs(l[2] - low) < 12 && right < l[1] + l[3] && l[1] < right + width) low = l[2] + 12;
    labels.push([text, right, low, width]);
  }
}

// between interpolates x, y and yaw at an index of one list towards those in another list
function between(list, i, other, j, part) {
  for (let n = 0; n < 2; n++) list[i + n] += part * (other[j + n] - list[i + n]);
  let turn = (other[j + 2] - list[i + 2]) % (2 * Math.PI);
  if (turn > Math.PI) turn -= 2 * Math.PI;
  if (turn < -Math.PI) turn += 2 * Math.PI;
  list[i + 2] += part * turn;
}
