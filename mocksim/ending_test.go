package mocksim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// stretch is a road of a straight map. Lanes with a number up to ending end there.
type stretch struct {
	length        float64
	lanes, ending int
	change        string // laneChange of the marks of all lanes
}

// inARow returns a straight one-way map of roads 1, 2, ..., whose lanes are -1, -2, ...
func inARow(t *testing.T, list ...stretch) *opendrive.Map {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<OpenDRIVE><header revMajor="1" revMinor="6"/>`)
	x := 0.0
	for k, r := range list {
		link := ""
		if k > 0 {
			link = fmt.Sprintf(`<predecessor elementType="road" elementId="%d" `+
				`contactPoint="end"/>`, k)
		}
		if k < len(list)-1 {
			link += fmt.Sprintf(`<successor elementType="road" elementId="%d" `+
				`contactPoint="start"/>`, k+2)
		}
		fmt.Fprintf(&b, `<road id="%d" junction="-1" length="%g"><link>%s</link><planView>`+
			`<geometry s="0" x="%g" y="0" hdg="0" length="%[2]g"><line/></geometry></planView>`+
			`<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>`,
			k+1, r.length, link, x)
		for n := 1; n <= r.lanes; n++ {
			link := ""
			if k > 0 && n <= list[k-1].lanes {
				link = fmt.Sprintf(`<predecessor id="%d"/>`, -n)
			}
			if k < len(list)-1 && n <= r.lanes-r.ending {
				link += fmt.Sprintf(`<successor id="%d"/>`, -n)
			}
			fmt.Fprintf(&b, `<lane id="%d" type="driving"><link>%s</link><width sOffset="0" `+
				`a="3.5" b="0" c="0" d="0"/><roadMark sOffset="0" type="broken" laneChange="%s"/>`+
				`</lane>`, -n, link, r.change)
		}
		b.WriteString(`</right></laneSection></lanes></road>`)
		x += r.length
	}
	b.WriteString(`</OpenDRIVE>`)
	m, err := opendrive.Read("row.xodr", strings.NewReader(b.String()))
	require.NoError(t, err)
	return m
}

// TestDrop_OfAShortLane checks that vehicles leave a lane that ends on a short road, although they
// must not change lanes on the roads before.
func TestDrop_OfAShortLane(t *testing.T) {
	for _, length := range []float64{8, 10, 12, 14, 16} {
		w := on(t, inARow(t, stretch{100, 2, 0, "none"}, stretch{60, 2, 0, "none"},
			stretch{length, 2, 1, "both"}, stretch{200, 1, 0, "both"}), mocksim.Options{})
		create(t, w, "car", mocksim.Car, mocksim.OnRoad("1", -2, 20).WithSpeed(10))
		require.NoError(t, w.SetController("car", mocksim.Controller{}))
		for w.Time() < 60*timebase.Second && view(t, w, "car").State().Position.X < 300 {
			for _, e := range steps(t, w, 1, 100*ms) {
				require.Equal(t, mocksim.LaneChange, e.Kind, "%g m: %s", length, describe(w, &e))
			}
		}
		require.GreaterOrEqual(t, view(t, w, "car").State().Position.X, 300.0, "%g m", length)
	}
}

// TestPopulate_LeavesOutDeadEnds checks that vehicles are not placed on lanes that end inside the
// map and that they cannot leave, beside a solid line, but on lanes that they can leave by one or
// more changes.
func TestPopulate_LeavesOutDeadEnds(t *testing.T) {
	for _, x := range []struct {
		first stretch
		good  int // the number of lanes that lead on
	}{
		{stretch{600, 2, 1, "none"}, 1}, {stretch{600, 3, 2, "none"}, 1},
		{stretch{600, 2, 1, "both"}, 2}, {stretch{600, 3, 2, "both"}, 3},
	} {
		w := on(t, inARow(t, x.first, stretch{600, 1, 0, "both"}), mocksim.Options{})
		require.NoError(t, w.Populate(mocksim.Traffic{Count: 25}))
		used := map[int]bool{}
		for k := range w.Len() {
			p := w.At(k).Place()
			require.LessOrEqual(t, -p.Lane.ID, x.good, "%+v: %s", x.first, w.At(k).Name())
			if p.Road.ID == "1" {
				used[p.Lane.ID] = true
			}
		}
		require.Len(t, used, x.good, "%+v", x.first)
	}
}
