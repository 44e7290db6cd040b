package objects_test

import (
	"fmt"
	"testing"
	"time"

	"gosmp/sensor/objects"
	"gosmp/sensor/objects/scene"
)

func TestZZFix(t *testing.T) {
	mini := func(name string, f func()) {
		best := time.Hour
		for range 4000 {
			t0 := time.Now()
			for range 100 {
				f()
			}
			best = min(best, time.Since(t0)/100)
		}
		fmt.Println("fix", name, best)
	}
	v := scene.Crowd(0, 0, 0)
	d, _ := objects.New(objects.Default())
	host := marshal(t, v)
	v.GlobalGroundTruth.MovingObject = nil
	none := marshal(t, v)
	v.GlobalGroundTruth = nil
	bare := marshal(t, v)
	one := marshal(t, scene.Crowd(1, 0, 0))
	v = scene.Crowd(1, 0, 0)
	v.GlobalGroundTruth.MovingObject = append(v.GlobalGroundTruth.MovingObject, v.GlobalGroundTruth.MovingObject[0])
	mini("bare", func() { d.Detect(bare, until(step)) })
	mini("no host", func() { d.Detect(none, until(step)) })
	mini("host", func() { d.Detect(host, until(step)) })
	mini("one", func() { d.Detect(one, until(step)) })
	r, _ := d.Detect(one, until(step))
	b := make([]byte, 0, 3000)
	mini("append", func() { d.AppendMovingObjects(b) })
	mini("all", func() { appendSensorData(b, one, d, r, step) })
}
