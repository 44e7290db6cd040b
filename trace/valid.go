package trace

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/proto/osifile"
	"gosmp/proto/wire"
)

// TypeOfName returns the message type stated in the name of an .osi file, such as "SensorView", or
// "" for other names.
func TypeOfName(name string) string {
	t, _ := osifile.TypeOfName(UnpackedName(name))
	return t.Message
}

// Validator reports whether bytes are a message of an OSI type: they can be decoded and hold at
// least one of its fields. For any other type, including "", only the outermost fields are checked.
func Validator(fullType string) func([]byte) bool {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(fullType))
	if err != nil {
		return hasFields
	}
	m := t.New().Interface()
	return func(data []byte) bool {
		loose := proto.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true}
		if len(data) == 0 || affordable(data, t) != nil || loose.Unmarshal(data, m) != nil {
			return false
		}
		known := false
		m.ProtoReflect().Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool {
			known = true
			return false
		})
		return known
	}
}

// hasFields reports whether bytes consist entirely of protobuf fields.
func hasFields(data []byte) bool {
	for i := 0; i < len(data); {
		_, _, hi := wire.Field(data, i)
		if hi < 0 {
			return false
		}
		i = hi
	}
	return len(data) > 0
}
