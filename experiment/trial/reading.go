package trial

import (
	"bytes"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/cosim"
	"gosmp/experiment/scxml"
	"gosmp/osmp/connect"
	_ "gosmp/proto/osi3" // registers the messages of OSI
)

// reading is a variable as seen by machines. All machines share it, so that a value is converted at
// most once per change.
type reading struct {
	signal  *cosim.Signal
	message protoreflect.MessageType // an OSI message; nil if the value is not a message
	cell    uint64                   // for a plain value
	blob    []byte                   // for a text or message
	version int                      // number of changes; 0 before the first call of look
	made    int                      // the version that content belongs to
	content any
	gaps    gaps
}

// messageType returns the type of the OSI message that a variable carries.
func messageType(v cosim.Variable) (protoreflect.MessageType, bool) {
	m, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("osi3." +
		connect.MessageOf(v)))
	return m, err == nil
}

// look reads the current value.
func (r *reading) look() {
	c, b := r.signal.First()
	if r.signal.Variable.Kind.IsBlob() {
		if r.version == 0 || !bytes.Equal(b, r.blob) {
			r.blob = append(r.blob[:0], b...)
			r.version++
		}
		return
	}
	if r.version == 0 || c != r.cell {
		r.cell = c
		r.version++
	}
}

// value returns the value as seen in machines' expressions: a number, a text, an object, nothing
// for a number that is not finite, or null for a message that is missing or cannot be decoded.
func (r *reading) value() any {
	if r.made == r.version {
		return r.content
	}
	r.made = r.version
	switch k := r.signal.Variable.Kind; {
	case r.message != nil:
		r.content = r.decoded()
	case k == cosim.String:
		r.content = string(r.blob)
	case k == cosim.Boolean:
		r.content = r.cell != 0
	default:
		r.content = number(r.number())
	}
	return r.content
}

// data returns the value as the data of an event.
func (r *reading) data() (scxml.Value, error) {
	v := r.value()
	if v == (nothing{}) {
		return scxml.Value{}, nil
	}
	return scxml.ValueOf(v)
}

// number returns the value of a plain variable.
func (r *reading) number() float64 {
	switch k := r.signal.Variable.Kind; {
	case k == cosim.Float32:
		return float64(math.Float32frombits(uint32(r.cell)))
	case k.IsFloat():
		return math.Float64frombits(r.cell)
	case k == cosim.UInt64:
		return float64(r.cell)
	default:
		return float64(int64(r.cell))
	}
}

func (r *reading) decoded() any {
	if len(r.blob) == 0 {
		return nil
	}
	m := r.message.New()
	if err := proto.Unmarshal(r.blob, m.Interface()); err != nil {
		return nil
	}
	return object(m)
}

// object converts a message to an object with the field names of OSI. It has only the fields that
// are set, without numbers that are not finite. Enumerations become the names of their values, and
// bytes become their count.
func object(m protoreflect.Message) map[string]any {
	fields := map[string]any{}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := string(f.Name())
		if !f.IsList() {
			if x := element(f, v); x != (nothing{}) {
				fields[name] = x
			}
			return true
		}
		list := v.List()
		all := make([]any, list.Len())
		for k := range all {
			if x := element(f, list.Get(k)); x != (nothing{}) {
				all[k] = x // otherwise null, so that the other elements keep their places
			}
		}
		fields[name] = all
		return true
	})
	return fields
}

// element converts one value of a field.
func element(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return object(v.Message())
	case protoreflect.EnumKind:
		if d := f.Enum().Values().ByNumber(v.Enum()); d != nil {
			return string(d.Name())
		}
		return int32(v.Enum())
	case protoreflect.BytesKind:
		return len(v.Bytes())
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return number(v.Float())
	}
	return v.Interface()
}
