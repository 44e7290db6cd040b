// A page that plays something back contains its data as JSON: first and last time, scene, lanes and
// curves. Each of them may be missing.
function playback(data) {
  const frames = data.scene?.frames ?? [],
    lanes = data.lanes ?? [],
    list = data.curves?.list ?? [],
    id = (name) => document.getElementById(name);
  const moments = frames.length ? frames.map((f) => f.t) : momentsOf(data.curves, data.first);
  const clock = new Clock(data.first, data.last, moments, data.changes ?? []),
    axis = new Axis(clock);
  if (id("scene") && frames.length) scenery(data.scene, clock);
  if (id("controls") && (data.live || data.last > data.first)) controls(id("controls"), clock, axis);
  if (id("lanes")) new Lanes(id("lanes"), lanes, clock, axis);
  if (id("curves") && list.length)
    new Curves(id("curves"), data.curves, clock, axis, data.chosen ?? wished(list, hostOf(data.scene)));
  return { clock, axis };
}

// momentsOf returns the times of a page without a scene: the times of its curves
function momentsOf(curves, first) {
  const all = new Set(curves?.times ?? []);
  for (const list of Object.values(curves?.channels ?? {})) for (const t of list) all.add(t);
  for (const c of curves?.list ?? []) for (const t of c.times ?? []) all.add(t);
  return all.size ? [...all].sort((a, b) => a - b) : [first];
}

// scenery creates the tools of a scene
function scenery(scene, clock) {
  const id = (name) => document.getElementById(name),
    view = new Scene(id("scene"), scene, clock),
    layers = id("layers"),
    follow = id("follow");
  const layer = (name, key, fill, to = layers) => {
    const label = element("label", to),
      box = element("input", label, { type: "checkbox" });
    box.checked = true;
    if (fill) element("i", label).style.background = fill;
    label.append(name);
    box.onchange = () => {
      if (box.checked) view.hidden.delete(key);
      else view.hidden.add(key);
      view.draw();
    };
  };
  const posed = scene.frames.some((f) => f.pose);
  id("around").closest("label").hidden = !posed;
  if (scene.sensors.length)
    layer(
      scene.bodies.length || scene.lines.length ? "truth" : "host vehicle",
      "truth",
      "var(--body)",
    );
  scene.sensors.forEach((s, k) => {
    if (!s.shown) return;
    const group = element("span", layers, { class: "sensor" });
    layer(s.topic, "sensor " + k, `var(--${hue(k + 3)})`, group);
    for (const c of s.clouds) cloudTools(group, view, c);
  });
  follow.checked = view.follow;
  view.onmove = () => {
    follow.checked = false;
  };
  view.oninfo = (text) => {
    if (id("info").textContent !== text) id("info").textContent = text;
  };
  follow.onchange = () => {
    view.follow = follow.checked;
    view.draw();
  };
  id("around").onchange = (e) => {
    view.around = e.target.checked;
    view.draw();
  };
  id("closer").onclick = () => view.zoom(1.4);
  id("farther").onclick = () => view.zoom(1 / 1.4);
  id("all").onclick = () => {
    const f = view.moment(),
      places = f.pose ? [f.pose[0], f.pose[1]] : [];
    for (let k = 0; k < f.objects.length; k += 5) places.push(f.objects[k + 1], f.objects[k + 2]);
    if (scene.small) view.show(view.track.flatMap((p) => [p[0], p[1]]));
    else view.show(places, 10);
    follow.checked = false;
    view.draw();
  };
  view.draw();
}

// cloudTools lets a reader choose the value by which points are colored
function cloudTools(to, view, c) {
  const select = element("select", to, {
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
  element("i", to, { class: "ramp", title: "colors from the least to the greatest value" });
  select.value = c.low.length > 3 ? 3 : 2;
  select.onchange = () => {
    view.by.set(c, +select.value);
    view.draw();
  };
}

// hostOf returns the id of the host vehicle, or undefined
function hostOf(scene) {
  const f = scene?.frames.find((f) => f.host >= 0);
  return f && scene.bodies[f.host].id;
}

// wished returns the curves that a reader sees first: metrics, or the motion of the vehicle
function wished(list, host) {
  const wishes = [
      /^metrics: Minimum (gap|time to)/,
      /^metrics: (Detection rate|Maximum position)/,
      /host_vehicle_location\.(position|velocity)\.[xyz]$/,
      new RegExp(`moving_object\\[id=${host}\\]\\.base\\.velocity\\.[xy]$`),
      /velocity\.[xy]$/,
      /./,
    ],
    first = [],
    changes = (c) => {
      const all = c.values.flat().filter((v) => typeof v === "number"),
        least = all.reduce((a, v) => Math.min(a, v), Infinity),
        greatest = all.reduce((a, v) => Math.max(a, v), -Infinity);
      return greatest - least > 1e-9; // or else it is the noise of a computation
    },
    // a vehicle is often in the truth and in a message of its own
    twin = (c) => first.some((n) => list[n].unit === c.unit && "" + list[n].values === "" + c.values);
  let panels = 0;
  const stamp = (c) => /(timestamp|last_measurement_time)\.(seconds|nanos)$/.test(c.path);
  const own = (c) => !c.path.includes("sensor_view["); // usually in another channel, too
  for (const worth of [(c) => changes(c) && own(c) && !twin(c), changes, () => true])
    for (const wish of wishes)
      list.forEach((c, k) => {
        const name = (c.channel ? c.channel + ": " : "") + c.path;
        if (first.includes(k) || stamp(c) || !wish.test(name) || !worth(c)) return;
        // a metric of all sensors needs one panel
        const joined = c.group && first.some((n) => list[n].group === c.group);
        if (joined || panels < 4) first.push(k);
        if (!joined) panels++;
      });
  return first.sort((a, b) => a - b);
}

// the page of a live run has no data yet; the data of a sweep are columns
{
  const text = document.getElementById("data")?.textContent,
    data = text ? JSON.parse(text) : null,
    svg = document.getElementById("scatter");
  if (data && !data.columns) playback(data);
  else if (data && svg) new Scatter(svg, data);
}
