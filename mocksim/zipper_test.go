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

// narrowing returns a one-way road of two lanes, of which the outer one ends at 500 m: with a taper
// of some length, or with its full width.
func narrowing(t testing.TB, taper float64) *opendrive.Map {
	return endings{count: 1, taper: taper}.read(t)
}

// endings describes lanes that end next to the one that continues.
type endings struct {
	count        int
	taper, width float64 // m, and the width at its end
	links        string  // of the lanes at their ends
}

// read returns the map.
func (x endings) read(t testing.TB) *opendrive.Map {
	t.Helper()
	width := func(a float64) string {
		return fmt.Sprintf(`<width sOffset="0" a="%g" b="0" c="0" d="0"/>`, a)
	}
	lane := func(id int, link, width string) string {
		return fmt.Sprintf(`<lane id="%d" type="driving" level="false"><link>%s</link>%s</lane>`,
			id, link, width)
	}
	section := func(s float64, lanes ...string) string {
		return fmt.Sprintf(`<laneSection s="%g"><center><lane id="0" type="none"/></center>
<right>%s</right></laneSection>`, s, strings.Join(lanes, ""))
	}
	on, from := `<successor id="-1"/>`, `<predecessor id="-1"/>`
	first := []string{lane(-1, on, width(3.5))}
	second := []string{lane(-1, from+on, width(3.5))}
	for id := -2; id >= -1-x.count; id-- {
		next := ""
		if x.taper > 0 {
			next = fmt.Sprintf(`<successor id="%d"/>`, id)
		}
		first = append(first, lane(id, next, width(3.5)))
		second = append(second, lane(id, fmt.Sprintf(`<predecessor id="%d"/>%s`, id, x.links),
			fmt.Sprintf(`<width sOffset="0" a="3.5" b="%g" c="0" d="0"/>`, (x.width-3.5)/x.taper)))
	}
	sections := section(0, first...)
	if x.taper > 0 {
		sections += section(500-x.taper, second...)
	}
	text := `<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="800" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="800"><line/></geometry></planView><lanes>` +
		sections + section(500, lane(-1, from, width(3.5))) + `</lanes></road></OpenDRIVE>`
	m, err := opendrive.Read("narrowing.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return m
}

// TestZipper_InTurn checks that where two full lanes become one, vehicles from both lanes continue
// in turn, as many as one lane can carry, and that none collide or leave the road. It makes no
// difference whether the lane that tapers to nothing has a link to the one that continues.
func TestZipper_InTurn(t *testing.T) {
	seeds, tapers, quarters := uint64(2), []float64{0, 30, 60, 120}, 1.0
	if testing.Short() {
		seeds, tapers, quarters = 1, []float64{0, 30, 60}, 0.4
	}
	for _, taper := range tapers {
		links := ""
		if taper == 60 {
			links = `<successor id="-1"/>`
		}
		for seed := range seeds {
			w := on(t, endings{count: 1, taper: taper, links: links}.read(t), mocksim.Options{Seed: seed})
			require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 1500}))
			passed, from := [2]int{}, map[string]int{}
			for w.Time().Seconds() < 300+900*quarters {
				for _, e := range steps(t, w, 1, 100*ms) {
					require.Equal(t, mocksim.LaneChange, e.Kind, "taper %g, seed %d: %s", taper,
						seed, describe(w, &e))
				}
				for k := range w.Len() {
					v := w.At(k)
					switch p := v.Place(); {
					case p.S < 60 && from[v.Name()] == 0:
						from[v.Name()] = -p.Lane.ID
					case p.S > 520 && from[v.Name()] > 0:
						if passed[from[v.Name()]-1]++; w.Time() < 300*timebase.Second {
							passed = [2]int{}
						}
						delete(from, v.Name())
					}
				}
			}
			flow := 4 * float64(passed[0]+passed[1]) / quarters // per hour
			t.Logf("taper %g, seed %d: %.0f vehicles/h, %v", taper, seed, flow, passed)
			require.Greater(t, flow, 1300.0, "taper %g, seed %d", taper, seed)
			require.InDelta(t, 0.5, float64(passed[1])/float64(passed[0]+passed[1]), 0.2,
				"taper %g, seed %d", taper, seed)
		}
	}
}

