package objects_test

import (
	"testing"

	"gosmp/sensor/objects"
	"gosmp/sensor/objects/scene"
)

func BenchmarkZZ(b *testing.B) { zz(b, 1000) }
func BenchmarkYY(b *testing.B) { zz(b, 0) }
func zz(b *testing.B, n int) {
	view := marshal(b, scene.Crowd(n, 0, 50))
	d, _ := objects.New(objects.Default())
	for b.Loop() {
		d.Detect(view, until(step))
	}
}
