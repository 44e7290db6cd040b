// The page of a live run: it gets its data as server-sent events, and sends the requests of its
// reader.
const id = (name) => document.getElementById(name),
  token = new URLSearchParams(location.search).get("token") ?? "",
  ask = "?token=" + encodeURIComponent(token),
  most = 6000; // moments; the oldest are dropped
let data = null,
  shown = null,
  held = false,
  over = false;

function say(text) {
  if (id("state").textContent !== text) id("state").textContent = text;
}

function begin(all) {
  data = all;
  for (const [name, list] of [
    ["seen", data.scene?.frames],
    ["drawn", data.curves?.list],
  ])
    id(name).hidden = !list?.length;
  shown = playback(data);
  shown.clock.set(shown.clock.last);
}

function add(more) {
  const { clock, axis } = shown;
  if (!data.scene && more.frames.length) return location.reload(); // the first picture
  axis.extend(() => {
    if (data.scene) {
      const { bodies, lines, styles } = more;
      Object.assign(data.scene, { bodies, lines, styles });
      data.scene.frames.push(...more.frames);
    }
    if (data.curves) {
      data.curves.times.push(...more.times);
      data.curves.list.forEach((c, k) => c.values.push(...more.values.map((row) => row[k])));
    }
    clock.extend(more.times);
    if (clock.moments.length > most) forget(clock, most / 4);
  });
}

function forget(clock, n) {
  data.scene?.frames.splice(0, n);
  data.curves?.times.splice(0, n);
  for (const c of data.curves?.list ?? []) c.values.splice(0, n);
  clock.forget(n);
}

function send(what) {
  return fetch("control" + ask, { method: "POST", body: JSON.stringify(what) }).then(async (r) => {
    if (!r.ok) say("Refused: " + (await r.text()));
  });
}

const source = new EventSource("data" + ask);
source.addEventListener("all", (e) => {
  if (shown) location.reload(); // too much has happened in the meantime
  else begin(JSON.parse(e.data));
});
source.addEventListener("more", (e) => add(JSON.parse(e.data)));
source.addEventListener("state", (e) => {
  const s = JSON.parse(e.data);
  held = s.held;
  over = s.over;
  id("hold").textContent = held ? "▶ Go on" : "❚❚ Pause the run";
  id("pace").value = s.speed;
  if (id("pace").value === "") element("option", id("pace"), { value: s.speed, selected: "" }, s.speed + "×");
  const at = s.time.toFixed(3) + " s";
  say(over ? `The run has ended at ${at}. ${s.text}` : held ? `Paused at ${at}.` : `Running, ${at}.`);
  for (const b of document.querySelectorAll("#run button, #run select, #send input, #send button")) b.disabled = over;
  if (over) source.close();
});
source.onerror = () => {
  if (!over) say("The run does not answer. It has ended, or the program has been stopped.");
};

id("hold").onclick = () => send({ do: held ? "go" : "pause" });
id("one").onclick = () => send({ do: "step" });
id("pace").onchange = () => send({ do: "speed", speed: +id("pace").value });
for (const b of document.querySelectorAll(".event"))
  b.onclick = () => send({ do: "event", event: b.dataset.event });
id("send")?.addEventListener("submit", (e) => {
  e.preventDefault();
  const text = id("typed").value.trim(),
    [name] = text.split(/\s/, 1),
    rest = text.slice(name.length).trim();
  if (!name) return;
  try {
    const what = { do: "event", event: name };
    if (rest) what.data = JSON.parse(rest);
    send(what);
  } catch {
    say("Not sent: data in JSON is expected after the name of the event.");
  }
});
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
  if (e.key === "p") id("hold").click();
  if (e.key === "n") id("one").click();
});
