package objects_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

var updateDigests = flag.Bool("update", false,
	"rewrite testdata/digests.txt from the detector as it is")

// digestFile holds one line for each sensor and kind of input: their names, the digest of the input
// and the digest of everything that the detector outputs for it.
var digestFile = filepath.Join("testdata", "digests.txt")

// inputs are the kinds of input of TestDetect_Digests: each returns the views of a run.
var inputs = []struct {
	name  string
	views func(testing.TB) [][]byte
}{
	{"level", levelViews}, {"boundaries", boundaryViews}, {"tilted", tiltedViews},
	{"mixed", mixedViews}, {"long run", longViews},
	{"mangled a little", mangledViews(0.003)}, {"mangled much", mangledViews(0.08)},
	{"strange numbers", strangeViews},
	{"overlong varints", overlongViews}, {"truncated", truncatedViews}, {"garbled", garbledViews},
}

// TestDetect_Digests compares every byte of the output, every state and every text with digests
// that were recorded before the detector was made faster. If a change is meant to alter the output,
// record them again with -update and explain why.
func TestDetect_Digests(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip(
			"the scenes are computed with package math, whose last bits differ between processors")
	}
	var lines []string
	for _, in := range inputs {
		views := in.views(t)
		given := sha256.New()
		for _, view := range views {
			fmt.Fprintf(given, "%d %s\n", len(view), view)
		}
		all := configs()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			lines = append(lines, fmt.Sprintf("%s, %s: %.8x %.16x", in.name, name, given.Sum(nil),
				digest(t, all[name], views)))
		}
	}
	if *updateDigests {
		require.NoError(t, os.WriteFile(digestFile, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	recorded, err := os.ReadFile(digestFile)
	require.NoError(t, err)
	require.Equal(t, strings.Split(strings.TrimSpace(string(recorded)), "\n"), lines)
}

// digest returns the digest of everything that a detector outputs for a run of views.
func digest(t testing.TB, c objects.Config, views [][]byte) []byte {
	d, err := objects.New(c)
	require.NoError(t, err)
	sum := sha256.New()
	var data, state []byte
	for k, view := range views {
		now := timebase.Time(k+1) * step
		r, err := d.Detect(view, until(now))
		if err != nil {
			fmt.Fprintln(sum, "error", err)
			d.SkipStep()
		} else {
			data = appendSensorData(data[:0], view, d, r, now)
			sum.Write(data)
			writeResult(sum, d, r)
		}
		state = d.AppendState(state[:0])
		sum.Write(state)
	}
	return sum.Sum(nil)
}

// writeResult writes the parts of a result that are not in the SensorData. The text of a NaN does
// not contain its bits.
func writeResult(sum hash.Hash, d *objects.Detector, r objects.Result) {
	fmt.Fprintln(sum, r.Moving, r.Stationary, r.HostFound, r.Measured, d.SensorID(), d.Mounting())
	for p := range r.Problems.All() {
		fmt.Fprintln(sum, d.Explain(p))
	}
	host, ok := d.Host()
	fmt.Fprintln(sum, ok, host.ID, host.Has, host.Pose, host.RearAxle, host.Velocity,
		host.Acceleration, host.OrientationRate)
}

// marshalAll encodes views one after the other.
func marshalAll(t testing.TB, n int, view func(k int) *osi3.SensorView) (all [][]byte) {
	for k := range n {
		all = append(all, marshal(t, view(k)))
	}
	return all
}

func levelViews(t testing.TB) [][]byte {
	return marshalAll(t, 30, func(k int) *osi3.SensorView { return scene.Crowd(7*k, 0, 0) })
}

func boundaryViews(t testing.TB) [][]byte {
	return marshalAll(t, 4, func(k int) *osi3.SensorView { return scene.Crowd(60*k, 200, 50) })
}

// tiltedViews have roll, pitch and their rates everywhere, small at first, later in full circles.
func tiltedViews(t testing.TB) [][]byte {
	random := rand.New(rand.NewPCG(11, 12))
	return marshalAll(t, 40, func(k int) *osi3.SensorView {
		view := scene.Crowd(20+k, 0, 0)
		tilt(view, random, [...]float64{0.1, 0.8, 3.2, 10}[k%4])
		return view
	})
}

// tilt tilts all objects by up to the given angle.
func tilt(view *osi3.SensorView, random *rand.Rand, most float64) {
	angle := func() float64 { return (2*random.Float64() - 1) * most }
	for _, o := range view.GlobalGroundTruth.MovingObject {
		*o.Base.Orientation.Roll, *o.Base.Orientation.Pitch = angle(), angle()
		*o.Base.Orientation.Yaw += angle()
		*o.Base.OrientationRate.Roll, *o.Base.OrientationRate.Pitch = random.NormFloat64()/10,
			random.NormFloat64()/10
		*o.Base.Position.Z += random.NormFloat64()
	}
	for _, o := range view.GlobalGroundTruth.StationaryObject {
		*o.Base.Orientation.Roll, *o.Base.Orientation.Pitch = angle(), angle()
	}
}

// mixedViews have traffic of many shapes: optional parts come and go from object to object.
func mixedViews(t testing.TB) [][]byte {
	random := rand.New(rand.NewPCG(21, 22))
	return marshalAll(t, 40, func(k int) *osi3.SensorView {
		view := scene.Motorway(timebase.Time(k) * 5 * step)
		truth := view.GlobalGroundTruth
		truth.MovingObject = append(truth.MovingObject, scene.Crowd(10*k%64, 0,
			0).GlobalGroundTruth.MovingObject...)
		tilt(view, random, 0.05*float64(k%3))
		for n, o := range truth.MovingObject {
			if n > 0 {
				vary(o, random, k%5)
			}
		}
		return view
	})
}

// vary removes and adds optional parts of an object; variety is the number of parts it may change.
func vary(o *osi3.MovingObject, random *rand.Rand, variety int) {
	value := func(n int) *uint64 { v := random.Uint64() >> (63 - random.IntN(n)); return &v }
	for range variety {
		switch random.IntN(12) {
		case 0:
			o.VehicleAttributes = nil
		case 1:
			o.VehicleClassification = nil
		case 2:
			o.Base.OrientationAcceleration = nil
		case 3:
			o.Base.Acceleration = nil
		case 4:
			o.Base.OrientationRate = nil
		case 5:
			o.Base.Orientation = nil
		case 6:
			o.Base.Velocity = nil
		case 7:
			o.Base.Dimension = nil
		case 8:
			o.Type = osi3.MovingObject_Type(random.IntN(6)).Enum()
		case 9:
			o.Id.Value = value(63)
		case 10:
			o.AssignedLaneId = append(o.AssignedLaneId, &osi3.Identifier{Value: value(40)})
		case 11:
			o.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 9000,
				protowire.BytesType), make([]byte, random.IntN(150))))
		}
	}
}

