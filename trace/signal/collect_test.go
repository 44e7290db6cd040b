package signal_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace/signal"
)

// TestCollector keeps the peak of many numbers, tells objects apart by their ids, and leaves out
// what never changes.
func TestCollector(t *testing.T) {
	c := signal.NewCollector(0, 999*timebase.Millisecond, 10)
	for k := range 1000 {
		x := float64(k)
		if k == 517 {
			x = 1e6
		}
		object := func(id uint64, x float64) *osi3.MovingObject {
			return &osi3.MovingObject{Id: &osi3.Identifier{Value: &id}, Base: &osi3.BaseMoving{
				Position: &osi3.Vector3D{X: &x, Y: proto.Float64(3)}}}
		}
		list := []*osi3.MovingObject{object(8, 2*x), object(7, x)}
		if k%2 == 0 {
			list[0], list[1] = list[1], list[0]
		}
		c.Add("world", timebase.Time(k)*timebase.Millisecond,
			(&osi3.GroundTruth{MovingObject: list}).ProtoReflect())
	}
	changing, constant := c.Changing()
	require.Len(t, changing, 2)
	require.Equal(t, 2, constant)
	require.Equal(t, "moving_object[id=7].base.position.x", changing[0].Path)
	require.InDelta(t, 1e6, changing[0].Greatest[5], 0)
	require.InDelta(t, 0, changing[0].Least[0], 0)
	require.InDelta(t, 999, changing[0].Last, 0)
	require.InDelta(t, 2*999, changing[1].Greatest[9], 0)
	require.Equal(t, timebase.Time(949_050_000), c.At(9))
}

// TestCollector_Gaps: an interval without a number has none.
func TestCollector_Gaps(t *testing.T) {
	c := signal.NewCollector(0, 10*timebase.Second, 10)
	for _, k := range []timebase.Time{0, 10} {
		c.Add("a", k*timebase.Second, (&osi3.Vector3D{X: proto.Float64(float64(k)),
			Y: proto.Float64(math.NaN())}).ProtoReflect())
	}
	changing, constant := c.Changing()
	require.Len(t, changing, 1)
	require.Equal(t, 1, constant)
	require.True(t, math.IsNaN(changing[0].Least[5]))
	require.InDelta(t, 10, changing[0].Least[9], 0)
}
