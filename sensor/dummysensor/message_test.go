package dummysensor_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/internal/mock"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
)

const syntheticHost = 1 << 32 // outside the range of the parameter sensorId

// Rows of one sensor each, including values outside OSI's ranges.
var singleRows = map[string]string{
	"accelerometer": "1,0,1200,-340,-9780\n", "gyroscope": "8,0,10,-20,30,1,2,3\n",
	"magnetometer": "16,0,200,-10,430\n", "barometer": "2,0,101325,290\n",
	"thermometer": "32,0,288\n", "barometer in Celsius and hPa": "2,0,1013,20\n",
	"gps": "4,0,95000,52300000000,13400000000,1700000000123456,140,216,131000,5000,3000,-4000,500" +
		",1500,2500,250,785,10,20,9,3\n",
	"gps without UTC, heading and accuracies": "4,0,95000,52300000000,13400000000,140,216,131000," +
		"5000,3000,-4000,500,0,0,0,0,0,0,9,3\n",
	"gps without fix": "4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n",
}

func TestUnconnected_EveryMessageObeysOSIsRules(t *testing.T) {
	scenarios := map[string]string{"all": sixSensors}
	for name, row := range singleRows {
		scenarios[name] = row + "0\n"
	}
	for name, scenario := range scenarios {
		r := started(t, scenario, set{"sensorId": 0})
		for range 10 {
			r.steps(1, cycle)
			require.Empty(t, rules.Check(r.message()), name)
		}
	}
}

func TestUnconnected_BytesAreCanonical(t *testing.T) {
	for name, row := range singleRows {
		r := started(t, row+"0\n", nil)
		r.steps(1, cycle)
		require.Equal(t, marshal(t, r.message()), r.received(dataOut), name)
	}
	r := started(t, sixSensors, nil)
	for range 8 {
		r.steps(1, cycle)
		require.Equal(t, marshal(t, r.message()), r.received(dataOut))
	}
}

func TestUnconnected_SensorViewIsTheLeastThatIsNeeded(t *testing.T) {
	r := started(t, "16,0,1,2,3\n0\n", set{"sensorId": 7, "mounting.x": 1.5, "mounting.yaw": -0.5})
	r.steps(1, cycle)
	id := func(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: proto.Uint64(n)} }
	at := &osi3.Timestamp{Seconds: proto.Int64(0), Nanos: proto.Uint32(cycle)}
	place := &osi3.MountingPosition{Position: vector3d(1.5, 0, 0), Orientation: orientation(0, 0,
		-0.5)}
	want := &osi3.SensorData{
		Version: osi3.Version(), Timestamp: at, SensorId: id(7), MountingPosition: place,
		LastMeasurementTime: &osi3.Timestamp{Seconds: proto.Int64(0), Nanos: proto.Uint32(0)},
		SensorView: []*osi3.SensorView{{
			Version: osi3.Version(), Timestamp: at, SensorId: id(7), MountingPosition: place,
			HostVehicleId: id(syntheticHost),
			HostVehicleData: &osi3.HostVehicleData{Version: osi3.Version(), Timestamp: at,
				HostVehicleId: id(syntheticHost)},
			GlobalGroundTruth: &osi3.GroundTruth{
				Version: osi3.Version(), Timestamp: at, HostVehicleId: id(syntheticHost),
				MovingObject: []*osi3.MovingObject{{
					Id: id(syntheticHost), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
					VehicleAttributes: &osi3.MovingObject_VehicleAttributes{},
					VehicleClassification: &osi3.MovingObject_VehicleClassification{
						Type: osi3.MovingObject_VehicleClassification_TYPE_OTHER.Enum(),
					},
				}},
			},
		}},
	}
	require.Equal(t, marshal(t, want), r.received(dataOut), "%v", r.message())
}

func TestUnconnected_RecordingIsInEveryPlaceThatTakesIt(t *testing.T) {
	r := started(t, sixSensors, nil)
	r.steps(5, cycle)
	m := r.message()
	view := m.SensorView[0]
	host := view.HostVehicleData
	require.NotNil(t, m.HostVehicleLocation.GetPosition())
	for name, copied := range map[string]*osi3.BaseMoving{
		"HostVehicleData.location": host.Location,
		"MovingObject.base":        view.GlobalGroundTruth.MovingObject[0].Base,
	} {
		require.True(t, proto.Equal(m.HostVehicleLocation, copied), name)
	}
	require.True(t, proto.Equal(m.HostVehicleLocationRmse, host.LocationRmse))
	require.Equal(t, 52.300001, host.VehicleLocalization.GeodeticPosition.GetLatitude())
	require.InDelta(t, 9.6-9.80665, host.VehicleMotion.Acceleration.GetZ(), 1e-12)
	require.Contains(t, view.GlobalGroundTruth.GetProjString(), "+lat_0=52.3 +lon_0=13.4 ")
	require.Equal(t, 288.0, view.GlobalGroundTruth.EnvironmentalConditions.GetTemperature())
	require.EqualValues(t, 1700000000, m.SystemTime.GetSeconds())
}

func TestParameters_AxesAndGravityReachTheMessage(t *testing.T) {
	for _, c := range []struct {
		parameters set
		y, z       float64
	}{
		{set{}, 0.34, 9.78 - 9.80665},
		{set{"imu.gravityCompensation": false}, 0.34, 9.78},
		{set{"imu.axes": "FLU"}, -0.34, -9.78 - 9.80665},
		{set{"imu.axes": "FLU", "imu.gravityCompensation": false}, -0.34, -9.78},
	} {
		r := started(t, "1,0,1200,-340,-9780\n0\n", c.parameters)
		r.steps(1, cycle)
		a := r.message().SensorView[0].HostVehicleData.VehicleMotion.Acceleration
		require.InDelta(t, c.y, a.GetY(), 1e-12, "%v", c.parameters)
		require.InDelta(t, c.z, a.GetZ(), 1e-12, "%v", c.parameters)
		require.Equal(t, -9.78, r.real("accelerometer.z"),
			"the plain output is the recording's own")
	}
}

