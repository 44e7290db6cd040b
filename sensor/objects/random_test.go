package objects_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// mangler rewrites messages into others with a different meaning that are still valid protobuf:
// fields are lost, duplicated, split, reordered or given strange values, and foreign ones are
// added, on every level.
type mangler struct {
	random *rand.Rand
	rate   float64
}

func (m *mangler) chance() bool { return m.random.Float64() < m.rate }

var strange = [...]float64{
	math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 0, math.Copysign(0,
		-1), math.SmallestNonzeroFloat64,
	-1, math.Pi / 2, -math.Pi / 2, math.Pi, 1e9, 100,
}

// message mangles the content of a message that desc describes.
func (m *mangler) message(b []byte, desc protoreflect.MessageDescriptor) []byte {
	var fields [][]byte
	for len(b) > 0 {
		number, wireType, n := protowire.ConsumeTag(b)
		size := n + protowire.ConsumeFieldValue(number, wireType, b[n:])
		fields = append(fields, m.field(b[:size], number, wireType, n, desc)...)
		b = b[size:]
	}
	if m.chance() {
		fields = append(fields, m.foreign())
	}
	if m.chance() {
		m.random.Shuffle(len(fields), func(i, j int) {
			fields[i], fields[j] = fields[j], fields[i]
		})
	}
	var out []byte
	for _, f := range fields {
		out = append(out, f...)
	}
	return out
}

// field mangles one field, whose value begins at n, and returns the result.
func (m *mangler) field(
	b []byte, number protowire.Number, wireType protowire.Type, n int,
	desc protoreflect.MessageDescriptor,
) [][]byte {
	if m.chance() {
		return nil
	}
	tag, value := b[:n:n], b[n:]
	known := desc.Fields().ByNumber(number)
	switch {
	case wireType == protowire.BytesType && known != nil && known.Message() != nil:
		content, _ := protowire.ConsumeBytes(value)
		return m.split(tag, m.message(content, known.Message()))
	case wireType == protowire.Fixed64Type && m.chance():
		bits := math.Float64bits(strange[m.random.IntN(len(strange))])
		b = protowire.AppendFixed64(tag, bits)
	case wireType == protowire.VarintType && m.chance():
		b = protowire.AppendVarint(tag, []uint64{0, 2, 14, 1 << 31, 999_999_999, 1e9,
			math.MaxUint64}[m.random.IntN(7)])
	}
	if m.chance() {
		return [][]byte{b, b}
	}
	return [][]byte{b}
}

// split writes a message in one part, or in two that each have some of the fields.
func (m *mangler) split(tag, content []byte) [][]byte {
	whole := func(c []byte) []byte { return protowire.AppendBytes(append([]byte(nil), tag...), c) }
	if !m.chance() {
		return [][]byte{whole(content)}
	}
	var parts [2][]byte
	for len(content) > 0 {
		_, _, n := protowire.ConsumeField(content)
		k := m.random.IntN(2)
		parts[k] = append(parts[k], content[:n]...)
		content = content[n:]
	}
	return [][]byte{whole(parts[0]), whole(parts[1])}
}

// foreign returns a field that OSI does not define, or defines with another wire type.
func (m *mangler) foreign() []byte {
	number := []protowire.Number{1, 2, 3, 5, 7, 16, 100, 3000, 536870911}[m.random.IntN(9)]
	switch m.random.IntN(4) {
	case 0:
		return protowire.AppendFixed32(protowire.AppendTag(nil, number, protowire.Fixed32Type),
			m.random.Uint32())
	case 1:
		b := protowire.AppendTag(nil, number, protowire.StartGroupType)
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType),
			m.random.Uint64())
		return protowire.AppendTag(b, number, protowire.EndGroupType)
	case 2:
		return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType),
			m.random.Uint64())
	}
	return protowire.AppendString(protowire.AppendTag(nil, 9000, protowire.BytesType), "foreign")
}

