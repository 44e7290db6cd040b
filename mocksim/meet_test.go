package mocksim

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestConflictsOn_AsInAdvance checks that a movement has the same conflicts whether all conflicts
// are found in advance or only its own on demand, in any order.
func TestConflictsOn_AsInAdvance(t *testing.T) {
	maps := map[string]*opendrive.Map{
		"loop": bent(t, 0, [2]float64{1e-9, 60}, [2]float64{1.0 / 15, 22.5 * math.Pi},
			[2]float64{1e-9, 60}),
	}
	for _, pattern := range []string{"testdata/*.xodr", "../examples/*/*.xodr"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			maps[file], err = opendrive.ReadFile(file)
			require.NoError(t, err)
		}
	}
	some, own := 0, 0
	for name, m := range maps {
		all, one := newWorld(t, m), newWorld(t, m)
		require.NoError(t, all.meet())
		require.NoError(t, one.meet())
		j := one.crossings
		j.search, j.conflicts = one.newSearch(j), make([][]conflict, len(j.movements))
		for k := range j.movements {
			j.movements[k].drop = inf
		}
		for k := range j.movements {
			number := int32(len(j.movements) - 1 - k)
			want := all.crossings.conflicts[number]
			require.Equal(t, want, one.conflictsOn(number), "%s, movement %d", name, number)
			require.Equal(t, all.crossings.movements[number].drop, j.movements[number].drop)
			some += len(want)
			for _, c := range want {
				if c.other == number {
					own++
				}
			}
		}
	}
	require.Positive(t, own, "no movement meets itself")
	require.Greater(t, some, 100)
}

