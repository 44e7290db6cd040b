package dummysensor_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// requested returns the configuration that the model requests.
func requested(r *rig) *osi3.SensorViewConfiguration {
	m := &osi3.SensorViewConfiguration{}
	require.NoError(r.t, proto.Unmarshal(r.received(configRequest), m))
	return m
}

func TestConfigRequest_Contents(t *testing.T) {
	r, nominal := newRig(t), 200.0
	r.setUp(withScenario(t, sixSensors,
		set{"sensorId": 7, "nominalrange": nominal, "mounting.z": 1.25, "mounting.pitch": 0.1}))
	id := &osi3.Identifier{Value: proto.Uint64(7)}
	want := &osi3.SensorViewConfiguration{
		Version: osi3.Version(), SensorId: id,
		MountingPosition: &osi3.MountingPosition{Position: vector3d(0, 0, 1.25),
			Orientation: orientation(0, 0.1, 0)},
		FieldOfViewHorizontal: proto.Float64(math.Pi), FieldOfViewVertical: proto.Float64(math.Pi),
		Range:           proto.Float64(1.1 * nominal),
		UpdateCycleTime: &osi3.Timestamp{Seconds: proto.Int64(0), Nanos: proto.Uint32(20_000_000)},
		GenericSensorViewConfiguration: []*osi3.GenericSensorViewConfiguration{{
			SensorId: id, FieldOfViewHorizontal: proto.Float64(math.Pi),
			FieldOfViewVertical: proto.Float64(math.Pi),
		}},
	}
	require.Equal(t, marshal(t, want), r.received(configRequest), "%v", requested(r))
}

func TestConfigRequest_CycleTimeIsTheDefaultStep(t *testing.T) {
	r := newRig(t)
	r.setUp(withScenario(t, sixSensors, nil))
	found := requested(r).UpdateCycleTime
	require.Equal(t, dummysensor.Definition().Experiment.Step, float64(found.GetSeconds())+
		float64(found.GetNanos())/1e9)
}

func TestConfigRequest_FollowsItsParameters(t *testing.T) {
	r := newRig(t)
	r.setUp(withScenario(t, sixSensors, nil))
	require.Equal(t, 148.5, requested(r).GetRange())
	r.set(set{"nominalrange": 50.0})
	require.InDelta(t, 55, requested(r).GetRange(), 1e-12)
	r.set(set{"sensorId": 12, "mounting.x": -1.0})
	require.EqualValues(t, 12, requested(r).SensorId.GetValue())
	require.EqualValues(t, 12, requested(r).GenericSensorViewConfiguration[0].SensorId.GetValue())
	require.Equal(t, -1.0, requested(r).MountingPosition.Position.GetX())
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	before := r.received(configRequest)
	r.steps(3, cycle)
	require.Equal(t, before, r.received(configRequest))
}

// hostConfiguration returns a host's answer, with a field that OSI does not define.
func hostConfiguration(t tester, x float64) []byte {
	b := marshal(t, &osi3.SensorViewConfiguration{
		Version: osi3.Version(), SensorId: &osi3.Identifier{Value: proto.Uint64(3)},
		MountingPosition: &osi3.MountingPosition{Position: vector3d(x, 0, 0),
			Orientation: orientation(0, 0, 0.25)},
		Range: proto.Float64(80),
	})
	return protowire.AppendBytes(protowire.AppendTag(b, 18999, protowire.BytesType),
		[]byte{0xFF, 0})
}

func TestConfigRequest_MirrorsTheHostsConfiguration(t *testing.T) {
	r := newRig(t)
	r.setUp(withScenario(t, sixSensors, nil))
	wanted := r.received(configRequest)
	answer := hostConfiguration(t, 2)
	address := r.provide(configIn, answer)
	require.Equal(t, answer, r.received(configRequest))
	r.memory.Protect(address)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(2, cycle)
	require.Equal(t, answer, r.received(configRequest), "the host's buffer is not needed any more")

	require.Equal(t, fmi.OK, r.Reset())
	r.setUp(withScenario(t, sixSensors, nil))
	require.Equal(t, wanted, r.received(configRequest), "forgotten")
}

