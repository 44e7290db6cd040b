package dummysensor_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/proto/osi3"
)

// withoutDetections returns a SensorData without the fields written by a detector.
func withoutDetections(t tester, data []byte) (rest []byte) {
	t.Helper()
	for b := data; len(b) > 0; {
		number, _, size := protowire.ConsumeField(b)
		require.Positive(t, size)
		if number < 10 || number > 13 {
			rest = append(rest, b[:size]...)
		}
		b = b[size:]
	}
	return rest
}

// changed returns the bytes of a SensorView modified by the test.
func changed(t tester, change func(*osi3.SensorView)) []byte {
	view := sensorView(5, 2)
	change(view)
	return marshal(t, view)
}

// mountedIn returns the bytes of a SensorView with another field mounting_position, which is merged
// with the first.
func mountedIn(t tester, content ...byte) []byte {
	b := protowire.AppendTag(marshal(t, sensorView(5, 2)), 4, protowire.BytesType)
	return protowire.AppendBytes(b, content)
}

// With detection off, sensor data and measurement time are taken from a SensorView in the same way
// as with detection, and views are rejected for the same reasons with the same text. Only the lists
// of objects are missing.
func TestUndetected_AllElseIsAsWithDetection(t *testing.T) {
	for _, c := range []struct {
		name   string
		view   []byte
		status fmi.Status // of the first step
		line   string     // the only one; empty for none
	}{
		{name: "good", view: marshal(t, sensorView(5, 2))},
		{name: "mounting in parts",
			view: mountedIn(t, marshal(t, &osi3.MountingPosition{Position: vector3d(7, 8, 9)})...)},
		{name: "malformed mounting", view: mountedIn(t, 0x0a, 0x05, 0xff), status: fmi.Warning,
			line: " bytes that cannot be used: undecodable SensorView: SensorView, byte 682 of " +
				"685 in mounting_position[1]: "},
		{name: "nothing but a malformed mounting", view: []byte{0x22, 0x03, 0x0a, 0x05, 0xff},
			status: fmi.Warning,
			line: "fmi2DoStep: OSMPSensorViewIn: 5 bytes that cannot be used: undecodable " +
				"SensorView: SensorView, byte 2 of 5 in mounting_position: "},
		{name: "malformed field", view: []byte{0x0a, 0x7f}, status: fmi.Warning,
			line: "fmi2DoStep: OSMPSensorViewIn: 2 bytes that cannot be used: undecodable " +
				"SensorView: SensorView, byte 0 of 2: "},
		{name: "no mounting", view: changed(t, func(v *osi3.SensorView) {
			v.MountingPosition = nil
		}),
			line: "OSMPSensorViewIn: no mounting position: "},
		{name: "mounting that is not finite", line: "OSMPSensorViewIn: no mounting position: ",
			view: changed(t, func(v *osi3.SensorView) {
				v.MountingPosition.Position.X = proto.Float64(math.NaN())
			})},
		{name: "no sensor id", view: changed(t, func(v *osi3.SensorView) { v.SensorId = nil }),
			line: "OSMPSensorViewIn: no sensor id: "},
		{name: "no timestamp", view: changed(t, func(v *osi3.SensorView) { v.Timestamp = nil }),
			line: "OSMPSensorViewIn: no timestamp: "},
		{name: "late timestamp", view: changed(t, func(v *osi3.SensorView) {
			v.Timestamp.Seconds = proto.Int64(3)
		}),
			line: "OSMPSensorViewIn: timestamp in the future: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, replayed := range []bool{false, true} {
				parameters := withScenario(t, "32,0,280\n32,30,281\n0\n",
					set{"replay.enabled": replayed})
				with := detecting(t, parameters)
				parameters["objects.enabled"] = false
				r := detecting(t, parameters)
				for k := range 4 {
					status := with.feed(c.view)
					require.Equal(t, status, r.feed(c.view))
					lines := r.lines()
					require.Equal(t, with.lines(), lines)
					requireFirst(t, k, c.status, c.line, status, lines)
					require.Equal(t, withoutDetections(t, with.received(dataOut)),
						r.received(dataOut))
					require.Equal(t, with.boolean("valid"), r.boolean("valid"))
					require.Zero(t, r.integer("count"))
				}
			}
		})
	}
}

// requireFirst requires that a problem is reported in step 0 and in no other.
func requireFirst(t *testing.T, step int, want fmi.Status, line string, found fmi.Status,
	lines []string) {
	t.Helper()
	if step > 0 || line == "" {
		require.Equal(t, fmi.OK, found)
		require.Empty(t, lines)
		return
	}
	require.Equal(t, want, found)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], line)
}

func TestUndetected_TimeOfMeasurementAndMountingAreTheSensorViews(t *testing.T) {
	r := detecting(t, set{"objects.enabled": false})
	require.Equal(t, fmi.OK, r.feed(marshal(t, sensorView(5, 2))))
	m := r.message()
	require.EqualValues(t, 5, m.LastMeasurementTime.GetNanos())
	require.Equal(t, []float64{1, 0.3}, []float64{m.MountingPosition.Position.GetX(),
		m.MountingPosition.Orientation.GetYaw()})
	require.Nil(t, m.MovingObjectHeader)
	require.Nil(t, m.StationaryObjectHeader)
	require.True(t, r.boolean("valid"))

	require.Equal(t, fmi.OK, r.feed(changed(t, func(v *osi3.SensorView) {
		v.Timestamp.Seconds = proto.Int64(3)
	})))
	require.EqualValues(t, r.now, lastMeasurement(r), "not after the end of the step")
	require.Len(t, r.lines(), 1)
}

// With detection off, problems that only concern detection are not logged.
func TestUndetected_NothingIsReportedAboutTheHostVehicleAndTheObjects(t *testing.T) {
	for name, change := range map[string]func(*osi3.SensorView){
		"no ground truth": func(v *osi3.SensorView) { v.GlobalGroundTruth = nil },
		"no host vehicle id": func(v *osi3.SensorView) {
			v.HostVehicleId, v.GlobalGroundTruth.HostVehicleId = nil, nil
		},
		"no host vehicle": func(v *osi3.SensorView) { v.GlobalGroundTruth.MovingObject = nil },
		"host vehicle alone": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.MovingObject[0].Base = nil
		},
		"objects": func(v *osi3.SensorView) {
			v.GlobalGroundTruth.MovingObject[1].Id = nil
		},
	} {
		for _, more := range []set{{}, {"objects.occlusion": true}, {"objects.stationary": false}} {
			more["objects.enabled"] = false
			r := detecting(t, more)
			require.Equal(t, fmi.OK, r.feed(changed(t, change)))
			require.Empty(t, r.lines(), name)
			require.True(t, r.boolean("valid"))
		}
	}
}
