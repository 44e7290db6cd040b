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