// longViews follow the traffic of a motorway for half a minute, with gaps.
func longViews(t testing.TB) [][]byte {
	return marshalAll(t, 150, func(k int) *osi3.SensorView {
		view := scene.Motorway(timebase.Time(k) * 10 * step)
		if k%9 > 6 {
			view.GlobalGroundTruth.MovingObject = view.GlobalGroundTruth.MovingObject[:k%40]
		}
		return view
	})
}

func mangledViews(rate float64) func(testing.TB) [][]byte {
	return func(t testing.TB) (views [][]byte) {
		m := &mangler{rand.New(rand.NewPCG(31, math.Float64bits(rate))), rate}
		for k := range 150 {
			views = append(views, mangled(t, k, timebase.Time(k)*step, m))
		}
		return views
	}
}

// strangeViews have one strange number in each view, in any place.
func strangeViews(t testing.TB) (views [][]byte) {
	random := rand.New(rand.NewPCG(41, 42))
	for range 200 {
		view := scene.Crowd(12, 0, 0)
		view.GlobalGroundTruth.StationaryObject = scene.Motorway(
			0).GlobalGroundTruth.StationaryObject[:6]
		var doubles []func(float64)
		collectDoubles(view.ProtoReflect(), &doubles)
		doubles[random.IntN(len(doubles))](strange[random.IntN(len(strange))])
		views = append(views, marshal(t, view))
	}
	return views
}

