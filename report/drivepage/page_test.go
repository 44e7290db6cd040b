package drivepage_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/report/drivepage"
	"gosmp/timebase"
)

// drive returns the page of a drive with n steps of 50 ms, with a vehicle whose name would end the
// script.
func drive(t *testing.T, n int) string {
	t.Helper()
	m, err := opendrive.ReadFile("../../mocksim/testdata/ring.xodr")
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{Seed: 1})
	require.NoError(t, err)
	require.NoError(t, w.Create(mocksim.Actor{Name: "</script>", Start: mocksim.OnRoad("1", -1,
		50)}))
	require.NoError(t, w.SetController("</script>", mocksim.Controller{}))
	r := drivepage.New(w, "</script>")
	for k := range n {
		events, err := w.Step(50 * timebase.Millisecond)
		require.NoError(t, err)
		if k == 0 { // between two moments
			events = append(events, mocksim.Event{Time: w.Time(), Kind: mocksim.Collision,
				Actor: "</script>", Other: "wall"})
		}
		r.Add(w, events)
	}
	var b bytes.Buffer
	require.NoError(t, r.Write(&b))
	return b.String()
}

// contentOf returns the data of a page.
func contentOf(t *testing.T, text string) (data struct {
	Last  float64
	Scene struct {
		Bodies []struct{ Name string }
		Frames []struct {
			T       float64
			Host    int
			Objects []float64
		}
	}
	Changes []float64
	Curves  struct{ List []struct{ Path string } }
}) {
	t.Helper()
	_, rest, found := strings.Cut(text, `id="data">`)
	require.True(t, found)
	require.NoError(t, json.NewDecoder(strings.NewReader(rest)).Decode(&data))
	return data
}

func TestWrite(t *testing.T) {
	text := drive(t, 20)
	require.Equal(t, text, drive(t, 20))
	require.NotContains(t, text, "http:")
	require.Equal(t, 2, strings.Count(text, "</script>"), "those of the page itself")
	require.Contains(t, text, `<h1>ring.xodr</h1>`)
	require.Contains(t, text, "1 collision")
	require.Contains(t, text, "collision &lt;/script&gt; wall")
	data := contentOf(t, text)
	require.Equal(t, []float64{0.05}, data.Changes)
	require.InDelta(t, 1, data.Last, 0)
	require.Len(t, data.Scene.Frames, 11)
	require.InDelta(t, 1, data.Scene.Frames[10].T, 0)
	require.Zero(t, data.Scene.Frames[10].Host)
	require.Greater(t, data.Scene.Frames[10].Objects[1], 50.0)
	require.Equal(t, "</script> speed, m/s", data.Curves.List[0].Path)
}

// TestWrite_Long: a long drive has a bounded number of moments, at equal distances.
func TestWrite_Long(t *testing.T) {
	data := contentOf(t, drive(t, 6200))
	n := len(data.Scene.Frames)
	require.Less(t, n, 3000)
	require.InDelta(t, 310, data.Scene.Frames[n-1].T, 0.2)
	for k := 1; k < n; k++ {
		require.InDelta(t, 0.2, data.Scene.Frames[k].T-data.Scene.Frames[k-1].T, 1e-9)
	}
}