func TestConfigRequest_WithdrawnConfigurationRestoresTheRequest(t *testing.T) {
	r := newRig(t)
	r.setUp(withScenario(t, sixSensors, nil))
	wanted := r.received(configRequest)
	r.provide(configIn, hostConfiguration(t, 2))
	require.NotEqual(t, wanted, r.received(configRequest))
	r.triple(configIn, 0, 0)
	require.Equal(t, wanted, r.received(configRequest))
}

func TestMounting_ParameterThenConfigurationThenSensorView(t *testing.T) {
	for _, c := range []struct {
		name                      string
		parameter, configured, in bool
		x                         float64
	}{
		{"all three", true, true, true, 5},
		{"parameter alone", true, false, false, 5},
		{"parameter and view", true, false, true, 5},
		{"configuration and view", false, true, true, 2},
		{"configuration alone", false, true, false, 2},
		{"view alone", false, false, true, 1},
		{"nothing", false, false, false, 0},
	} {
		r := newRig(t)
		parameters := withScenario(t, sixSensors, nil)
		if c.parameter {
			parameters["mounting.x"] = 5.0
		}
		r.setUp(parameters)
		if c.configured {
			r.provide(configIn, hostConfiguration(t, 2))
		}
		require.Equal(t, fmi.OK, r.ExitInitializationMode())
		for range 2 {
			if c.in {
				r.provide(viewIn, marshal(t, sensorView(1, 1)))
			}
			r.steps(1, cycle)
			p := r.message().MountingPosition
			require.Equal(t, c.x, p.Position.GetX(), c.name)
			require.Equal(t, map[float64]float64{5: 0, 2: 0.25, 1: 0.3, 0: 0}[c.x],
				p.Orientation.GetYaw(), c.name)
		}
	}
}

// NaN in the mounting position would spread to all detections and to their consumers.
func TestMounting_ConfigurationThatIsNotFiniteIsRefused(t *testing.T) {
	for name, mounting := range map[string]*osi3.MountingPosition{
		"position":    {Position: vector3d(math.NaN(), 1, 2), Orientation: orientation(0, 0, 0)},
		"orientation": {Position: vector3d(1, 2, 3), Orientation: orientation(0, math.Inf(-1), 0)},
	} {
		for _, enabled := range []bool{false, true} {
			r := newRig(t)
			answer := marshal(t, &osi3.SensorViewConfiguration{MountingPosition: mounting})
			r.setUp(withScenario(t, sixSensors, set{"objects.enabled": enabled}))
			r.provide(configIn, answer)
			require.Equal(t, fmi.Error, r.ExitInitializationMode(), name)
			lines := r.lines()
			require.Len(t, lines, 1, name)
			for _, text := range []string{
				"wrong parameter: OSMPSensorViewInConfig: mounting_position: found {Position:",
				map[string]string{
					"position": "{X:NaN Y:1 Z:2}", "orientation": "Pitch:-Inf",
				}[name],
				"expected finite numbers",
				"correct the SensorViewConfiguration, or set the parameters mounting.*",
			} {
				require.Contains(t, lines[0], text, name)
			}

			require.Equal(t, fmi.OK, r.Reset())
			r.setUp(withScenario(t, sixSensors, set{"objects.enabled": enabled, "mounting.x": 2.0}))
			r.provide(configIn, answer)
			require.Equal(t, fmi.OK, r.ExitInitializationMode(), "the advice helps")
		}
	}
}

// Without a mounting position in the configuration, the SensorView's applies, and without one
// there, the default.
func TestMounting_MessagesWithoutOne(t *testing.T) {
	r := newRig(t)
	r.setUp(withScenario(t, sixSensors, nil))
	r.provide(configIn, marshal(t, &osi3.SensorViewConfiguration{Version: osi3.Version(),
		Range: proto.Float64(80)}))
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	view := sensorView(1, 1)
	r.provide(viewIn, marshal(t, view))
	r.steps(1, cycle)
	require.Equal(t, 1.0, r.message().MountingPosition.Position.GetX())
	view.MountingPosition = nil
	r.provide(viewIn, marshal(t, view))
	r.steps(1, cycle)
	require.Equal(t, 0.0, r.message().MountingPosition.Position.GetX(),
		"not that of the step before")
}

