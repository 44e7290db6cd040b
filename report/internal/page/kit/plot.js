// plot draws curves on one time axis in a canvas. All of them are entries of curves.data.
function plot(canvas, axis, curves, list, bottom) {
  canvas.style.height = bottom ? "168px" : "150px";
  const [g, w, h] = sized(canvas),
    top = 6,
    low = h - (bottom ? 22 : 6);
  if (w < 100) return;
  const all = list.map((k) => curves.data.list[k]),
    [least, greatest] = range(all, axis.view, curves),
    X = axis.x(w),
    Y = (v) => top + ((low - top) * (greatest - v)) / (greatest - least);
  levels(g, all, least, greatest, axis.left, w - axis.right, Y);
  axis.lines(g, w, top, low, bottom);
  axis.inside(g, w, top, low, () =>
    all.forEach((c, n) => curve(g, c, curves, c.color ?? color(hue(n)), axis.view, X, Y)),
  );
}

// afterZeros returns the index after zeros at the beginning of a curve that would make a line of
// all that follows, such as a latitude before the first fix: they are short, and what follows varies,
// but by far less than its distance from 0. The curve then rises from below the picture.
function afterZeros(c, times) {
  const { values } = c,
    pair = (v) => (Array.isArray(v) ? v : [v, v]);
  if (c.zeros?.of === times.length) return c.zeros.n;
  let n = 0;
  while (n < values.length && pair(values[n]).includes(0)) n++;
  const known = values.slice(n).filter((v) => v !== null && v !== undefined).map(pair),
    least = known.reduce((a, v) => Math.min(a, v[0]), Infinity),
    greatest = known.reduce((a, v) => Math.max(a, v[1]), -Infinity),
    distance = Math.min(Math.abs(least), Math.abs(greatest)),
    whole = times.at(-1) - times[0],
    short = n > 0 && n < times.length && times[n - 1] - times[0] <= 0.05 * whole;
  const flat = greatest > least && greatest - least < 0.05 * distance;
  c.zeros = { of: times.length, n: short && flat && least * greatest > 0 ? n : 0 };
  return c.zeros.n;
}

// range returns the range of the values in a part of the time, with a margin
function range(all, [from, to], curves) {
  let least = Infinity,
    greatest = -Infinity;
  for (const c of all) {
    const times = curves.times(c),
      first = Math.max(afterZeros(c, times), lastAt(times, from));
    for (let i = first; i < times.length && times[i] <= to; i++) {
      const v = c.values[i];
      if (v === null || v === undefined || (times[i] < from && !c.steps)) continue;
      least = Math.min(least, Array.isArray(v) ? v[0] : v);
      greatest = Math.max(greatest, Array.isArray(v) ? v[1] : v);
    }
  }
  if (!(least <= greatest)) [least, greatest] = [0, 1];
  if (greatest - least < 1e-9 * Math.max(1, Math.abs(least))) {
    const room = Math.max(0.5, 1e-6 * Math.abs(least));
    [least, greatest] = [least - room, greatest + room];
  }
  const margin = 0.06 * (greatest - least);
  return [least - margin, greatest + margin];
}

// levels draws lines at round values, with the names of an enumeration
function levels(g, all, least, greatest, left, right, Y) {
  const names = all.length ? all[0].names : null;
  g.font = "11px system-ui, sans-serif";
  g.lineWidth = 1;
  g.strokeStyle = color("edge");
  g.fillStyle = color("soft");
  g.textAlign = "right";
  g.textBaseline = "middle";
  const whole = names && greatest - least < 12,
    marks = ticks(least, greatest, whole ? 12 : 4).filter(([v]) => !whole || Number.isInteger(v));
  // large numbers that change little have marks relative to a base
  const step = marks.length > 1 ? marks[1][0] - marks[0][0] : 1,
    most = Math.max(Math.abs(least), Math.abs(greatest)),
    base = most / step > 99999 && marks.length ? marks[0][1] : 0;
  for (const [v, text] of marks) {
    g.beginPath();
    g.moveTo(left, Y(v));
    g.lineTo(right, Y(v));
    g.stroke();
    const name = names?.[v] ? fitting(g, names[v], left - 10) : null;
    g.fillText(
      name ?? (base ? "+" + short(+(text - base).toPrecision(6)) : short(text)),
      left - 6,
      Y(v),
    );
  }
  if (!base) return;
  g.textAlign = "left";
  g.fillText(`above ${base}`, left + 6, Y(greatest) + 8);
}

// fitting shortens a text to a width in pixels
function fitting(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  let n = text.length - 1;
  while (n > 1 && g.measureText(text.slice(0, n) + "…").width > width) n--;
  return text.slice(0, n) + "…";
}

// curve draws a curve, with gaps where values are missing
function curve(g, c, curves, stroke, [from, to], X, Y) {
  const times = curves.times(c),
    gap = curves.gap(c),
    steps = c.names || c.steps;
  g.strokeStyle = stroke;
  g.lineWidth = 1.6;
  g.lineJoin = "round";
  g.beginPath();
  let before = null,
    y = 0,
    alone = false;
  // a value without neighbors is a dot
  const dot = () => {
    if (!alone) return;
    g.moveTo(X(before) + 2, y);
    g.arc(X(before), y, 2, 0, 2 * Math.PI);
  };
  let first = lastAt(times, from);
  while (first > 0 && c.values[first] === null) first--;
  for (let i = first; i < times.length; i++) {
    const v = c.values[i];
    if (v === null || v === undefined) continue;
    const x = X(times[i]),
      [a, b] = Array.isArray(v) ? v : [v, v];
    if (before === null || times[i] - before > gap) {
      dot();
      g.moveTo(x, Y(a));
      alone = true;
    } else {
      if (steps) g.lineTo(x, y);
      g.lineTo(x, Y(a));
      alone = false;
    }
    if (b !== a) g.lineTo(x, Y(b));
    y = Y(b);
    before = times[i];
    if (times[i] > to) break;
  }
  dot();
  g.stroke();
}

// readout shows the time and the values of all curves of a panel at the pointer
function readout(canvas, axis, curves, list, x) {
  const g = canvas.getContext("2d"),
    w = canvas.clientWidth,
    [from, to] = axis.view,
    t = from + ((x - axis.left) / (w - axis.left - axis.right)) * (to - from);
  if (t < from || t > to) return;
  const all = list.map((k) => curves.data.list[k]),
    texts = [+t.toPrecision(6) + " s", ...list.map((k) => curves.text(k, t))];
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "left";
  g.textBaseline = "alphabetic";
  const width = Math.max(...texts.map((text) => g.measureText(text).width)) + 22,
    height = 15 * texts.length + 6,
    left = x + 10 + width > w ? x - 10 - width : x + 10;
  g.strokeStyle = color("line");
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(x, 6);
  g.lineTo(x, canvas.clientHeight - 22);
  g.stroke();
  g.fillStyle = color("card");
  g.fillRect(left, 8, width, height);
  g.strokeRect(left + 0.5, 8.5, width, height);
  texts.forEach((text, n) => {
    if (n) {
      g.fillStyle = all[n - 1].color ?? color(hue(n - 1));
      g.fillRect(left + 6, 13 + 15 * n, 8, 8);
    }
    g.fillStyle = color("ink");
    g.fillText(text, left + (n ? 18 : 6), 21 + 15 * n);
  });
}
