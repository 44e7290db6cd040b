package dummysensor_test

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// detecting returns an instance in step complete, which plays a scenario only if the parameters set
// one.
func detecting(t tester, parameters set) *rig {
	t.Helper()
	r := newRig(t)
	r.begin(parameters)
	return r
}

// begin is like detecting but uses a new instance.
func (r *rig) begin(parameters set) {
	r.t.Helper()
	all := set{"replay.enabled": false}
	maps.Copy(all, parameters)
	r.setUp(all)
	require.Equal(r.t, fmi.OK, r.ExitInitializationMode(), "%v", r.log.Lines)
}

// feed performs a step with a SensorView.
func (r *rig) feed(view []byte) fmi.Status {
	r.t.Helper()
	r.provide(viewIn, view)
	return r.step(cycle)
}

// street returns a SensorView in which every detection parameter matters: objects in, at and beyond
// the reach and the field of view, moving and stationary, some behind a lorry, and one absent for a
// while.
func street(number int) *osi3.SensorView {
	view := sensorView(number, 0)
	view.MountingPosition = &osi3.MountingPosition{Position: vector3d(1, 0, 1),
		Orientation: orientation(0, 0, 0)}
	truth := view.GlobalGroundTruth
	host := truth.MovingObject[0].Base.Position.GetX()
	moving := func(id int, x, y, height float64) {
		o := proto.Clone(truth.MovingObject[0]).(*osi3.MovingObject)
		o.Id.Value = proto.Uint64(uint64(id))
		o.Base.Position, o.Base.Dimension = vector3d(host+x, y, height/2), dimension(5, 2.5, height)
		truth.MovingObject = append(truth.MovingObject, o)
	}
	standing := func(id int, x, y float64) {
		truth.StationaryObject = append(truth.StationaryObject, &osi3.StationaryObject{
			Id: &osi3.Identifier{Value: proto.Uint64(uint64(id))},
			Base: &osi3.BaseStationary{
				Dimension: dimension(1, 1, 2), Position: vector3d(host+x, y, 1),
				Orientation: orientation(0, 0, 0),
			},
		})
	}
	moving(101, 15, 0, 4)
	moving(102, 30, 0.5, 1.5) // behind 101
	moving(103, 20, 8, 1.5)
	moving(104, 10, 14, 1.5)  // at an angle of about 50 degrees
	moving(105, 130, 20, 1.5) // just within reach
	moving(106, 160, 20, 1.5)
	if number < 8 || number > 13 {
		moving(107, 25, -6, 1.5)
	}
	standing(201, 18, -5)
	standing(202, 40, 0) // behind 101
	standing(103, 22, 4) // moving and stationary objects have separate ids
	return view
}

// detections returns the fields of a SensorData written by the detector: both headers, and all
// objects.
func detections(t tester, data []byte) (found [][][]byte) {
	t.Helper()
	for number := protowire.Number(10); number <= 13; number++ {
		found = append(found, fields(t, data, number))
	}
	return found
}

// parameter is a detection parameter with a value other than the default, and its expected effect.
type parameter struct {
	name  string
	value any
	apply func(*objects.Config)
}

var detectionParameters = []parameter{
	{"nominalrange", 110.0, func(c *objects.Config) { c.NominalRange = 110 }},
	{"objects.stationary", false, func(c *objects.Config) { c.Stationary = false }},
	{"objects.rangeFactor", 1.3, func(c *objects.Config) { c.RangeFactor = 1.3 }},
	{"objects.halfAngle", 1.0, func(c *objects.Config) { c.HalfAngle = 1 }},
	{"objects.occlusion", true, func(c *objects.Config) { c.Occlusion = true }},
	{"objects.detectionProbability", 0.9, func(c *objects.Config) { c.DetectionProbability = 0.9 }},
	{"objects.dropoutProbability", 0.2, func(c *objects.Config) { c.DropoutProbability = 0.2 }},
	{"objects.dropoutCycles", 4, func(c *objects.Config) { c.DropoutCycles = 4 }},
	{"objects.positionNoise", 0.3, func(c *objects.Config) { c.PositionNoise = 0.3 }},
	{"objects.velocityNoise", 0.7, func(c *objects.Config) { c.VelocityNoise = 0.7 }},
	{"objects.seed", 11, func(c *objects.Config) { c.Seed = 11 }},
	{"objects.forgetAfter", 3, func(c *objects.Config) { c.ForgetAfter = 3 }},
	{"mounting.yaw", 0.2, func(c *objects.Config) {
		c.Mounting = &frames.Pose{Orientation: frames.Orientation{Yaw: 0.2}}
	}},
	{"sensorId", 7, func(c *objects.Config) { c.SensorID = new(uint64); *c.SensorID = 7 }},
}

