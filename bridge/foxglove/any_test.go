package foxglove_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"gosmp/bridge/foxglove"
	"gosmp/proto/osi3"
)

// TestMaker_AnyMessage: a message with any fields and numbers can be drawn, and the result can be
// encoded.
func TestMaker_AnyMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &foxglove.Maker{}
		for _, m := range []proto.Message{&osi3.GroundTruth{}, &osi3.SensorView{},
			&osi3.SensorData{}} {
			fill(t, m.ProtoReflect(), 0)
			err := k.Add("a", 0, m, func(_ string, drawn proto.Message) error {
				require.Empty(t, unset(drawn.ProtoReflect()))
				_, err := proto.Marshal(drawn)
				return err
			})
			require.NoError(t, err)
		}
	})
}

// optional is the only field of a message in drawn messages that Foxglove's schemas in JSON do not
// require.
const optional = "foxglove.LocationFix.color"

// unset returns the required fields of a drawn message that have no message.
func unset(m protoreflect.Message) (list []protoreflect.FullName) {
	fields := m.Descriptor().Fields()
	for n := range fields.Len() {
		switch f := fields.Get(n); {
		case f.Message() == nil || f.IsMap() || f.FullName() == optional:
		case f.IsList():
			for k := range m.Get(f).List().Len() {
				list = append(list, unset(m.Get(f).List().Get(k).Message())...)
			}
		case !m.Has(f):
			list = append(list, f.FullName())
		default:
			list = append(list, unset(m.Get(f).Message())...)
		}
	}
	return list
}

// fill sets some fields of a message.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for n := range fields.Len() {
		f := fields.Get(n)
		if rapid.IntRange(0, 2+depth).Draw(t, "set") > 1 {
			continue
		}
		for range rapid.IntRange(1, 2).Draw(t, "elements") {
			switch {
			case f.Message() != nil && depth > 5:
			case f.Message() != nil && f.IsList():
				fill(t, m.Mutable(f).List().AppendMutable().Message(), depth+1)
			case f.Message() != nil:
				fill(t, m.Mutable(f).Message(), depth+1)
			case f.IsList():
				m.Mutable(f).List().Append(scalar(t, f))
			default:
				m.Set(f, scalar(t, f))
			}
		}
	}
}

func scalar(t *rapid.T, f protoreflect.FieldDescriptor) protoreflect.Value {
	number := rapid.SampledFrom([]float64{0, 1, -3.5, 1e9, 1e300, math.NaN(),
		math.Inf(1)}).Draw(t, "number")
	small := rapid.IntRange(0, 3).Draw(t, "small")
	switch f.Kind() {
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(number)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(number))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(small > 0)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("+proj=utm"[:3*small])
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte("abc")[:small])
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(small))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(small) * math.MaxUint32 / 3)
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(uint64(small) * (math.MaxUint64 / 3))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(small-1) * (math.MaxInt32 / 2))
	}
	return protoreflect.ValueOfInt64(int64(small-1) * (math.MaxInt64 / 2))
}
