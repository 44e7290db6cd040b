package truth_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
)

const ms = timebase.Millisecond

// maps returns the maps of the project and, if available, the optional maps.
func maps(t testing.TB) []string {
	list, err := filepath.Glob("../testdata/*.xodr")
	require.NoError(t, err)
	samples, err := filepath.Glob("../../examples/maps/*.xodr")
	require.NoError(t, err)
	require.Len(t, samples, 4)
	list = append(list, samples...)
	others, err := filepath.Glob("../../../shared/data/xodr/*.xodr")
	require.NoError(t, err)
	if len(others) == 0 {
		others, _ = filepath.Glob("../../../../shared/data/xodr/*.xodr")
	}
	if len(others) == 0 {
		t.Log("skipped: the maps beside the project are not there")
	}
	return append(list, others...)
}

// large reports whether a map takes too long for short tests.
func large(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() > 300_000
}

// populated returns a world with a host vehicle and n others of all kinds, distributed over the
// driving lanes.
func populated(t testing.TB, path string, n int) *mocksim.World {
	m, err := opendrive.ReadFile(path)
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{Seed: 3})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	var lanes []*opendrive.Lane
	for _, l := range m.Lanes() {
		if l.Drivable() && l.Section.Length() > 10 && l.Width(l.Section.S+5) > 2 {
			lanes = append(lanes, l)
		}
	}
	if len(lanes) == 0 {
		return nil
	}
	kinds := []mocksim.Kind{mocksim.Car, mocksim.Van, mocksim.Truck, mocksim.Bus,
		mocksim.Motorcycle, mocksim.Bicycle,
		mocksim.Pedestrian, mocksim.Animal, mocksim.Static}
	for k := range n + 1 {
		l := lanes[k*7%len(lanes)]
		share := math.Mod(float64(k)*0.618, 1)
		a := mocksim.Actor{Name: fmt.Sprintf("a%03d", k), Kind: kinds[k%len(kinds)],
			Start: mocksim.OnRoad(l.Section.Road.ID, l.ID, l.Section.S+
				share*l.Section.Length()*0.99)}
		if k == 0 {
			a.Name = "ego"
		}
		require.NoError(t, w.Create(a))
		if a.Kind.Vehicle() {
			require.NoError(t, w.SetController(a.Name, mocksim.Controller{}))
		}
	}
	return w
}

func decode(t testing.TB, b []byte) *osi3.SensorView {
	t.Helper()
	v := &osi3.SensorView{}
	require.NoError(t, proto.Unmarshal(b, v))
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(v)
	require.NoError(t, err)
	require.Equal(t, again, b, "fields are in the order of their numbers")
	return v
}

func step(t testing.TB, w *mocksim.World, n int) {
	t.Helper()
	for range n {
		_, err := w.Step(20 * ms)
		require.NoError(t, err)
	}
}

func TestSensorView_ObeysTheRulesOnAllMaps(t *testing.T) {
	for _, path := range maps(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			w := populated(t, path, 18)
			if w == nil {
				t.Skip("no lanes for cars")
			}
			m, err := truth.New(w, truth.Options{Host: "ego", Static: truth.Every, Country: 276})
			require.NoError(t, err)
			for range 2 {
				step(t, w, 5)
				b, err := m.SensorView()
				require.NoError(t, err)
				v := decode(t, b)
				require.Empty(t, broken(v))
				require.Len(t, v.GlobalGroundTruth.MovingObject, 17)
				noUnknown(t, v)
			}
		})
	}
}

// broken returns the rules that a message breaks, except for rules that a map cannot obey because
// they require non-empty lists of a lane's neighbors and boundaries. The outermost lanes have no
// neighbors, and only lanes in junctions have free boundaries.
func broken(m proto.Message) (list []string) {
	for _, f := range rules.Check(m) {
		if !strings.Contains(f.ID, "Lane.Classification.") || !strings.HasSuffix(f.ID, "is_set") {
			list = append(list, fmt.Sprint(f))
		}
	}
	return list
}

