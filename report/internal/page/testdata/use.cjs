// Uses a page as a reader does, and prints what it has seen as JSON: node use.cjs CHROMIUM URL
const { chromium } = require("playwright-core");

// faint returns the texts with a contrast below 4.5 (WCAG 2, level AA)
function faint() {
  const parts = (text) => (text.match(/[\d.]+/g) ?? []).map(Number),
    luminance = (c) =>
      c
        .slice(0, 3)
        .map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4))
        .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0.05),
    behind = (e) => {
      for (; e; e = e.parentElement) {
        const c = parts(getComputedStyle(e).backgroundColor);
        if (c.length === 3 || c[3] === 1) return c;
      }
      return [255, 255, 255];
    };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest("script, style, svg, option")) continue;
    const [a, b] = [luminance(parts(getComputedStyle(e).color)), luminance(behind(e))];
    if (Math.max(a, b) / Math.min(a, b) < 4.5) found.push(e.outerHTML.slice(0, 80));
  }
  return found;
}

async function main([executablePath, url]) {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] }),
    page = await browser.newPage({ viewport: { width: 1200, height: 1800 } }),
    r = { errors: [], requests: 0 };
  page.on("pageerror", (e) => r.errors.push(e.message));
  page.on("request", () => r.requests++);
  await page.goto(url);
  const now = () => page.locator("#now").inputValue().catch(() => page.locator("#now").textContent()),
    box = (selector) => page.locator(selector).first().boundingBox();
  r.begin = await now();
  await page.keyboard.press("]");
  r.changed = await now();
  r.states = await page.locator(".states").textContent();
  const lanes = await box("#lanes canvas"),
    curve = await box("#curves canvas"),
    inside = (b, part) => b.x + 62 + (b.width - 70) * part;
  await page.mouse.click(inside(lanes, 0.55), lanes.y + 10);
  r.clicked = await now();
  await page.mouse.move(inside(curve, 0.2), curve.y + 40);
  await page.mouse.down();
  await page.mouse.move(inside(curve, 0.755), curve.y + 40, { steps: 5 });
  await page.mouse.up();
  r.dragged = await now();
  await page.keyboard.press("Home");
  r.reverted = await now();
  const scene = await box("#scene"); // 6 pixels a metre on a straight road, the host in the middle
  await page.mouse.click(scene.x + scene.width / 2 + 180, scene.y + scene.height / 2);
  r.info = await page.locator("#info").textContent();
  const image = () => page.evaluate(() => document.querySelector("#curves canvas").toDataURL());
  r.whole = await image();
  await page.keyboard.press("i");
  r.zoomed = await image();
  await page.keyboard.press("w");
  const light = await image();
  await page.mouse.move(inside(curve, 0.5), curve.y + 40);
  r.hovered = (await image()) !== light;
  await page.mouse.move(scene.x + 5, scene.y + 5);
  r.left = (await image()) === light;
  r.faint = await page.evaluate(faint);
  await page.emulateMedia({ colorScheme: "dark" });
  const frame = () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
  await page.evaluate(frame);
  r.dark = (await image()) !== light;
  r.faint.push(...(await page.evaluate(faint)));
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  r.paper = (await image()) === light;
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.keyboard.press(" ");
  r.playing = await page.locator("#play").textContent();
  Object.assign(
    r,
    await page.evaluate(() => {
      const bars = JSON.parse(document.getElementById("data").textContent).lanes[0].bars,
        rows = Lanes.prototype.stack(bars),
        overlaps = bars.some((a) =>
          bars.some((b) => a !== b && a.row === b.row && a.from < b.to && b.from < a.to),
        ),
        named = (e) =>
          e.getAttribute("aria-label") || e.closest("label")?.textContent.trim() || e.textContent.trim(),
        nameless = [...document.querySelectorAll("button, input, select, canvas")].filter((e) => !named(e));
      // zeros before the first sample: of a latitude, and of a switch, a rise and a late step
      const fixes = Array.from({ length: 98 }, (_, k) => 53.2 + k / 1e3),
        times = Array.from({ length: 100 }, (_, k) => k),
        ones = fixes.map(() => 1),
        late = Array(50).fill(0).concat(fixes.slice(0, 50)),
        hidden = [[0, [0, 53.3], ...fixes], [0, 0, ...ones], times, late].map((values) =>
          afterZeros({ values }, times),
        );
      // a curve that is in two channels, noise, and others
      const wishes = ["x", "x", "y", "lat", "lon", "alt"].map((name, k) => ({
          path: "base.velocity." + name,
          unit: "m/s",
          values: [[0, 1], [0, 1], [0, -2e-16], [0, 2], [0, 3], [0, 4]][k],
        })),
        wanted = wished(wishes, "1");
      return { rows, overlaps, hidden, wanted, nameless: nameless.map((e) => e.outerHTML) };
    }),
  );
  await browser.close();
  console.log(JSON.stringify(r));
}

main(process.argv.slice(2)).catch((e) => {
  console.error(e);
  process.exit(1);
});
