package objects

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
)

// BenchmarkPositions finds the positions of 1000 objects by the method of this package and by
// decoding the message.
func BenchmarkPositions(b *testing.B) {
	bytes, err := proto.Marshal(scene.Crowd(1000, 0, 0))
	require.NoError(b, err)
	b.Run("object", func(b *testing.B) {
		var v view
		for b.Loop() {
			require.Equal(b, 1001, positions(&v, bytes))
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		for b.Loop() {
			decoded := &osi3.SensorView{}
			require.NoError(b, proto.Unmarshal(bytes, decoded))
			require.Len(b, decoded.GlobalGroundTruth.MovingObject, 1001)
		}
	})
}

// positions counts the objects with a finite position.
func positions(v *view, bytes []byte) (n int) {
	if v.read(bytes) != nil {
		return -1
	}
	o := object{view: bytes, kind: MovingObject}
	for _, at := range v.moving {
		if !o.read(at) {
			return -1
		}
		if p, has, ok := o.position(); has && ok && p.Finite() {
			n++
		}
	}
	return n
}
