package tracepage_test

import (
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/report/tracepage"
	"gosmp/timebase"
)

// use operates a page like a reader. The result describes the resulting page.
const use = `<script>
const errors = [];
window.onerror = text => { errors.push(text) };
window.onload = () => {
  const id = name => document.getElementById(name), key = k => document.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
  const drawn = c => { const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; return d.some(x => x) };
  const result = {errors, before: id("now").value, canvases: [...document.querySelectorAll("canvas")].map(drawn)};
  const picture = () => id("scene").toDataURL();
  const first = picture();
  key("ArrowRight"); result.right = id("now").value; result.moved = picture() !== first;
  key("End"); result.end = id("now").value;
  key("+"); result.speed = id("speed").value;
  result.cursor = [...document.querySelectorAll(".panel b")].map(b => b.textContent);
  id("search").value = "velocity.y id=11"; id("search").oninput(); result.found = id("found").textContent;
  id("search").value = "position.x"; id("search").oninput();
  const box = [...document.querySelectorAll("#found input")].find(b => !b.checked);
  if (box) { box.checked = true; box.onchange() }
  result.panels = document.querySelectorAll(".panel").length;
  document.querySelector(".panel button").click();
  result.removed = document.querySelectorAll(".panel canvas").length;
  const before = picture();
  id("around").click(); result.around = picture() !== before;
  document.querySelector("[data-at]")?.click(); result.jumped = id("now").value;
  result.nameless = [...document.querySelectorAll("button, input, select, canvas")].filter(e =>
    !e.getAttribute("aria-label") && !e.closest("label")?.textContent.trim() && !e.textContent.trim()).map(e => e.outerHTML);
  key(" "); result.playing = id("play").textContent;
  document.body.dataset.result = JSON.stringify(result);
};
</script>`

// shownBy opens a page in Chromium, uses it, and returns what it shows.
func shownBy(t *testing.T, page string) (result struct {
	Errors, Cursor, Nameless                          []string
	Before, Right, End, Speed, Found, Jumped, Playing string
	Canvases                                          []bool
	Moved, Around                                     bool
	Panels, Removed                                   int
}) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("needs chromium, and not -short")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(page, "<main>", use+"<main>", 1)),
		0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir="+t.TempDir(), "--window-size=1280,1600", "--dump-dom",
		"file://"+file).Output()
	require.NoError(t, err)
	found := regexp.MustCompile(`data-result="([^"]*)"`).FindSubmatch(out)
	require.NotNil(t, found, "the script of the page has failed")
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &result))
	return result
}

// TestPage_InABrowser: keys, the cursor, the search, views and links work, and all elements have a
// name.
func TestPage_InABrowser(t *testing.T) {
	r := shownBy(t, write(t, "drive.mcap", record(t, 20, "front"), tracepage.Options{}))
	require.Empty(t, r.Errors)
	require.Empty(t, r.Nameless)
	require.NotContains(t, r.Canvases, false, "each canvas shows something")
	require.Equal(t, "0.000 s", r.Before)
	require.Equal(t, "0.040 s", r.Right)
	require.Equal(t, "0.760 s", r.End)
	require.Equal(t, "2", r.Speed)
	require.True(t, r.Moved && r.Around)
	require.NotContains(t, r.Cursor, "")
	require.Contains(t, r.Found, "moving_object[id=110].base.velocity.y")
	require.GreaterOrEqual(t, r.Panels, 4)
	require.Equal(t, r.Panels-1, r.Removed)
	require.NotEqual(t, r.End, r.Jumped)
	require.Contains(t, r.Playing, "Pause")
}

// TestPage_PointsInABrowser: a page that contains only points works.
func TestPage_PointsInABrowser(t *testing.T) {
	r := shownBy(t, write(t, "a.mcap", written(t, "lidar", "sd", 5,
		func(at timebase.Time) proto.Message { return lidar(at, 400) }), tracepage.Options{}))
	require.Empty(t, r.Errors)
	require.NotContains(t, r.Canvases, false)
	require.Equal(t, "2.000 s", r.End)
}
