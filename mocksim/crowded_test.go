package mocksim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// chain returns a map whose roads follow each other in a ring.
func chain(t *testing.T, roads int, length float64) *opendrive.Map {
	t.Helper()
	var b strings.Builder
	for k := range roads {
		fmt.Fprintf(&b, `<road id="%d" length="%[2]g" junction="-1"><link>
<predecessor elementType="road" elementId="%[3]d" contactPoint="end"/>
<successor elementType="road" elementId="%[4]d" contactPoint="start"/></link>
<planView><geometry s="0" x="%[5]g" y="0" hdg="0" length="%[2]g"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>`, k,
			length, (k+roads-1)%roads, (k+1)%roads, float64(k)*length)
	}
	m, err := opendrive.Read("chain.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+b.String()+`</OpenDRIVE>`))
	require.NoError(t, err)
	return m
}

// TestPopulate_Crowded: thousands of roads at one place, each of which is near all others, are an
// error, not hours of work.
func TestPopulate_Crowded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain(t, 1000, 1e-6))
	err := w.Populate(Traffic{Count: 1})
	require.ErrorIs(t, err, opendrive.ErrMap)
	require.ErrorContains(t, err, "pairs of lanes within 12 m of each other, most of them around (")
	require.ErrorContains(t, err, "with 1000 lanes such as ")
	require.ErrorContains(t, err, "expected at most 150050 on this map")
}

// TestSetController_TinyRing: the way around a ring of tiny roads has no end, but the part of it
// that a driver knows has one.
func TestSetController_TinyRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain(t, 20, 1e-6))
	require.NoError(t, w.Create(Actor{Name: "a", Kind: Car, Start: OnRoad("0", -1, 0)}))
	require.NoError(t, w.SetController("a", Controller{}))
	_, err := w.Step(20e6)
	require.NoError(t, err)
	d := &w.find("a").driver
	require.LessOrEqual(t, len(d.path.legs[0].courses)-d.index, mostAhead)
}

// TestPopulate_TooLong: lanes are refused if measuring them would take minutes.
func TestPopulate_TooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain(t, 51, 1e6))
	err := w.Populate(Traffic{Count: 1})
	require.ErrorIs(t, err, opendrive.ErrMap)
	require.ErrorContains(t, err, "51000 km of lanes for vehicles, expected at most 50000 km")
}
