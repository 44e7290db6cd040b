package wire_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/proto/wire"
)

// BenchmarkSensorView reads a SensorView of 2 MB in three ways: it checks the message in full,
// searches it for the fields that a model needs and, for comparison, decodes it with
// proto.Unmarshal.
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
			if positions(view, func(wire.Vector3d) {}) != 8000 {
				b.Fatal("not all positions")
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

// positions reads the position of every moving object of a SensorView and returns their number, or
// -1 for a malformed message.
func positions(view []byte, visit func(wire.Vector3d)) (count int) {
	ok := each(view, 7, func(truth []byte) bool {
		return each(truth, 5, func(object []byte) bool {
			var at wire.Vector3d
			count++
			ok := each(object, 2, func(base []byte) bool { return each(base, 2, at.Merge) })
			visit(at)
			return ok
		})
	})
	if !ok {
		return -1
	}
	return count
}

// each visits every Len field with that number.
func each(b []byte, number wire.Number, visit func(content []byte) bool) bool {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 || key == wire.Key(number)<<3|wire.Len && !visit(b[lo:hi]) {
			return false
		}
		i = hi
	}
	return true
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
