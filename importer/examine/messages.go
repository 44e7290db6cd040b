package examine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/proto/osi3"
)

type message = protoreflect.Message

// newMessage returns an empty message of an OSI type; nil for an unknown name.
func newMessage(name string) protoreflect.Message {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("osi3." + name))
	if err != nil {
		return nil
	}
	return t.New()
}

// release is a release of OSI.
type release struct{ major, minor, patch uint32 }

func (r release) String() string { return fmt.Sprintf("%d.%d.%d", r.major, r.minor, r.patch) }

var newest = release{3, 8, 0}

// example returns a message of an OSI type for the given time, with the given number of objects if
// the type has objects; nil for an unknown type.
func example(name string, t float64, r release, objects int) []byte {
	m := newMessage(name)
	if m == nil {
		return nil
	}
	stamp(m, t, r)
	switch x := m.Interface().(type) {
	case *osi3.SensorView:
		x.SensorId, x.HostVehicleId = id(1), id(2)
		x.MountingPosition = &osi3.MountingPosition{Position: &osi3.Vector3D{X: p(1.5), Y: p(0.0),
			Z: p(0.5)}, Orientation: &osi3.Orientation3D{Roll: p(0.0), Pitch: p(0.0), Yaw: p(0.0)}}
		x.GlobalGroundTruth = scene(t, r, objects)
	case *osi3.GroundTruth:
		proto.Merge(x, scene(t, r, objects))
	case *osi3.SensorData:
		x.SensorId = id(1)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m.Interface())
	if err != nil {
		return nil
	}
	return b
}

// padded returns a message with an additional unknown field of n bytes.
func padded(message []byte, n int) []byte {
	const unknown = 1000
	message = protowire.AppendTag(slices.Clone(message), unknown, protowire.BytesType)
	return protowire.AppendBytes(message, make([]byte, n))
}

func p(x float64) *float64 { return &x }

func id(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: &n} }

// stamp sets the version and the time stamp of a message that has them.
func stamp(m protoreflect.Message, t float64, r release) {
	fields := m.Descriptor().Fields()
	if f := fields.ByName("version"); f != nil && f.Message() != nil {
		v := &osi3.InterfaceVersion{VersionMajor: &r.major, VersionMinor: &r.minor,
			VersionPatch: &r.patch}
		m.Set(f, protoreflect.ValueOfMessage(v.ProtoReflect()))
	}
	if f := fields.ByName("timestamp"); f != nil && f.Message() != nil {
		m.Set(f, protoreflect.ValueOfMessage(timestamp(t).ProtoReflect()))
	}
}

func timestamp(t float64) *osi3.Timestamp {
	ns := int64(math.Round(t * 1e9))
	seconds, nanos := ns/1e9, ns%1e9
	if nanos < 0 {
		seconds, nanos = seconds-1, nanos+1e9
	}
	n := uint32(nanos)
	return &osi3.Timestamp{Seconds: &seconds, Nanos: &n}
}

// scene returns a host vehicle with other vehicles in front of it.
func scene(t float64, r release, objects int) *osi3.GroundTruth {
	g := &osi3.GroundTruth{HostVehicleId: id(2)}
	stamp(g.ProtoReflect(), t, r)
	for k := range objects + 1 {
		vehicle := osi3.MovingObject_TYPE_VEHICLE
		g.MovingObject = append(g.MovingObject, &osi3.MovingObject{
			Id: id(uint64(2 + k)), Type: &vehicle,
			Base: &osi3.BaseMoving{
				Dimension: &osi3.Dimension3D{Length: p(4.5), Width: p(1.8), Height: p(1.5)},
				Position: &osi3.Vector3D{X: p(float64(10*float64(k)) + float64(5*t)), Y: p(0.0),
					Z: p(0.75)},
				Orientation: &osi3.Orientation3D{Roll: p(0.0), Pitch: p(0.0), Yaw: p(0.0)},
				Velocity:    &osi3.Vector3D{X: p(5.0), Y: p(0.0), Z: p(0.0)},
			},
			VehicleAttributes: &osi3.MovingObject_VehicleAttributes{
				BbcenterToRear: &osi3.Vector3D{X: p(-1.4), Y: p(0.0), Z: p(-0.4)}},
		})
	}
	return g
}

// decode decodes the bytes of a message of an OSI type.
func decode(name string, b []byte) (protoreflect.Message, error) {
	m := newMessage(name)
	if m == nil {
		return nil, fmt.Errorf("OSI has no message %s", name)
	}
	return m, proto.Unmarshal(b, m.Interface())
}

// versionOf returns the version of a message; ok is false if it has none.
func versionOf(m protoreflect.Message) (text string, ok bool) {
	f := m.Descriptor().Fields().ByName("version")
	if f == nil || !m.Has(f) {
		return "", false
	}
	v, ok := m.Get(f).Message().Interface().(*osi3.InterfaceVersion)
	if !ok {
		return "", false
	}
	return release{v.GetVersionMajor(), v.GetVersionMinor(), v.GetVersionPatch()}.String(), true
}

// stampOf returns the time stamp of a message in nanoseconds; ok is false if it has none.
func stampOf(m protoreflect.Message) (ns int64, ok bool) {
	f := m.Descriptor().Fields().ByName("timestamp")
	if f == nil || !m.Has(f) {
		return 0, false
	}
	t, ok := m.Get(f).Message().Interface().(*osi3.Timestamp)
	if !ok {
		return 0, false
	}
	return t.GetSeconds()*1e9 + int64(t.GetNanos()), true
}

// damaged returns bytes that are almost a message: truncated, or with wrong lengths, types or bits.
func damaged(good []byte) (list [][]byte) {
	const cuts, flips = 24, 24
	for k := range cuts {
		list = append(list, good[:k*len(good)/cuts])
	}
	for k := range flips {
		b := append([]byte{}, good...)
		if at := (k*len(b) + len(b)/2) / flips; at < len(b) {
			b[at] ^= 1 << (k % 8)
		}
		list = append(list, b)
	}
	nested := protowire.AppendTag(nil, 7, protowire.BytesType)
	deep := []byte{}
	for range 200 {
		deep = append(protowire.AppendVarint(append([]byte{}, nested...), uint64(len(deep))),
			deep...)
	}
	return append(list,
		[]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x07}, // longer than everything
		[]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		[]byte{0x0b}, []byte{0x0c}, []byte{0x0f}, []byte{0x00}, // groups, types and field 0
		[]byte(strings.Repeat("\x00", 64)), []byte(strings.Repeat("\xff", 64)), deep,
	)
}
