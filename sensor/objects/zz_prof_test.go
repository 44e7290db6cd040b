package objects_test

import (
	"testing"

	"gosmp/sensor/objects"
	"gosmp/sensor/objects/scene"
)

func BenchmarkZZ(b *testing.B) { zz(b, 1000) }
func BenchmarkYY(b *testing.B) { zz(b, 2) }
func zz(b *testing.B, n int) {
	view := marshal(b, scene.Crowd(n, 0, 50))
	d, _ := objects.New(objects.Default())
	var data []byte
	for b.Loop() {
				r, _ := d.Detect(view, until(step))
				data = appendSensorData(data[:0], view, d, r, step)
	}
}