// Each parameter must reach its own setting of the detector. Each case sets all but one of them,
// because most have an effect only together with others; setting none and setting all are two more
// cases.
func TestDetection_EveryParameterReachesTheDetector(t *testing.T) {
	cases := map[string]func(parameter) bool{
		"none": func(parameter) bool { return false }, "all": func(parameter) bool { return true },
	}
	for _, p := range detectionParameters {
		cases["all but "+p.name] = func(other parameter) bool { return other.name != p.name }
	}
	courses := map[string]string{}
	for name, isSet := range cases {
		values, c := set{}, objects.Default()
		for _, p := range detectionParameters {
			if isSet(p) {
				values[p.name] = p.value
				p.apply(&c)
			}
		}
		course := fmt.Sprintf("%x", compareDetections(t, name, values, c))
		require.Empty(t, courses[course], "like %s: a parameter without effect proves nothing",
			name)
		courses[course] = name
	}
}

// compareDetections compares an instance with these parameters to a detector with the corresponding
// configuration, and returns what they detect in every step.
func compareDetections(t *testing.T, name string, parameters set, c objects.Config) (
	course [][][][]byte) {
	r := detecting(t, parameters)
	direct, err := objects.New(c)
	require.NoError(t, err)
	kept := 0
	for k := range 40 {
		view := marshal(t, street(k))
		require.Equal(t, fmi.OK, r.feed(view), "%v", r.log.Lines)
		result, err := direct.Detect(view, timebase.Span{Start: timebase.Time(r.now - cycle),
			End: timebase.Time(r.now)})
		require.NoError(t, err)
		want := detections(t, direct.AppendMovingObjects(direct.AppendStationaryObjects(nil)))
		found := detections(t, r.received(dataOut))
		require.Equal(t, want, found, "%s, step %d", name, k)
		require.Equal(t, result.Moving, r.integer("count"), "%s, step %d", name, k)
		require.Len(t, found[3], result.Moving)
		require.Len(t, found[1], result.Stationary)
		kept += result.Moving
		course = append(course, found)
	}
	require.NotZero(t, kept, name)
	require.Empty(t, r.lines(), name)
	return course
}

// Every detection parameter has a case above, except the one that switches detection off.
func TestDetection_NoParameterIsForgotten(t *testing.T) {
	var covered []string
	for _, p := range detectionParameters {
		covered = append(covered, p.name)
	}
	d := dummysensor.Definition()
	for _, v := range d.Variables.All() {
		if strings.HasPrefix(v.Name, "objects.") && v.Name != "objects.enabled" {
			require.Contains(t, covered, v.Name)
		}
	}
}

// The model description permits these values, so setting them must work.
func TestDetection_EveryBorderOfTheModelDescriptionIsAccepted(t *testing.T) {
	d := dummysensor.Definition()
	borders := 0
	for _, v := range d.Variables.All() {
		if v.Name != "nominalrange" && !strings.HasPrefix(v.Name, "objects.") {
			continue
		}
		for _, x := range bordersOf(v) {
			borders++
			t.Run(fmt.Sprintf("%s %v", v.Name, x), func(t *testing.T) {
				r := detecting(t, set{v.Name: x})
				for k := range 3 {
					require.Equal(t, fmi.OK, r.feed(marshal(t, street(k))), "%v", r.log.Lines)
				}
				require.Empty(t, r.lines())
				requireFinite(t, r.message())
			})
		}
	}
	require.Greater(t, borders, 15)
}

// bordersOf returns the smallest and the largest value of a variable. A Real without a maximum has
// no largest value.
func bordersOf(v *fmu.Variable) (values []any) {
	if v.Type == fmi.Integer {
		return []any{int(*v.Min), math.MaxInt32}
	}
	for _, border := range []*float64{v.Min, v.Max} {
		if border != nil {
			values = append(values, *border)
		}
	}
	return values
}