// noUnknown fails for an enumeration field with the value 0, unless 0 has a meaning there.
func noUnknown(t *testing.T, v *osi3.SensorView) {
	g := v.GlobalGroundTruth
	for _, l := range g.Lane {
		require.NotZero(t, l.Classification.GetType())
		require.NotZero(t, l.Classification.GetSubtype())
	}
	for _, l := range g.LogicalLane {
		require.NotZero(t, l.GetType())
		require.NotZero(t, l.GetMoveDirection())
		require.Less(t, l.GetStartS(), l.GetEndS())
	}
	for _, b := range g.LaneBoundary {
		require.NotZero(t, b.Classification.GetType())
		require.NotZero(t, b.Classification.GetColor())
		require.GreaterOrEqual(t, len(b.BoundaryLine), 2)
	}
	for _, o := range g.MovingObject {
		require.NotZero(t, o.GetType())
	}
}

func TestRange_RefersToNothingElse(t *testing.T) {
	for _, path := range maps(t) {
		if large(path) {
			continue
		}
		w := populated(t, path, 30)
		if w == nil {
			continue
		}
		m, err := truth.New(w, truth.Options{Host: "ego", Static: truth.Every, Range: 60})
		require.NoError(t, err)
		for range 2 {
			step(t, w, 50)
			b, err := m.SensorView()
			require.NoError(t, err)
			v := decode(t, b)
			require.Empty(t, broken(v), path)
			host := v.GlobalGroundTruth.MovingObject
			require.NotEmpty(t, host)
			ego, err := w.Actor("ego")
			require.NoError(t, err)
			for _, o := range host {
				d := math.Hypot(o.Base.Position.GetX()-ego.State().Position.X,
					o.Base.Position.GetY()-ego.State().Position.Y)
				require.Less(t, d, 61.0)
			}
		}
	}
}

// nearest returns the distance of a point from a polyline, horizontally and in height.
func nearest(p frames.Vector, line []frames.Vector) (aside, height float64) {
	aside = math.Inf(1)
	for k := 0; k+1 < len(line); k++ {
		a, b := line[k], line[k+1]
		d := b.Sub(a)
		length := d.X*d.X + d.Y*d.Y
		share := 0.0
		if length > 0 {
			share = min(max(((p.X-a.X)*d.X+(p.Y-a.Y)*d.Y)/length, 0), 1)
		}
		q := a.Add(d.Scale(share))
		if away := math.Hypot(p.X-q.X, p.Y-q.Y); away < aside {
			aside, height = away, math.Abs(p.Z-q.Z)
		}
	}
	return aside, height
}

func TestLines_AreWithinTheTolerance(t *testing.T) {
	for _, path := range maps(t) {
		w := populated(t, path, 0)
		if w == nil {
			continue
		}
		m, err := truth.New(w, truth.Options{Host: "ego"})
		require.NoError(t, err)
		g := &osi3.GroundTruth{}
		require.NoError(t, proto.Unmarshal(m.Static(), g))
		centers := map[[3]string]*osi3.Lane{}
		for _, l := range g.Lane {
			if id := l.SourceReference[0].Identifier; len(id) == 3 {
				centers[[3]string(id)] = l
			}
		}
		for k, l := range w.Map().Lanes() {
			found := centers[[3]string{l.Section.Road.ID, fmt.Sprintf("%g", l.Section.S),
				fmt.Sprint(l.ID)}]
			if found == nil || l.Section.Length() < 1e-3 || k > 60 {
				continue
			}
			var line []frames.Vector
			for _, p := range found.Classification.Centerline {
				line = append(line, frames.Vector{X: p.GetX(), Y: p.GetY(), Z: p.GetZ()})
			}
			for i := range 20 {
				s := l.Section.S + l.Section.Length()*(float64(i)+math.Mod(float64(i)*0.618, 1))/20
				st, err := l.Section.Road.Station(min(s, l.Section.End-1e-6))
				require.NoError(t, err)
				aside, height := nearest(l.Point(&st, l.Center(st.S)), line)
				require.Less(t, aside, truth.LateralTolerance, "%s %s at %g", path, l, s)
				require.Less(t, height, truth.HeightTolerance, "%s %s at %g", path, l, s)
			}
		}
	}
}