func newWorld(t *testing.T, m *opendrive.Map) *World {
	t.Helper()
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// largeWorld returns a world with 60 roads of 10 km, each with a lane for each direction.
func largeWorld(t *testing.T) *World {
	t.Helper()
	var roads strings.Builder
	for k := range 60 {
		fmt.Fprintf(&roads, `<road id="%d" length="10000" junction="-1"><planView>
<geometry s="0" x="0" y="%d" hdg="0" length="10000"><line/></geometry></planView>
<lanes><laneSection s="0"><left><lane id="1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></left>
<center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road>`, k, 100*k)
	}
	m, err := opendrive.Read("large.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="8"/>`+roads.String()+`</OpenDRIVE>`))
	require.NoError(t, err)
	return newWorld(t, m)
}

// TestPopulate_LargeMap checks that neither the places nor the conflicts of all of a large map are
// computed for a few vehicles: a map of 29 MB took minutes.
func TestPopulate_LargeMap(t *testing.T) {
	w := largeWorld(t)
	outside, _, _ := w.places(10)
	require.Less(t, len(outside), fewPlaces*11/10)
	require.Greater(t, len(outside), fewPlaces/2)
	again, _, _ := largeWorld(t).places(10)
	require.Equal(t, outside, again)

	require.NoError(t, w.Populate(Traffic{Count: 10}))
	require.Equal(t, 10, w.Len())
	known := 0
	for _, k := range w.crossings.search.known {
		if k {
			known++
		}
	}
	require.Positive(t, known)
	require.Less(t, known, 40)
}

// TestMeasure_Uniform checks that rails of uniform lanes have the same limits as if all samples
// were taken.
func TestMeasure_Uniform(t *testing.T) {
	some := 0
	for _, file := range []string{"../examples/maps/crossing.xodr", "../examples/maps/motorway.xodr",
		"../examples/maps/left.xodr", "testdata/straight.xodr"} {
		m, err := opendrive.ReadFile(file)
		require.NoError(t, err)
		for _, l := range m.Lanes() {
			if !l.Drivable() || l.Section.Length() <= 0 {
				continue
			}
			fast, slow := newRail(l, strandOf(m, l), 10), newRail(l, strandOf(m, l), 10)
			if !fast.uniform() {
				continue
			}
			some++
			slow.narrow, slow.bays, slow.most = false, false, 0
			slow.sample(10, 1)
			require.Equal(t, slow, fast, "%s, %s", file, l)
		}
	}
	require.Greater(t, some, 5)
}

// TestMeet_ARingIsNoConflict checks that the end of a ring, which leads to its own start, is no
// place where vehicles wait for each other.
func TestMeet_ARingIsNoConflict(t *testing.T) {
	const radius = 40.0
	m, err := opendrive.Read("ring.xodr", strings.NewReader(fmt.Sprintf(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="%[1]g" junction="-1"><link>
<predecessor elementType="road" elementId="1" contactPoint="end"/>
<successor elementType="road" elementId="1" contactPoint="start"/></link><planView>
<geometry s="0" x="0" y="0" hdg="0" length="%[1]g"><arc curvature="%[2]g"/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
</OpenDRIVE>`, 2*math.Pi*radius, 1/radius)))
	require.NoError(t, err)
	w := newWorld(t, m)
	require.NoError(t, w.Populate(Traffic{Count: 1}))
	require.Len(t, w.crossings.movements, 1)
	require.Empty(t, w.conflictsOn(0))
}

// TestMeet_LevelsOfARamp checks that the levels of a ramp that winds over itself do not meet,
// although they are nearer to each other than the headroom.
func TestMeet_LevelsOfARamp(t *testing.T) {
	const radius = 10.0
	m, err := opendrive.Read("ramp.xodr", strings.NewReader(fmt.Sprintf(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="%[1]g" junction="-1"><planView>
<geometry s="0" x="0" y="0" hdg="0" length="%[1]g"><arc curvature="%[2]g"/></geometry></planView>
<elevationProfile><elevation s="0" a="0" b="%[3]g" c="0" d="0"/></elevationProfile>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>`, 6*math.Pi*radius, 1/radius, 3/(2*math.Pi*radius))))
	require.NoError(t, err)
	w := newWorld(t, m)
	require.NoError(t, w.Populate(Traffic{Count: 1}))
	require.Len(t, w.crossings.movements, 1)
	require.Empty(t, w.conflictsOn(0))
}

// TestMeet_OncomingBeforeATurn checks that a long narrow part of a road does not belong to one
// lorry at a time if traffic turns back behind it, just as if the road led on.
func TestMeet_OncomingBeforeATurn(t *testing.T) {
	lane := func(id int, link string) string {
		return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/><width sOffset="150" a="2.4" b="0" c="0" d="0"/>
<width sOffset="450" a="3.5" b="0" c="0" d="0"/></lane>`, id, link)
	}
	for _, turn := range []bool{false, true} {
		link, back := "", ""
		if turn {
			link = `<link><successor elementType="road" elementId="2" contactPoint="start"/></link>`
			back = fmt.Sprintf(`<road id="2" length="%[1]g" junction="-1"><link>
<predecessor elementType="road" elementId="1" contactPoint="end"/>
<successor elementType="road" elementId="1" contactPoint="end"/></link><planView>
<geometry s="0" x="600" y="-1.75" hdg="0" length="%[1]g"><arc curvature="%[2]g"/></geometry>
</planView><lanes><laneOffset s="0" a="1.75" b="0" c="0" d="0"/><laneSection s="0"><center>
<lane id="0" type="none"/></center><right><lane id="-1" type="driving"><link>
<predecessor id="-1"/><successor id="1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
</lane></right></laneSection></lanes></road>`, 1.75*math.Pi, 1/1.75)
		}
		m, err := opendrive.Read("back.xodr", strings.NewReader(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="600" junction="-1">`+link+`<planView>
<geometry s="0" x="0" y="0" hdg="0" length="600"><line/></geometry></planView><lanes>
<laneSection s="0"><left>`+lane(1, "")+`</left><center><lane id="0" type="none"/></center><right>`+
			lane(-1, `<successor id="-1"/>`)+`</right></laneSection></lanes></road>`+back+`</OpenDRIVE>`))
		require.NoError(t, err)
		w := newWorld(t, m)
		require.NoError(t, w.Populate(Traffic{Count: 1}))
		require.Equal(t, turn, w.m.Road("2") != nil)
		for k := range w.crossings.movements {
			for _, c := range w.conflictsOn(int32(k)) {
				z := &c.zones[len(bodies)-1]
				require.LessOrEqual(t, z.to-z.from, longestSwing, "turn %v", turn)
			}
		}
	}
}
