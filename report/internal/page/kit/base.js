"use strict";
// What all parts of a page share: elements, colors, list positions, canvases and axes.

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
const button = (to, text, name, what) => {
  const b = element("button", to, { type: "button", "aria-label": name, title: name }, text);
  b.onclick = what;
  return b;
};

// lastAt returns the index of the last time that is not later, or 0 before the first one.
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

// onLook calls a function when its drawing may look different: new size, new theme, or printing.
const looks = [];
function onLook(draw) {
  looks.push(draw);
}
{
  const all = () => looks.forEach((draw) => draw()),
    paper = (is) => {
      document.documentElement.classList.toggle("paper", is);
      all();
    };
  window.addEventListener("resize", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  window.addEventListener("beforeprint", () => paper(true));
  window.addEventListener("afterprint", () => paper(false));
}

// sized matches the pixels of a canvas to the screen.
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
    step = [1, 2, 5, 10].find((k) => k * unit >= raw * (1 - 1e-9)) * unit,
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

// the hues of curves, states and sensors: in style sheets by name, in canvases by color
const hues = 8,
  hue = (n) => `c${n % hues}`;

// Tables that do not fit become lists of labelled values, such as on a phone.
{
  const label = (table) => {
    const names = [...table.rows[0].cells].map((c) => (c.tagName === "TH" ? c.textContent : null));
    if (names.length < 2 || names.includes(null)) return false;
    for (const row of [...table.rows].slice(1))
      [...row.cells].forEach((c, k) => {
        c.dataset.name = names[k] ?? "";
      });
    return true;
  };
  const fit = (table) => {
    table.classList.remove("list");
    if (table.scrollWidth > table.parentElement.clientWidth + 1) table.classList.add("list");
  };
  const begin = () => {
    const tables = [...document.querySelectorAll("table")].filter((t) => t.rows.length && label(t)),
      all = () => tables.forEach(fit);
    all();
    onLook(all);
    for (const d of document.querySelectorAll("details")) d.addEventListener("toggle", all);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
}