// drawConfig returns a random configuration.
func drawConfig(t *rapid.T) objects.Config {
	c := objects.Default()
	flag, unit := rapid.Bool(), rapid.Float64Range(0, 1)
	c.NominalRange = rapid.Float64Range(1, 300).Draw(t, "range")
	c.HalfAngle = rapid.SampledFrom([]float64{math.Pi / 6, 0.1, math.Pi / 2, 2.5, math.Pi}).Draw(t,
		"angle")
	c.Occlusion, c.Moving, c.Stationary = flag.Draw(t, "occlusion"), !flag.Draw(t, "no moving"),
		flag.Draw(t, "stationary")
	if flag.Draw(t, "noise") {
		c.PositionNoise, c.VelocityNoise, c.Seed = unit.Draw(t, "position noise"),
			unit.Draw(t, "velocity noise"), rapid.Uint64().Draw(t, "seed")
	}
	if flag.Draw(t, "losses") {
		c.DetectionProbability, c.DropoutProbability = unit.Draw(t, "detection"), 0.9*unit.Draw(t,
			"dropout")
		c.DropoutCycles = rapid.Uint64Range(1, 5).Draw(t, "dropout cycles")
	}
	c.ForgetAfter = rapid.Uint64Range(0, 4).Draw(t, "forget")
	if flag.Draw(t, "vehicle frame") {
		c.Frame = objects.VehicleFrame
	}
	if flag.Draw(t, "mounted") {
		n := rapid.Float64Range(-3, 3)
		own := rapid.Uint64().Draw(t, "sensor id")
		c.SensorID = &own
		c.Mounting = &frames.Pose{
			Position: frames.Vector{X: n.Draw(t, "mx"), Y: n.Draw(t, "my"), Z: n.Draw(t, "mz")},
			Orientation: frames.Orientation{Roll: n.Draw(t, "mr"), Pitch: n.Draw(t, "mp"),
				Yaw: n.Draw(t, "mw")},
		}
	}
	return c
}

// mangled returns a mangled view of a scene.
func mangled(t require.TestingT, kind int, now timebase.Time, m *mangler) []byte {
	view := scene.Motorway(now)
	if kind%2 == 0 {
		view = scene.Crowd(kind%23, kind%3, 4)
		view.GlobalGroundTruth.StationaryObject = scene.Motorway(
			now).GlobalGroundTruth.StationaryObject[:5]
	}
	return m.message(marshal(t, view), (&osi3.SensorView{}).ProtoReflect().Descriptor())
}

// TestDetect_SameAsPlain_Random is the central property of the package: the detector that reads
// bytes and the plain one that decodes messages give the same SensorData and the same problems, for
// every sensor and every input that protobuf can decode.
func TestDetect_SameAsPlain_Random(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t, drawConfig(t))
		m := &mangler{
			random: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "mangling"), 0)),
			rate:   rapid.SampledFrom([]float64{0, 0.002, 0.01, 0.05, 0.2}).Draw(t, "rate"),
		}
		kind := rapid.IntRange(0, 40).Draw(t, "scene")
		for k := range rapid.IntRange(1, 6).Draw(t, "steps") {
			now := timebase.Time(k) * 10 * step
			view := mangled(t, kind, now, m)
			if len(view) == 0 {
				continue
			}
			require.NoError(t, proto.Unmarshal(view, &osi3.SensorView{}),
				"the mangler keeps to protobuf")
			data := p.step(t, view, now)
			if p.fast.Cycle() > 0 {
				checkRules(t, data)
			}
		}
	})
}

// TestDetect_Garbled flips bytes: nothing panics, and the result equals the result of the plain
// detector whenever that can decode the input.
func TestDetect_Garbled(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	clean := marshal(t, scene.Crowd(8, 1, 2))
	p := newPair(t, objects.Default())
	for k := range 1500 {
		view := append([]byte(nil), clean...)
		for range 1 + random.IntN(4) {
			view[random.IntN(len(view))] = byte(random.Uint32())
		}
		p.step(t, view, timebase.Time(k)*step)
		if t.Failed() {
			t.Fatalf("view %x", view)
		}
		p = newPair(t, objects.Default())
	}
}
