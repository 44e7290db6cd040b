package expect

import (
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// identifier is a message that counts as a number.
const identifier = "osi3.Identifier"

// rangeOf returns the values that a field can have, as numbers. It is unlimited for enums, because
// a message may contain numbers without a name.
func rangeOf(f protoreflect.FieldDescriptor) (least, greatest float64, whole bool) {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return 0, 1, true
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return 0, math.MaxUint32, true
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return 0, math.MaxUint64, true
	case protoreflect.MessageKind:
		if f.Message().FullName() == identifier {
			return 0, math.MaxUint64, true
		}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return math.MinInt32, math.MaxInt32, true
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return math.MinInt64, math.MaxInt64, true
	}
	return math.Inf(-1), math.Inf(1), false
}

// numberOf converts a value to a number; an enum value becomes its number.
func numberOf(v protoreflect.Value, f protoreflect.FieldDescriptor) (float64, bool) {
	switch x := v.Interface().(type) {
	case float64:
		return x, true
	case float32:
		return float64(x), true
	case int32:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint32:
		return float64(x), true
	case uint64:
		return float64(x), true
	case protoreflect.EnumNumber:
		return float64(x), true
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	case protoreflect.Message:
		value := f.Message().Fields().ByName("value")
		if f.Message().FullName() == identifier && value != nil && !value.IsList() &&
			value.Kind() == protoreflect.Uint64Kind {
			return float64(x.Get(value).Uint()), true
		}
	}
	return 0, false
}