// collectDoubles appends a setter of each double of a message.
func collectDoubles(m protoreflect.Message, all *[]func(float64)) {
	fields := m.Descriptor().Fields()
	for k := range fields.Len() {
		f := fields.Get(k)
		switch {
		case !m.Has(f):
		case f.Message() != nil && f.IsList():
			for n := range m.Get(f).List().Len() {
				collectDoubles(m.Get(f).List().Get(n).Message(), all)
			}
		case f.Message() != nil:
			collectDoubles(m.Get(f).Message(), all)
		case f.Kind() == protoreflect.DoubleKind && !f.IsList():
			*all = append(*all, func(x float64) { m.Set(f, protoreflect.ValueOfFloat64(x)) })
		}
	}
}

// overlongViews have lengths and values with more bytes than they need, which protobuf accepts.
func overlongViews(t testing.TB) (views [][]byte) {
	random := rand.New(rand.NewPCG(51, 52))
	for k := range 40 {
		view := marshal(t, scene.Motorway(timebase.Time(k)*step))
		views = append(views, overlong(view, (&osi3.SensorView{}).ProtoReflect().Descriptor(),
			random))
	}
	return views
}

// overlong pads varints of a message at random.
func overlong(b []byte, desc protoreflect.MessageDescriptor, random *rand.Rand) (out []byte) {
	varint := func(v uint64) {
		out = protowire.AppendVarint(out, v)
		for range max(0, random.IntN(40)-36) {
			out[len(out)-1] |= 0x80
			out = append(out, 0)
		}
	}
	for len(b) > 0 {
		number, wireType, n := protowire.ConsumeTag(b)
		size := n + protowire.ConsumeFieldValue(number, wireType, b[n:])
		varint(protowire.EncodeTag(number, wireType))
		known := desc.Fields().ByNumber(number)
		switch wireType {
		case protowire.BytesType:
			content, _ := protowire.ConsumeBytes(b[n:])
			if known != nil && known.Message() != nil {
				content = overlong(content, known.Message(), random)
			}
			varint(uint64(len(content)))
			out = append(out, content...)
		case protowire.VarintType:
			v, _ := protowire.ConsumeVarint(b[n:])
			varint(v)
		default:
			out = append(out, b[n:size]...)
		}
		b = b[size:]
	}
	return out
}

// truncatedViews end anywhere, at first with lengths that extend beyond the end, and then with
// lengths that fit.
func truncatedViews(t testing.TB) (views [][]byte) {
	view := scene.Motorway(0)
	view.GlobalGroundTruth.MovingObject = view.GlobalGroundTruth.MovingObject[:3]
	view.GlobalGroundTruth.StationaryObject = view.GlobalGroundTruth.StationaryObject[28:31]
	whole := marshal(t, view)
	truth := marshal(t, view.GlobalGroundTruth)
	view.GlobalGroundTruth = nil
	head := marshal(t, view)
	for n := 1; n < len(whole); n += 2 {
		views = append(views, whole[:n], protowire.AppendBytes(append(slices.Clone(head), 5<<3|2),
			truth[:min(n, len(truth))]))
	}
	return append(views, whole)
}

// garbledViews have wrong bytes, most of them where objects begin.
func garbledViews(t testing.TB) (views [][]byte) {
	random := rand.New(rand.NewPCG(61, 62))
	clean := marshal(t, scene.Crowd(8, 1, 2))
	require.NoError(t, proto.Unmarshal(clean, &osi3.SensorView{}))
	for range 600 {
		view := slices.Clone(clean)
		for range 1 + random.IntN(3) {
			view[random.IntN(len(view))] = byte(random.Uint32())
		}
		views = append(views, view)
	}
	return views
}