func TestMounting_EveryParameterCounts(t *testing.T) {
	for _, name := range []string{"x", "y", "z", "roll", "pitch", "yaw"} {
		r := started(t, sixSensors, set{"mounting." + name: 0.5})
		r.provide(viewIn, marshal(t, sensorView(1, 1)))
		r.steps(1, cycle)
		p := r.message().MountingPosition
		found := map[string]float64{
			"x": p.Position.GetX(), "y": p.Position.GetY(), "z": p.Position.GetZ(),
			"roll": p.Orientation.GetRoll(), "pitch": p.Orientation.GetPitch(),
			"yaw": p.Orientation.GetYaw(),
		}
		for other, value := range found {
			require.Equal(t, other == name, value == 0.5, "%s: %v", name, found)
		}
	}
}

func TestSensorID_ParameterThenConfigurationThenSensorView(t *testing.T) {
	for _, c := range []struct {
		name             string
		parameter        any
		configured, seen bool
		id               uint64
	}{
		{"all three", 5, true, true, 5},
		{"parameter and view", 5, false, true, 5},
		{"the number that is used without any", 1, true, true, 1},
		{"zero is a number", 0, true, true, 0},
		{"configuration and view", nil, true, true, 3},
		{"configuration alone", nil, true, false, 3},
		{"view alone", nil, false, true, 10000},
		{"nothing", nil, false, false, 1},
	} {
		r := newRig(t)
		parameters := withScenario(t, sixSensors, set{"objects.halfAngle": math.Pi})
		if c.parameter != nil {
			parameters["sensorId"] = c.parameter
		}
		r.setUp(parameters)
		require.EqualValues(t, map[any]uint64{nil: 1, 0: 0, 1: 1, 5: 5}[c.parameter],
			requested(r).SensorId.GetValue(), c.name)
		if c.configured {
			r.provide(configIn, hostConfiguration(t, 2))
		}
		require.Equal(t, fmi.OK, r.ExitInitializationMode())
		if c.seen {
			r.provide(viewIn, marshal(t, sensorView(1, 1)))
		}
		r.steps(1, cycle)
		require.Equal(t, c.id, r.message().SensorId.GetValue(), c.name)
		for _, o := range r.message().MovingObject {
			require.Equal(t, c.id, o.Header.SensorId[0].GetValue(), c.name)
		}
	}
}

// A consumer that distinguishes sensors by id must not see a different sensor in a step without a
// SensorView.
func TestSensorID_AndMountingStayThoseOfTheNewestSensorView(t *testing.T) {
	r := started(t, sixSensors, nil)
	r.provide(viewIn, marshal(t, sensorView(1, 1)))
	r.steps(1, cycle)
	saved := r.save()
	for range 2 {
		r.steps(1, cycle)
		require.EqualValues(t, 10000, r.message().SensorId.GetValue())
		require.EqualValues(t, 10000, r.message().SensorView[0].SensorId.GetValue(),
			"also in the SensorView that is made")
		require.Equal(t, 2.0, r.message().MountingPosition.Position.GetY())
	}
	other := started(t, sixSensors, nil)
	require.Equal(t, fmi.OK, other.SetFMUstate(saved))
	other.now = cycle
	other.steps(1, cycle)
	require.EqualValues(t, 10000, other.message().SensorId.GetValue(), "a state holds the id")
}

// Steps without a usable SensorView count like others.
func TestForgetAfter_CountsSteps(t *testing.T) {
	for forget, want := range map[int]uint64{3: 2, 4: 1} {
		r := started(t, sixSensors,
			set{"objects.forgetAfter": forget, "objects.halfAngle": math.Pi})
		tracked := func() uint64 {
			r.provide(viewIn, marshal(t, sensorView(1, 1)))
			r.steps(1, cycle)
			return r.message().MovingObject[0].Header.TrackingId.GetValue()
		}
		require.EqualValues(t, 1, tracked())
		r.steps(2, cycle)
		r.provide(viewIn, []byte{0xff})
		require.Equal(t, fmi.Warning, r.step(cycle))
		require.Equal(t, want, tracked(),
			"an object reappears in the fourth step, forgotten after %d", forget)
	}
}