// requireFinite checks the numbers that a detection always has.
func requireFinite(t *testing.T, m *osi3.SensorData) {
	t.Helper()
	var numbers []float64
	add := func(h *osi3.DetectedItemHeader, p *osi3.Vector3D) {
		numbers = append(numbers, h.GetExistenceProbability(), p.GetX(), p.GetY(), p.GetZ())
	}
	for _, o := range m.MovingObject {
		add(o.Header, o.Base.Position)
	}
	for _, o := range m.StationaryObject {
		add(o.Header, o.Base.Position)
	}
	for _, x := range numbers {
		require.False(t, math.IsNaN(x) || math.IsInf(x, 0), "%v", m)
	}
}

// lies returns a SensorView with five kinds of oddities.
func lies() *osi3.SensorView {
	view := sensorView(0, 3)
	view.Timestamp, view.MountingPosition = nil, nil
	others := view.GlobalGroundTruth.MovingObject[1:]
	others[0].Base.Position.X = proto.Float64(math.NaN())
	others[1].Base.Orientation = nil
	others[2].Base.Velocity.X = proto.Float64(math.NaN())
	return view
}

// A host performs thousands of steps, and a problem in one view usually occurs in all of them. Each
// kind is logged once per run.
func TestReports_OneLinePerKindAndRun(t *testing.T) {
	r := newRig(t)
	for range 2 {
		r.now = 0
		r.begin(nil)
		for range 20 {
			require.Equal(t, fmi.OK, r.feed(marshal(t, lies())))
		}
		lines := r.lines()
		require.Len(t, lines, 5, "%q", lines)
		for k, name := range []string{
			"no mounting position", "no timestamp", "object with impossible position",
			"object without orientation",
			"object with impossible motion",
		} {
			require.True(t, strings.HasPrefix(lines[k], "fmi2Warning OSI: OSMPSensorViewIn: "+name+
				": found "), lines[k])
		}
		require.Equal(t, fmi.OK, r.Reset())
	}
}

// A kind logged before a snapshot is not logged again after it is restored; one first logged after
// the snapshot is.
func TestReports_ComeBackWithASnapshot(t *testing.T) {
	r := detecting(t, nil)
	early, late := sensorView(0, 1), sensorView(0, 1)
	early.Timestamp = nil
	late.MountingPosition = nil
	require.Equal(t, fmi.OK, r.feed(marshal(t, early)))
	require.Len(t, r.lines(), 1)
	saved, now := r.save(), r.now
	for range 2 {
		require.Equal(t, fmi.OK, r.feed(marshal(t, early)))
		require.Empty(t, r.lines())
		require.Equal(t, fmi.OK, r.feed(marshal(t, late)))
		require.Len(t, r.lines(), 1)
		r.restore(saved, now)
	}
}

// If SensorViews stop arriving, this is logged once. If none ever arrived, it is not logged.
func TestReports_SensorViewThatStaysAway(t *testing.T) {
	r := detecting(t, nil)
	r.steps(2, cycle)
	require.Empty(t, r.lines())
	for range 2 {
		require.Equal(t, fmi.OK, r.feed(marshal(t, sensorView(0, 1))))
		r.triple(viewIn, 0, 0)
		r.steps(2, cycle)
	}
	lines := r.lines()
	require.Len(t, lines, 1, "%q", lines)
	require.Contains(t, lines[0],
		"fmi2Warning OSMP: OSMPSensorViewIn: no SensorView any more in the step that ends at "+
			"0.080000000s; ")
}

// Tracks, noise and losses continue from the snapshot, in the same instance and in another one.
func TestDetection_ContinuesAfterASnapshot(t *testing.T) {
	parameters := set{
		"objects.positionNoise": 0.3, "objects.dropoutProbability": 0.3, "objects.dropoutCycles": 3,
		"objects.forgetAfter": 4,
	}
	first, second := detecting(t, parameters), detecting(t, nil)
	course := func(r *rig, from, n int) (messages [][]byte) {
		for k := range n {
			require.Equal(t, fmi.OK, r.feed(marshal(t, street(from+k))))
			messages = append(messages, r.received(dataOut))
		}
		return messages
	}
	course(first, 0, 10)
	saved, now := first.save(), first.now
	want := course(first, 10, 15)
	course(second, 3, 2)
	for _, r := range []*rig{first, second} {
		r.restore(saved, now)
		require.Equal(t, want, course(r, 10, 15))
	}
}
