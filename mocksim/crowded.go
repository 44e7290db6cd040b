package mocksim

import (
	"fmt"

	"gosmp/internal/fault"
	"gosmp/mocksim/opendrive"
)

// mostLanes is the maximum length of all drivable lanes of a map, in m. Before vehicles drive, each
// lane is measured: of this length, in about half a minute and with 2 GB of memory.
const mostLanes = 50_000e3

// tooLong returns an error if the lanes of the map are too long to be measured.
func (w *World) tooLong() error {
	sum := 0.0
	for _, l := range w.m.Lanes() {
		if l.Drivable() {
			sum += l.Section.Length()
		}
	}
	if sum <= mostLanes {
		return nil
	}
	return fault.New(opendrive.ErrMap, fault.In(w.m.Name),
		fmt.Sprintf("%.0f km of lanes for vehicles", sum/1000),
		fmt.Sprintf("at most %.0f km", mostLanes/1000)).
		WithHint("simulate traffic on a part of the map")
}

// The movements in a square of 12 m are compared with each other. A real junction has up to a few
// dozen in a square; with thousands, a map of 1 MB would take minutes for each simulated second.
const (
	mostCrowded = 50      // pairs in the same square, for each square that a movement visits
	freeCrowded = 100_000 // pairs that are always permitted in addition
)

// crowded returns an error if too many movements are at the same places.
func (w *World) crowded(j *junctions) error {
	cells := map[[2]int32]int{}
	entries, pairs, most, worst := 0, 0, 0, int32(0)
	for number := range j.movements {
		last, begun := [2]int32{}, false
		w.squares(&j.movements[number], func(x, y int32) {
			cell := [2]int32{x, y}
			if begun && cell == last {
				return
			}
			last, begun = cell, true
			n := cells[cell] + 1
			cells[cell] = n
			entries++
			pairs += n
			if n > most {
				most, worst = n, int32(number)
			}
		})
	}
	limit := freeCrowded + mostCrowded*entries
	if pairs <= limit {
		return nil
	}
	m := &j.movements[worst]
	var p railPoint
	w.at(m, 0, &p)
	return fault.New(opendrive.ErrMap, fault.In(w.m.Name), fmt.Sprintf(
		"%d pairs of lanes within %g m of each other, most of them around (%.2f, %.2f), "+
			"with %d lanes such as %s", pairs, nearSide, p.position.X, p.position.Y, most,
		m.first().Lane),
		fmt.Sprintf("at most %d on this map, because vehicles heed all others that cross their way",
			limit)).
		WithHint("simulate traffic on a part of the map, or remove roads that are far shorter " +
			"than a vehicle, or that are there repeatedly")
}