func TestReferenceLine_SRisesAndIsNotShorterThanTheWay(t *testing.T) {
	for _, path := range maps(t) {
		w := populated(t, path, 0)
		if w == nil {
			continue
		}
		m, err := truth.New(w, truth.Options{Host: "ego"})
		require.NoError(t, err)
		g := &osi3.GroundTruth{}
		require.NoError(t, proto.Unmarshal(m.Static(), g))
		for _, r := range g.ReferenceLine {
			for k := 1; k < len(r.PolyLine); k++ {
				a, b := r.PolyLine[k-1], r.PolyLine[k]
				d := math.Hypot(b.WorldPosition.GetX()-a.WorldPosition.GetX(),
					b.WorldPosition.GetY()-a.WorldPosition.GetY())
				require.GreaterOrEqual(t, b.GetSPosition(), a.GetSPosition())
				// One road of Town07 has a jump of 1.01 mm, which is not included in its s.
				require.GreaterOrEqual(t, b.GetSPosition()-a.GetSPosition(), d-1.1e-3, path)
			}
		}
	}
}

func TestMovingObject_IsTheActor(t *testing.T) {
	w := populated(t, "../testdata/ring.xodr", 12)
	require.NoError(t, w.Create(mocksim.Actor{Name: "x", Start: mocksim.AtPosition(100,
		60).WithSpeed(8)}))
	_, err := w.SetControls("x", mocksim.Drive{Controls: []mocksim.Controls{{Gear: -1, Brake: 0.2,
		SteeringWheel: 2, Indicator: mocksim.IndicatorLeft, Lights: mocksim.LowBeam}}})
	require.NoError(t, err)
	m, err := truth.New(w,
		truth.Options{Host: "x", Static: truth.Never,
			Mounting: frames.Pose{Position: frames.Vector{X: 3}}})
	require.NoError(t, err)
	step(t, w, 20)
	b, err := m.SensorView()
	require.NoError(t, err)
	v := decode(t, b)
	actor, err := w.Actor("x")
	require.NoError(t, err)
	s := actor.State()
	var o *osi3.MovingObject
	for _, each := range v.GlobalGroundTruth.MovingObject {
		if each.Id.GetValue() == v.HostVehicleId.GetValue() {
			o = each
		}
	}
	require.Equal(t, actor.ID(), o.Id.GetValue())
	require.Equal(t, 3.0, v.MountingPosition.Position.GetX())
	require.InDelta(t, s.Position.Z+0.75, o.Base.Position.GetZ(), 1e-12)
	require.InDelta(t, s.Velocity.X, o.Base.Velocity.GetX(), 1e-12)
	require.InDelta(t, s.Rate.Yaw, o.Base.OrientationRate.GetYaw(), 1e-12)
	require.Equal(t, -1.35, o.VehicleAttributes.BbcenterToRear.GetX())
	lamps := o.VehicleClassification.LightState
	require.Equal(t, osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_LEFT,
		lamps.GetIndicatorState())
	require.Equal(t, osi3.MovingObject_VehicleClassification_LightState_BRAKE_LIGHT_STATE_NORMAL,
		lamps.GetBrakeLightState())
	require.Equal(t, osi3.MovingObject_VehicleClassification_LightState_GENERIC_LIGHT_STATE_ON,
		lamps.GetHeadLight())
	require.Equal(t, osi3.MovingObject_VehicleClassification_LightState_GENERIC_LIGHT_STATE_ON,
		lamps.GetReversingLight())
	h := v.HostVehicleData
	require.InDelta(t, s.Speed, h.VehicleMotion.Velocity.GetX(), 1e-9)
	require.InDelta(t, 0, h.VehicleMotion.Velocity.GetY(), 1e-9, "the rear axle does not slip")
	require.InDelta(t, math.Tan(s.Steering)/2.7, h.VehicleMotion.GetCurrentCurvature(), 1e-9)
	require.Equal(t, 0.2, h.VehicleBrakeSystem.GetPedalPositionBrake())
	require.InDelta(t, 48.1, h.VehicleLocalization.GeodeticPosition.GetLatitude(), 0.01)
	require.Empty(t, v.GlobalGroundTruth.Lane)
}

