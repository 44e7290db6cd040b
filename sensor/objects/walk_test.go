package objects

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// BenchmarkPositions finds the positions of 1000 objects in the way of this package, and with wire.Reader.
func BenchmarkPositions(b *testing.B) {
	bytes, err := proto.Marshal(scene.Crowd(1000, 0, 0))
	require.NoError(b, err)
	b.Run("object", func(b *testing.B) {
		var v view
		for b.Loop() {
			require.Equal(b, 1001, positions(&v, bytes))
		}
	})
	b.Run("reader", func(b *testing.B) {
		for b.Loop() {
			require.Equal(b, 1001, positionsByReader(bytes))
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

// positionsByReader does the same with wire.Reader.
func positionsByReader(bytes []byte) (n int) {
	view := wire.NewReader(bytes)
	for view.Next() {
		if view.Key() != keyViewGroundTruth {
			continue
		}
		truth := wire.NewReader(view.Bytes())
		for truth.Next() {
			if truth.Key() != keyTruthMoving {
				continue
			}
			if _, p, err := readByReader(truth.Bytes()); err == nil && p.Finite() {
				n++
			}
		}
	}
	return n
}

func readByReader(object []byte) (id uint64, p frames.Vector, err error) {
	var at wire.Vector3d
	r := wire.NewReader(object)
	for r.Next() {
		switch r.Key() {
		case keyObjectID:
			r.Nested(wire.MergeIdentifier(&id, r.Bytes()))
		case keyObjectBase:
			base := wire.NewReader(r.Bytes())
			for base.Next() {
				if base.Key() == field.BaseMovingPosition<<3|wire.Len {
					base.Nested(at.Merge(base.Bytes()))
				}
			}
			r.Nested(base.Err())
		}
	}
	return id, frames.Vector(at), r.Err()
}
