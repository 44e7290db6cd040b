// touch moves what an element shows with one pointer, zooms it with two, and picks something with a
// click. Distances and positions are in pixels, relative to the element.
function touch(to, what) {
  const down = new Map();
  let moved = false;
  const apart = () => {
    const [p, q] = [...down.values()];
    return Math.max(1, Math.hypot(p.x - q.x, p.y - q.y));
  };
  to.onpointerdown = (e) => {
    if (!down.size) moved = false;
    down.set(e.pointerId, { x: e.clientX, y: e.clientY });
    to.setPointerCapture(e.pointerId);
  };
  to.onpointermove = (e) => {
    const p = down.get(e.pointerId);
    if (!p) return;
    const dx = e.clientX - p.x,
      dy = e.clientY - p.y,
      before = down.size === 2 ? apart() : 0;
    if (!moved && Math.hypot(dx, dy) < 4) return;
    moved = true;
    Object.assign(p, { x: e.clientX, y: e.clientY });
    if (down.size === 1) return what.move(dx, dy);
    const r = to.getBoundingClientRect(),
      all = [...down.values()],
      middle = (key) => all.reduce((sum, q) => sum + q[key], 0) / all.length;
    if (before) what.zoom(apart() / before, middle("x") - r.left, middle("y") - r.top);
  };
  to.onpointercancel = (e) => down.delete(e.pointerId);
  to.onpointerup = (e) => {
    const r = to.getBoundingClientRect();
    if (down.delete(e.pointerId) && !moved) what.pick(e.clientX - r.left, e.clientY - r.top);
  };
}
