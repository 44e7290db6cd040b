package objects_test

import (
	"fmt"
	"testing"
	"time"

	"gosmp/sensor/objects"
	"gosmp/sensor/objects/scene"
)

func TestZZMin(t *testing.T) {
	for _, c := range [][2]int{{1, 0}, {10, 0}, {100, 0}, {1000, 0}, {5000, 0}, {100, 200}} {
		n := c[0]
		view := marshal(t, scene.Crowd(n, c[1], 50))
		d, _ := objects.New(objects.Default())
		var data []byte
		best, bestD := time.Hour, time.Hour
		reps := max(1, 300/max(n, 1))
		for range 3000000 / (n*reps + 3000) {
			t0 := time.Now()
			for range reps {
				r, _ := d.Detect(view, until(step))
				data = appendSensorData(data[:0], view, d, r, step)
			}
			best = min(best, time.Since(t0)/time.Duration(reps))
			t0 = time.Now()
			for range reps {
				d.Detect(view, until(step))
			}
			bestD = min(bestD, time.Since(t0)/time.Duration(reps))
		}
		dst := make([]byte, len(view)+len(data))
		bestC := time.Hour
		for range 300 {
			t0 := time.Now()
			for range reps {
				copy(dst, view)
				copy(dst[len(view):], data[len(view):])
			}
			bestC = min(bestC, time.Since(t0)/time.Duration(reps))
		}
		fmt.Printf("n=%d lanes=%d in=%d out=%d: %v = %d ns/object, detect alone %v, copy %v\n", n, c[1], len(view), len(data), best, best.Nanoseconds()/int64(n), bestD, bestC)
	}
}
