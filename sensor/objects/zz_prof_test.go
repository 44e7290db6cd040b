package objects_test

import (
	"testing"

	"gosmp/sensor/objects"
	"gosmp/sensor/objects/scene"
)

func BenchmarkZZ(b *testing.B) {
	view := marshal(b, scene.Crowd(1000, 0, 50))
	d, _ := objects.New(objects.Default())
	for b.Loop() {
		d.Detect(view, until(step))
	}
}