func TestUnconnected_NothingToSayIsNoData(t *testing.T) {
	r := started(t, sixSensors, set{"replay.startDelay": 0.05})
	for k := range 4 {
		r.steps(1, cycle)
		require.Equal(t, k < 2, r.received(dataOut) == nil, "step %d", k)
		require.Equal(t, k >= 2, r.boolean("valid"))
	}
}

// odd returns a SensorView that our own encoder would never write: fields out of order, one twice,
// and unknown ones.
func odd(t tester) []byte {
	b := marshal(t, sensorView(1, 3))
	b = protowire.AppendTag(b, 18999, protowire.BytesType)
	b = protowire.AppendBytes(b, []byte{0, 1, 0xFF, '%', '#'})
	b = protowire.AppendTag(b, 3, protowire.BytesType)
	return protowire.AppendBytes(b, []byte{0x08, 0x80, 0x80, 0x00})
}

func TestConnected_SensorViewIsCarriedByteForByte(t *testing.T) {
	r := started(t, sixSensors, nil)
	for k, view := range [][]byte{marshal(t, sensorView(1, 0)), odd(t),
		marshal(t, sensorView(2, 50)), marshal(t, sensorView(3, 1))} {
		address := r.provide(viewIn, view)
		r.steps(1, cycle)
		r.memory.Protect(address)
		data := r.received(dataOut)
		require.Equal(t, [][]byte{view}, fields(t, data, 8), "step %d", k)
		require.Equal(t, r.now, int64(timestamp(r)))
	}
	for _, line := range r.lines() {
		require.Contains(t, line, " OSI: OSMPSensorViewIn: ",
			"only the oddities of the second view are logged")
	}
}

func TestConnected_WithoutReplay(t *testing.T) {
	r := newRig(t)
	r.setUp(set{"replay.enabled": false, "sensorId": 9})
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(1, cycle)
	require.Nil(t, r.received(dataOut))
	view := marshal(t, sensorView(1, 2))
	r.provide(viewIn, view)
	r.steps(1, cycle)
	m := r.message()
	require.Equal(t, [][]byte{view}, fields(t, r.received(dataOut), 8))
	require.EqualValues(t, 9, m.SensorId.GetValue())
	require.Nil(t, m.HostVehicleLocation)
	require.EqualValues(t, 1, m.LastMeasurementTime.GetNanos(), "when the SensorView was made")
	require.Equal(t, 1.0, m.MountingPosition.Position.GetX())
	r.triple(viewIn, 0, 0)
	r.steps(1, cycle)
	require.Nil(t, r.received(dataOut))
}

func TestConnected_RecordingIsThereAsWell(t *testing.T) {
	alone, r := started(t, sixSensors, nil), started(t, sixSensors, nil)
	for range 5 {
		r.provide(viewIn, marshal(t, sensorView(1, 2)))
		r.steps(1, cycle)
		alone.steps(1, cycle)
	}
	require.True(t, proto.Equal(alone.message().HostVehicleLocation,
		r.message().HostVehicleLocation))
	require.True(t, proto.Equal(alone.message().HostVehicleLocationRmse,
		r.message().HostVehicleLocationRmse))
	require.True(t, proto.Equal(alone.message().SystemTime, r.message().SystemTime))
	require.Equal(t, lastMeasurement(alone), lastMeasurement(r))
}

// A canonical SensorView gives a canonical SensorData.
func TestConnected_FieldsAreInOrder(t *testing.T) {
	r := started(t, sixSensors, nil)
	r.provide(viewIn, marshal(t, sensorView(1, 5)))
	r.steps(1, cycle)
	require.Equal(t, marshal(t, r.message()), r.received(dataOut))
}

func TestD6_ValidAndCountAgreeWithTheMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := started(t, sixSensors, set{
			"replay.startDelay": rapid.SampledFrom([]float64{0, 0.06}).Draw(t, "delay"),
			"replay.enabled":    rapid.Bool().Draw(t, "replay"),
		})
		for range 8 {
			switch rapid.IntRange(0, 3).Draw(t, "input") {
			case 0:
				r.triple(viewIn, 0, 0)
			case 1:
				r.provide(viewIn, []byte{0xFF})
			default:
				r.provide(viewIn, marshal(t, sensorView(rapid.IntRange(0, 9).Draw(t, "number"),
					rapid.IntRange(0, 4).Draw(t, "others"))))
			}
			require.LessOrEqual(t, r.step(cycle), fmi.Warning)
			require.Equal(t, r.boolean("valid"), r.integer(dataOut+".size") > 0)
			objects := 0
			if r.boolean("valid") {
				objects = len(r.message().MovingObject)
			}
			require.Equal(t, objects, r.integer("count"))
		}
	})
}

func TestSnapshotBetweenInstances_SharedMemoryIsFree(t *testing.T) {
	memory := mock.NewMemory()
	first := rigWith(t, memory, "/nowhere")
	first.setUp(withScenario(t, sixSensors, nil))
	require.Equal(t, fmi.OK, first.ExitInitializationMode())
	first.steps(5, cycle)
	first.Free()
	blocks, _ := memory.Live()
	require.Zero(t, blocks, "everything was given back")
	second := rigWith(t, memory, "/nowhere")
	second.setUp(withScenario(t, sixSensors, nil))
	require.Equal(t, fmi.OK, second.ExitInitializationMode())
	second.steps(5, cycle)
}
