package mocksim

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gosmp/mocksim/opendrive"
)

// lanesAtOnce is the number of lanes that a goroutine measures before it takes more: enough to take
// far longer than the start of a goroutine.
const lanesAtOnce = 16

// measureAll measures the lanes on which vehicles drive. Measuring a lane needs only the map, so
// the work is divided among the processors, unless the map is small. The rails are the same as with
// [World.rail].
func (w *World) measureAll() {
	var lanes []*opendrive.Lane
	for k, l := range w.m.Lanes() {
		if w.rails[k] == nil && l.Drivable() {
			lanes = append(lanes, l)
		}
	}
	workers := min(runtime.GOMAXPROCS(0), len(lanes)/lanesAtOnce)
	if workers < 2 {
		for _, l := range lanes {
			w.rail(l)
		}
		return
	}
	var taken atomic.Int64
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for {
				from := int(taken.Add(lanesAtOnce)) - lanesAtOnce
				if from >= len(lanes) {
					return
				}
				for _, l := range lanes[from:min(from+lanesAtOnce, len(lanes))] {
					w.rail(l)
				}
			}
		})
	}
	working.Wait()
}