func TestStatic_InitAndDynamicAreEvery(t *testing.T) {
	w := populated(t, "../testdata/ring.xodr", 100)
	every, err := truth.New(w, truth.Options{Host: "ego", Static: truth.Every})
	require.NoError(t, err)
	first, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	step(t, w, 1)
	a, err := every.SensorView()
	require.NoError(t, err)
	b, err := first.SensorView()
	require.NoError(t, err)
	require.Equal(t, a, b)
	second, err := first.SensorView()
	require.NoError(t, err)
	require.Less(t, len(second), 55_000)
	v := decode(t, second)
	g := &osi3.GroundTruth{}
	require.NoError(t, proto.Unmarshal(first.Static(), g))
	proto.Merge(g, v.GlobalGroundTruth)
	whole := decode(t, a).GlobalGroundTruth
	for _, l := range whole.Lane { // the host vehicle's position is not part of the map
		l.Classification.IsHostVehicleLane = nil
	}
	require.True(t, proto.Equal(g, whole))
}

func TestAssignment_SharesOfTheWidth(t *testing.T) {
	w := populated(t, "../testdata/ring.xodr", 0)
	require.NoError(t, w.Create(mocksim.Actor{Name: "x", Start: mocksim.Start{Road: "1", Lane: -1,
		S: 50, Offset: 1.75}}))
	m, err := truth.New(w, truth.Options{Host: "x", Static: truth.Every})
	require.NoError(t, err)
	b, err := m.SensorView()
	require.NoError(t, err)
	v := decode(t, b)
	for _, o := range v.GlobalGroundTruth.MovingObject {
		if o.Id.GetValue() == v.HostVehicleId.GetValue() {
			c := o.MovingObjectClassification
			require.Len(t, c.AssignedLaneId, 2)
			require.InDelta(t, 50, c.AssignedLanePercentage[0], 1e-6)
			require.InDelta(t, 50, c.AssignedLanePercentage[1], 1e-6)
			require.InDelta(t, 50, c.LogicalLaneAssignment[0].GetSPosition(), 1e-9)
			require.InDelta(t, 0, c.LogicalLaneAssignment[0].GetTPosition(), 1e-9)
		}
	}
	both := 0
	for _, l := range v.GlobalGroundTruth.Lane {
		if l.Classification.GetIsHostVehicleLane() {
			both++
		}
	}
	require.Equal(t, 2, both, "lanes of the host vehicle")
}

func TestSensorView_AllocatesNothing(t *testing.T) {
	w := populated(t, "../testdata/ring.xodr", 100)
	m, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	step(t, w, 500)
	for range 3 {
		_, err = m.SensorView()
		require.NoError(t, err)
	}
	require.Zero(t, testing.AllocsPerRun(200, func() { _, _ = m.SensorView() }))
}

func TestHost_HasToBeAVehicle(t *testing.T) {
	w := populated(t, "../testdata/ring.xodr", 8)
	for _, host := range []string{"nobody", "a006"} {
		m, err := truth.New(w, truth.Options{Host: host})
		require.NoError(t, err)
		_, err = m.SensorView()
		require.Error(t, err)
	}
}

// TestSensorView_ForOtherCheckers writes messages for other checkers if GOSMP_OSI_OUT names a
// folder.
func TestSensorView_ForOtherCheckers(t *testing.T) {
	folder := os.Getenv("GOSMP_OSI_OUT")
	if folder == "" {
		t.Skip("GOSMP_OSI_OUT is not set")
	}
	for _, path := range maps(t) {
		w := populated(t, path, 18)
		if w == nil {
			continue
		}
		m, err := truth.New(w, truth.Options{Host: "ego", Static: truth.Every, Country: 276})
		require.NoError(t, err)
		step(t, w, 5)
		b, err := m.SensorView()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(path)+".sv"), b, 0o600))
	}
}
