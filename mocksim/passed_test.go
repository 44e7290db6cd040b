package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestPassed_WhereWaysMerge checks that a car that stands in a conflict without a right does not
// move up while a bus with the right passes it, also where the bus then drives ahead of it.
func TestPassed_WhereWaysMerge(t *testing.T) {
	m, err := opendrive.ReadFile("../examples/maps/crossing.xodr")
	require.NoError(t, err)
	w, err := New(m, Options{Seed: 1})
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.meet())
	tried := map[meeting]int{}
	for number, list := range w.crossings.conflicts {
		for k := range list {
			if x := &list[k]; x.meeting.yields() && passedAt(t, w, int32(number), x) {
				tried[x.meeting]++
			}
		}
	}
	t.Logf("%d crossings, %d merges", tried[crossing], tried[merging])
	require.Positive(t, tried[crossing])
	require.Positive(t, tried[merging])
}

// passedAt places a car at the start of a conflict on a movement, and a bus before the conflict on
// the other movement. It returns false if the bus has no room to pass the car.
func passedAt(t *testing.T, w *World, number int32, x *conflict) bool {
	t.Helper()
	z := &x.zones[len(bodies)-1]
	if z.to < z.from || z.from < 0 || z.enter < 8 {
		return false
	}
	put := func(name string, kind Kind, number int32, u float64) *actor {
		c := w.crossings.movements[number].first()
		var p railPoint
		w.rail(c.Lane).at(u, c.Forwards, &p)
		require.NoError(t, w.Create(Actor{Name: name, Kind: kind,
			Start: OnRoad(c.Lane.Section.Road.ID, c.Lane.ID, p.s)}))
		require.NoError(t, w.SetController(name, Controller{}))
		return w.find(name)
	}
	car := put("car", Car, number, z.from+0.1)
	bus := put("bus", Bus, x.other, z.enter-1.5)
	defer func() {
		require.NoError(t, w.Destroy("car"))
		require.NoError(t, w.Destroy("bus"))
	}()
	w.observe(w.crossings)
	index := map[*actor]int32{}
	for k, a := range w.actors {
		index[a] = int32(k)
	}
	end := bus.driver.pos() + z.leave - z.enter + 30
	w.announce(index[bus], bus, end)
	w.announce(index[car], car, car.driver.pos())
	v := w.crossings.visitor(x.other, index[bus])
	mine := w.crossings.visitor(number, index[car])
	if v == nil || mine == nil {
		return false
	}
	turned := z.turned()
	if v.cleared < turned.to || !w.passes(bus, x.other, &turned, v.u, mine, false) {
		return false
	}
	require.Equal(t, index[bus], w.passedBy(index[car], car), "%v and %v",
		car.place.Lane, bus.place.Lane)
	return true
}