// TestZipper_TwoLanesEnd checks that vehicles start on two lanes that both end next to a third one,
// and reach it in two changes.
func TestZipper_TwoLanesEnd(t *testing.T) {
	for _, taper := range []float64{0, 100} {
		m := endings{count: 2, taper: taper}.read(t)
		w := on(t, m, mocksim.Options{Seed: 1})
		require.NoError(t, w.Populate(mocksim.Traffic{Count: 30}))
		placed := map[int]int{}
		for k := range w.Len() {
			placed[w.At(k).Place().Lane.ID]++
		}
		require.Len(t, placed, 3, "taper %g: vehicles on lanes %v", taper, placed)

		w = on(t, m, mocksim.Options{Seed: 1})
		require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 300}))
		entered := map[int]map[string]bool{-1: {}, -2: {}, -3: {}}
		longest, since := 0.0, map[string]float64{}
		for range 10 * 900 {
			for _, e := range steps(t, w, 1, 100*ms) {
				require.Equal(t, mocksim.LaneChange, e.Kind, "taper %g: %s", taper, describe(w, &e))
			}
			for k := range w.Len() {
				v := w.At(k)
				if p := v.Place(); p.S < 20 {
					entered[p.Lane.ID][v.Name()] = true
				}
				if since[v.Name()] += 0.1; v.State().Speed > 0.1 {
					since[v.Name()] = 0
				}
				longest = max(longest, since[v.Name()])
			}
		}
		for id, names := range entered {
			require.Greater(t, len(names), 50, "lane %d", id)
		}
		require.Less(t, longest, 60.0, "taper %g", taper)
	}
}

// TestZipper_LinksOfLanesWithoutWidth checks that lanes that taper to nothing together lead nowhere,
// even if the map links them to the one that continues.
func TestZipper_LinksOfLanesWithoutWidth(t *testing.T) {
	for count := range 4 {
		m := endings{count: count, taper: 100, links: `<successor id="-1"/>`}.read(t)
		for id := -1; id >= -1-count; id-- {
			lane := m.Road("1").Sections[1].Lane(id)
			next := m.Next(opendrive.Course{Lane: lane, Forwards: true})
			require.Equal(t, id == -1, len(next) == 1, "%d lanes end, lane %d", count, id)
			require.LessOrEqual(t, len(next), 1)
		}
	}
}

// TestZipper_MovesUp checks that a driver lets in a bus at the end of a lane, but does not wait
// forever for it if the queue ahead leaves it no room: the queue may be waiting for the driver.
func TestZipper_MovesUp(t *testing.T) {
	w := on(t, narrowing(t, 0), mocksim.Options{Seed: 1})
	put := func(name string, kind mocksim.Kind, lane int, s float64) {
		require.NoError(t, w.Create(mocksim.Actor{Name: name, Kind: kind,
			Start: mocksim.OnRoad("1", lane, s)}))
	}
	put("queue", mocksim.Car, -1, 490)
	put("bus", mocksim.Bus, -2, 484)
	put("car", mocksim.Car, -1, 466)
	for _, name := range []string{"bus", "car"} {
		require.NoError(t, w.SetController(name, mocksim.Controller{}))
	}
	car, err := w.Actor("car")
	require.NoError(t, err)
	require.Empty(t, steps(t, w, 300, 100*ms))
	require.Less(t, car.State().Position.X, 476.0, "it lets the bus in")
	require.Empty(t, steps(t, w, 600, 100*ms))
	require.Greater(t, car.State().Position.X, 480.0, "it moved up to the queue")
}

// TestZipper_NearlyNothing checks that long vehicles do not collide where a lane tapers to 0.3 m
// and then becomes a part of the lane next to it.
func TestZipper_NearlyNothing(t *testing.T) {
	m := endings{count: 1, taper: 30, width: 0.3, links: `<successor id="-1"/>`}.read(t)
	w := on(t, m, mocksim.Options{Seed: 1})
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 1200,
		Kinds: []mocksim.Kind{mocksim.Bus, mocksim.Truck, mocksim.Car}}))
	for range 3000 {
		for _, e := range steps(t, w, 1, 100*ms) {
			require.Equal(t, mocksim.LaneChange, e.Kind, describe(w, &e))
		}
	}
	_, left, _ := w.FlowCounts()
	require.Greater(t, left, 50)
}
