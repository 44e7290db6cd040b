package wire_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/proto/wire"
)

// BenchmarkSensorView reads a SensorView of 2 MB: checked to the bottom, searched for what a model wants, and, to
// compare, decoded by proto.Unmarshal.
func BenchmarkSensorView(b *testing.B) {
	view := marshal(b, crowd(8000))
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(view)))
		b.ReportAllocs()
		for b.Loop() {
			if err := wire.CheckSensorView(view); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("find", func(b *testing.B) {
		b.SetBytes(int64(len(view)))
		b.ReportAllocs()
		for b.Loop() {
			if err := positions(view, func(wire.Vector3d) {}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		b.SetBytes(int64(len(view)))
		b.ReportAllocs()
		for b.Loop() {
			if err := proto.Unmarshal(view, &osi3.SensorView{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// positions gives the position of every moving object of a SensorView.
func positions(view []byte, visit func(wire.Vector3d)) error {
	_, err := wire.Each(view, 7, func(truth []byte) error {
		_, err := wire.Each(truth, 5, func(object []byte) error {
			var at wire.Vector3d
			_, err := wire.Each(object, 2, func(base []byte) error {
				_, err := wire.Each(base, 2, at.Merge)
				return err
			})
			visit(at)
			return err
		})
		return err
	})
	return err
}

// BenchmarkAppend encodes what a sensor model states about the host in a step.
func BenchmarkAppend(b *testing.B) {
	buffer := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		m := wire.AppendInterfaceVersion(buffer[:0], 1, 3, 8, 0)
		m = wire.AppendTimestamp(m, 2, 12, 345)
		m, location := wire.Begin(m, 3)
		m = wire.AppendVector3d(m, 2, 1, 2, 3)
		m = wire.AppendOrientation3d(m, 3, 0, 0, 1)
		m = wire.AppendVector3d(m, 4, 1, 2, 3)
		m = wire.AppendVector3d(m, 5, 1, 2, 3)
		m = wire.AppendOrientation3d(m, 6, 0, 0, 1)
		m = wire.End(m, location)
		m = wire.AppendIdentifier(m, 5, 1)
		buffer = wire.AppendMountingPosition(m, 6, wire.Vector3d{X: 1}, wire.Orientation3d{})
	}
}
