// View is a plane seen from above, in metres, that can be moved, zoomed and turned.
class View {
  constructor(canvas) {
    Object.assign(this, { canvas, scale: 4, x: 0, y: 0, turn: 0, follow: true, closest: 120 });
    const wheel = (e) => {
      e.preventDefault();
      const r = canvas.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top);
    };
    canvas.addEventListener("wheel", wheel, { passive: false });
    touch(canvas, this);
    onLook(() => this.draw());
  }
  move(dx, dy) {
    this.follow = false;
    this.onmove?.();
    this.x -= (dx * this.cos - dy * this.sin) / this.scale;
    this.y += (dx * this.sin + dy * this.cos) / this.scale;
    this.draw();
  }
  // zoom keeps the position under the pointer, or the centre while the view follows something
  zoom(f, a, b) {
    const scale = Math.max(0.02, Math.min(this.closest, this.scale * f));
    if (a !== undefined && !this.follow) {
      const part = 1 / this.scale - 1 / scale,
        dx = (a - this.w / 2) * part,
        dy = (b - this.h / 2) * part;
      this.x += dx * this.cos - dy * this.sin;
      this.y -= dx * this.sin + dy * this.cos;
    }
    this.scale = scale;
    this.draw();
  }
  begin(turn) {
    const [g, w, h] = sized(this.canvas);
    Object.assign(this, { g, w, h, turn, sin: Math.sin(turn), cos: Math.cos(turn) });
  }
  // at converts a position in the world to the canvas
  at(x, y) {
    const dx = x - this.x,
      dy = y - this.y;
    return [
      this.w / 2 + (dx * this.cos - dy * this.sin) * this.scale,
      this.h / 2 - (dx * this.sin + dy * this.cos) * this.scale,
    ];
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
    const left = this.x - w / 2 / this.scale,
      low = this.y - h / 2 / this.scale;
    for (let x = Math.ceil(left / m) * m; x < left + w / this.scale; x += m) {
      const [a] = this.at(x, 0);
      g.moveTo(a, 0);
      g.lineTo(a, h);
    }
    for (let y = Math.ceil(low / m) * m; y < low + h / this.scale; y += m) {
      const [, b] = this.at(0, y);
      g.moveTo(0, b);
      g.lineTo(w, b);
    }
    g.stroke();
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
    g.textBaseline = "alphabetic";
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
  // box draws a rectangle with its nose, or only its outline
  box(a, b, angle, length, width, fill, outline) {
    const g = this.g,
      l = Math.max(length * this.scale, 0.3 * Math.min(this.scale, 20)),
      s = Math.max(width * this.scale, 0.3 * Math.min(this.scale, 20));
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
  ruler() {
    const g = this.g,
      m = this.unit();
    g.fillStyle = color("label");
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "left";
    g.textBaseline = "alphabetic";
    g.fillRect(14, this.h - 16, m * this.scale, 2);
    g.fillText(+m.toPrecision(6) + " m", 14, this.h - 22);
  }
}

// Ground draws a map, which is in the page as SVG, into a view: x to the right and y down.
class Ground {
  constructor(svg) {
    const groups = new Map();
    for (const e of svg.querySelectorAll("path")) {
      const fill = e.getAttribute("fill"),
        word = e.getAttribute("class") ?? "",
        dashes = e.getAttribute("stroke-dasharray") ?? "",
        key = [fill, word, dashes].join("|");
      if (!groups.has(key)) groups.set(key, { fill, word, dashes, path: new Path2D() });
      groups.get(key).path.addPath(new Path2D(e.getAttribute("d")));
    }
    this.parts = [...groups.values()];
  }
  draw(v) {
    const g = v.g,
      ratio = window.devicePixelRatio || 1,
      s = v.scale * ratio,
      e = v.w / 2 + (-v.x * v.cos + v.y * v.sin) * v.scale,
      f = v.h / 2 + (v.x * v.sin + v.y * v.cos) * v.scale,
      faint = +color("map");
    g.save();
    g.setTransform(v.cos * s, -v.sin * s, v.sin * s, v.cos * s, e * ratio, f * ratio);
    for (const p of this.parts) {
      const stroked = /mark|edge|curb/.test(p.word);
      g.globalAlpha = faint * (p.word === "arrow" ? 0.55 : p.word === "object" ? 0.7 : 1);
      g.setLineDash(p.dashes ? p.dashes.split(/[ ,]+/).map(Number) : []);
      if (stroked) {
        g.strokeStyle = /yellow/.test(p.word) ? "#e8c33a" : /mark/.test(p.word) ? "#fff" : "#5b5f66";
        g.lineWidth = Math.max(/mark|curb/.test(p.word) ? 0.18 : 0.1, 0.7 / v.scale);
        g.stroke(p.path);
        continue;
      }
      g.fillStyle = p.fill ?? (p.word === "object" ? "#7d6f5b" : "#fff");
      g.fill(p.path);
    }
    g.restore();
    g.setLineDash([]);
  }
}
