package mocksim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestDrops_HeedsMarks checks that vehicles stop at the end of a lane with room for the changes
// that marks allow. Lanes -2 and -3 end between two that continue, and a solid line may separate -1
// from -2, or -3 from -4.
func TestDrops_HeedsMarks(t *testing.T) {
	for _, c := range []struct {
		solid [2]bool
		drops [4]int // by lane, from -1 to -4
	}{
		{[2]bool{false, false}, [4]int{0, 1, 1, 0}},
		{[2]bool{true, false}, [4]int{0, 2, 1, 0}},
		{[2]bool{false, true}, [4]int{0, 1, 2, 0}},
		{[2]bool{true, true}, [4]int{0, 1, 1, 0}},
	} {
		w, err := New(middleEnds(t, c.solid), Options{})
		require.NoError(t, err)
		t.Cleanup(w.Close)
		require.NoError(t, w.meet())
		for k := range w.crossings.movements {
			m := &w.crossings.movements[k]
			l := m.first().Lane
			if l.Section.Road.ID != "1" {
				continue
			}
			want := c.drops[-l.ID-1]
			require.Equal(t, want, w.drops(m), "solid %v, lane %d", c.solid, l.ID)
			if want > 0 {
				w.conflictsOn(int32(k))
				require.InDelta(t, m.length-roomToChange*float64(want), m.drop, 1e-9,
					"solid %v, lane %d", c.solid, l.ID)
			}
		}
	}
}

// middleEnds returns a road of four lanes, of which the outer ones lead to the next road. Solid
// lines separate them from the inner ones, the first one from the second one if solid[0] is true.
func middleEnds(t *testing.T, solid [2]bool) *opendrive.Map {
	t.Helper()
	road := func(id int, x float64, link string, lanes ...string) string {
		return fmt.Sprintf(`<road id="%d" length="300" junction="-1"><link>%s</link><planView>`+
			`<geometry s="0" x="%g" y="0" hdg="0" length="300"><line/></geometry></planView>`+
			`<lanes><laneSection s="0"><center><lane id="0" type="none"/></center>`+
			`<right>%s</right></laneSection></lanes></road>`, id, link, x, strings.Join(lanes, ""))
	}
	lane := func(id int, link string, solid bool) string {
		kind, change := "broken", "both"
		if solid {
			kind, change = "solid", "none"
		}
		return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link>`+
			`<width sOffset="0" a="3.5" b="0" c="0" d="0"/>`+
			`<roadMark sOffset="0" type="%s" laneChange="%s"/></lane>`, id, link, kind, change)
	}
	next := func(kind string, id int) string { return fmt.Sprintf(`<%s id="%d"/>`, kind, id) }
	to := func(kind string, id int, at string) string {
		return fmt.Sprintf(`<%s elementType="road" elementId="%d" contactPoint="%s"/>`, kind, id,
			at)
	}
	text := `<OpenDRIVE><header revMajor="1" revMinor="6"/>` +
		road(1, 0, to("successor", 2, "start"), lane(-1, next("successor", -1), solid[0]),
			lane(-2, "", false), lane(-3, "", solid[1]), lane(-4, next("successor", -4), false)) +
		road(2, 300, to("predecessor", 1, "end"), lane(-1, next("predecessor", -1), false),
			lane(-2, "", false), lane(-3, "", false), lane(-4, next("predecessor", -4), false)) +
		`</OpenDRIVE>`
	m, err := opendrive.Read("middle.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return m
}
