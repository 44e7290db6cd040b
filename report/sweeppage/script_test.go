package sweeppage_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// document stands in for the parts of a page that its script uses.
const document = `
const elements = {};
function make(name) {
  return {name, attributes: {}, children: [], dataset: {}, style: {}, hidden: true, selectedIndex: 0, checked: true, textContent: "",
    setAttribute(key, value) { this.attributes[key] = String(value); },
    append(child) { this.children.push(child); },
    addEventListener(name, f) { this["on" + name] = f; }, setPointerCapture() {},
    viewBox: {baseVal: {width: 1040}}, getBoundingClientRect: () => ({left: 10, top: 20, width: 520, height: 224}),
    replaceChildren() { this.children = []; }};
}
const paths = ["0", "1", "2"].map(v => { const p = make("path"); p.dataset.verdict = v; return p; });
const boxes = ["0", "1", "2"].map(v => { const b = make("input"); b.dataset.shows = v; return b; });
const window = {addEventListener() {}}, matchMedia = () => window;
const document = {
  readyState: "complete",
  getElementById: id => elements[id] ??= make(id),
  createElementNS: (space, name) => make(name),
  querySelectorAll: what => what === "path[data-verdict]" ? paths : what === "[data-shows]" ? boxes :
    what === "table" ? [] :
    paths.filter(p => what === "[data-verdict='" + p.dataset.verdict + "']"),
};
function choose(across, up) {
  elements.x.selectedIndex = across; elements.y.selectedIndex = up; elements.x.onchange();
  return paths.map(p => p.attributes.d);
}`

// scripted runs the script of a page, and returns a function that runs more.
func scripted(t *testing.T, page string) func(text string) goja.Value {
	t.Helper()
	parts := regexp.MustCompile(`(?s)id="data">(.*?)</script>\s*<script>(.*)</script>`).
		FindStringSubmatch(page)
	require.NotNil(t, parts)
	js := goja.New()
	run := func(text string) goja.Value {
		v, err := js.RunString(text)
		require.NoError(t, err, text)
		return v
	}
	run(document)
	require.NoError(t, js.Set("text", parts[1]))
	run(`document.getElementById("data").textContent = text`)
	run(parts[2])
	return run
}

// The script of a page draws the same marks as the page without it, and other marks if other
// columns are chosen. Its checkboxes hide verdicts.
func TestWrite_Script(t *testing.T) {
	page := write(t, grid(12, 6))
	run := scripted(t, page)
	require.False(t, run(`elements.choose.hidden`).ToBoolean(),
		"the choice is shown to those who have scripts")

	still := regexp.MustCompile(
		`<path class="m [a-z]+" data-verdict="([0-2])" d="([^"]*)"`).FindAllStringSubmatch(page, -1)
	require.Len(t, still, 3)
	drawn := run(`choose(0, 1)`).Export().([]any)
	for k, path := range still {
		sameMarks(t, path[2], drawn[k].(string))
	}
	require.Equal(t, "gap", run(`elements.xname.textContent`).String())
	require.Equal(t, "speed", run(`elements.yname.textContent`).String())

	other := run(`choose(1, 2)`).Export().([]any)
	require.NotEqual(t, drawn, other)
	require.Equal(t, "surface", run(`elements.yname.textContent`).String())
	require.Equal(t, []any{"dry", "wet"},
		run(
			`elements.ticks.children.filter(e => e.attributes["text-anchor"] === "end").map(e => `+
				`e.textContent)`).Export())
	require.Equal(t, drawn, run(`choose(0, 1)`).Export(), "the first choice again")

	run(`boxes[2].checked = false; boxes[2].onchange()`)
	require.Equal(t, []any{"", "", "none"}, run(`paths.map(p => p.style.display ?? "")`).Export())
	run(`boxes[2].checked = true; boxes[2].onchange()`)
	require.Equal(t, []any{"", "", ""}, run(`paths.map(p => p.style.display ?? "")`).Export())
}

// A reader zooms and moves the scatter plot and requests the run of a mark.
func TestWrite_ScriptZooms(t *testing.T) {
	run := scripted(t, write(t, grid(12, 6)))
	before := run(`choose(0, 1)`).Export()
	run(`const mark = /M([0-9.]+) ([0-9.]+)/.exec(paths[0].attributes.d)`)
	run(`const event = (x, y) => ({clientX: 10 + x / 2, clientY: 20 + y / 2, pointerId: 1})`)
	run(`const press = (x, y) => { elements.scatter.onpointerdown(event(x, y)); ` +
		`elements.scatter.onpointerup(event(x, y)); }`)
	run(`press(+mark[1] + 3, +mark[2])`)
	require.Regexp(t, `^Case \d+, passed: gap = .*speed = `,
		run(`elements.info.textContent`).String())
	require.NotEmpty(t, run(`elements.chosen.attributes.d`).String())
	run(`press(5, 5)`)
	require.Contains(t, run(`elements.info.textContent`).String(), "Click on a mark")
	require.Empty(t, run(`elements.chosen.attributes.d`).String())

	labels := `elements.ticks.children.filter(e => e.attributes["text-anchor"]).map(e => ` +
		`e.textContent).join()`
	whole := run(labels).String()
	run(`for (let k = 0; k < 6; k++) elements.closer.onclick()`)
	require.NotEqual(t, before, run(`paths.map(p => p.attributes.d)`).Export())
	require.NotEqual(t, whole, run(labels).String(), "other ticks in a part")
	drawn := run(`paths[0].attributes.d`).String()
	run(`elements.scatter.onkeydown({key: "ArrowLeft", preventDefault() {}})`)
	require.NotEqual(t, drawn, run(`paths[0].attributes.d`).String())
	run(`elements.all.onclick()`)
	require.Equal(t, before, run(`paths.map(p => p.attributes.d)`).Export())
	require.Equal(t, whole, run(labels).String())
	run(`elements.scatter.onkeydown({key: "-", preventDefault() {}})`)
	require.Equal(t, before, run(`paths.map(p => p.attributes.d)`).Export(),
		"never more than the whole")
}

// sameMarks compares paths mark by mark. The two implementations round halves differently.
func sameMarks(t *testing.T, expected, found string) {
	t.Helper()
	mark := regexp.MustCompile(`M([\d.]+) ([\d.]+)([hm][^M]*)`)
	a, b := mark.FindAllStringSubmatch(expected, -1), mark.FindAllStringSubmatch(found, -1)
	require.NotEmpty(t, a)
	require.Len(t, b, len(a))
	for k := range a {
		require.Equal(t, a[k][3], b[k][3], "shape of mark %d", k)
		for axis := 1; axis <= 2; axis++ {
			x, err := strconv.ParseFloat(a[k][axis], 64)
			require.NoError(t, err)
			y, err := strconv.ParseFloat(b[k][axis], 64)
			require.NoError(t, err)
			require.InDelta(t, x, y, 0.11, "mark %d", k)
		}
	}
}
