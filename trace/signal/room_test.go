package signal

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// TestCollector_Room: the memory of a collector does not grow with the number of objects. Numbers
// that it knows already continue, and it states that it has left out others.
func TestCollector_Room(t *testing.T) {
	t.Parallel()
	c := NewCollector(0, 2*timebase.Second, 2)
	c.most = 100
	data := func(x float64, objects uint64) []byte {
		g := &osi3.GroundTruth{}
		for id := range objects {
			g.MovingObject = append(g.MovingObject, &osi3.MovingObject{
				Id:   &osi3.Identifier{Value: proto.Uint64(id)},
				Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(x)}}})
		}
		b, err := proto.Marshal(g)
		require.NoError(t, err)
		return b
	}
	d := (&osi3.GroundTruth{}).ProtoReflect().Descriptor()
	c.Add("a", 0, d, data(1, 20))
	require.False(t, c.More)
	c.Add("a", timebase.Second, d, data(2, 10_000))
	require.True(t, c.More)
	changing, _ := c.Changing()
	require.Len(t, changing, 20, "of the first message")
	count := 0
	for _, root := range c.roots {
		count += root.size() - 1
	}
	require.Equal(t, c.most, count)
}

// size returns the number of nodes.
func (n *node) size() int {
	sum := 1
	for _, child := range n.children {
		if child != nil {
			sum += child.size()
		}
	}
	for _, e := range n.elements {
		sum += e.size()
	}
	return sum
}

// TestCollector_ManyChannels: channels beyond the limit have no times of their own.
func TestCollector_ManyChannels(t *testing.T) {
	t.Parallel()
	c := NewCollector(0, 2*timebase.Second, 2)
	for k := range rune(2 * mostCurves) {
		c.note(string(k), 0, timebase.Millisecond)
	}
	require.Len(t, c.times, mostCurves)
	require.Equal(t, timebase.Second/2, c.At(string(rune(2*mostCurves-1)), 0))
}
