package objects_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/scene"
	"gosmp/sensor/objects"
)

// FuzzDetect passes arbitrary bytes to both detectors, twice in a row. If the plain one can decode
// them, both must agree in everything. If not, nothing may panic, and the next view must be
// processed as usual.
func FuzzDetect(f *testing.F) {
	for n := range 4 {
		f.Add(marshal(f, scene.Crowd(n, n%2, 2)), byte(n))
	}
	small := scene.Motorway(step)
	small.GlobalGroundTruth.MovingObject = small.GlobalGroundTruth.MovingObject[:4]
	small.GlobalGroundTruth.StationaryObject = small.GlobalGroundTruth.StationaryObject[28:32]
	f.Add(marshal(f, small), byte(0xff))
	f.Add([]byte{0x3a, 0x04, 0x2a, 0x02, 0x12, 0x05}, byte(0))
	f.Fuzz(func(t *testing.T, view []byte, switches byte) {
		c := objects.Default()
		c.NominalRange = 1000
		c.Occlusion = switches&1 != 0
		if switches&2 != 0 {
			c.HalfAngle = 3
		}
		if switches&4 != 0 {
			c.Frame = objects.VehicleFrame
		}
		if switches&8 != 0 {
			c.PositionNoise, c.VelocityNoise, c.DetectionProbability = 1, 1, 0.7
		}
		if switches&16 != 0 {
			c.ForgetAfter = 0
		}
		if switches&32 != 0 {
			c.DropoutProbability, c.DropoutCycles = 0.5, 2
		}
		if switches&64 != 0 {
			c.Moving = false
		}
		p := newPair(t, c)
		first := p.step(t, view, step)
		cycle := p.fast.Cycle()
		if p.plain.Cycle() != cycle {
			// The plain one decodes what the fast one skips; from here on, their histories differ.
			require.Nil(t, first)
			return
		}
		second := p.step(t, view, 2*step)
		if second != nil {
			checkRules(t, second)
		}
	})
}
