package dummysensor_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/sensor/replay"
	"gosmp/timebase"
)

// thermometer returns a scenario of one sensor with rows at the given stamps; the value counts up
// from 200 K.
func thermometer(stamps ...int) string {
	var b strings.Builder
	for k, stamp := range stamps {
		fmt.Fprintf(&b, "32,%d,%d\n", stamp, 200+k)
	}
	return b.String()
}

func TestS5_FirstRowIsVisibleAfterInitialization(t *testing.T) {
	r := started(t, thermometer(5000, 5010)+"0\n", nil)
	require.Equal(t, 200.0, r.real("thermometer.temperature"))
	require.Equal(t, 0.0, r.real("thermometer.time"))
	require.Equal(t, 1, r.integer("thermometer.count"))
	require.Equal(t, 1, r.integer("replay.rows"))
	require.Nil(t, r.received(dataOut), "only a step publishes a SensorData")
}

func TestS5_FirstRowIsVisibleInInitializationModeAndFollowsTheParameters(t *testing.T) {
	r := newRig(t)
	r.setUp(set{"replay.scenarioFile": file(t, thermometer(0, 10)), "replay.loop": false})
	require.Equal(t, 200.0, r.real("thermometer.temperature"))
	r.set(set{"replay.scenarioFile": file(t, "2,0,99999,280\n0\n")})
	require.Equal(t, 99999.0, r.real("barometer.pressure"))
	require.Zero(t, r.real("thermometer.temperature"), "nothing of the file before")
	require.Zero(t, r.integer("thermometer.count"))
	r.set(set{"replay.startDelay": 1.0})
	require.Zero(t, r.real("barometer.pressure"))
	require.Zero(t, r.integer("replay.rows"))
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(49, cycle)
	require.Zero(t, r.integer("replay.rows"))
	r.steps(1, cycle)
	require.Equal(t, 99999.0, r.real("barometer.pressure"))
}

func TestInitialization_SwitchingTheReplayOffTakesItsValuesBack(t *testing.T) {
	r := newRig(t)
	r.setUp(set{"replay.enabled": false})
	fresh := r.outputs()
	r.set(set{"replay.enabled": true, "replay.scenarioFile": file(t, sixSensors)})
	require.Equal(t, 6, r.integer("replay.rows"))
	r.set(set{"replay.enabled": false})
	require.Equal(t, fresh, r.outputs())
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(2, cycle)
	require.Equal(t, fresh, r.outputs())
	require.Nil(t, r.received(dataOut))
}

func TestReplay_EverySensorReachesItsOutputs(t *testing.T) {
	r := started(t, sixSensors, nil)
	r.steps(5, cycle)
	for name, want := range (set{
		"accelerometer.x": 0.5, "accelerometer.y": 0.6, "accelerometer.z": -9.6,
		"gyroscope.x": 0.011, "gyroscope.y": -0.021, "gyroscope.z": 0.031,
		"gyroscope.deltaAngle.x": 1.0001, "gyroscope.deltaAngle.y": -2.0002,
		"gyroscope.deltaAngle.z": 3.0003,
		"magnetometer.x":         21e-6, "magnetometer.y": -1.1e-6, "magnetometer.z": 43.1e-6,
		"barometer.pressure": 101300.0, "barometer.temperature": 291.0,
		"thermometer.temperature": 288.0, "gps.altitude": 95.5, "gps.latitude": 52.300001,
		"gps.longitude": 13.400002, "gps.utc": 1700000000.223456, "gps.hdop": 141.0,
		"gps.vdop": 217.0, "gps.ellipsoidAltitude": 131.5, "gps.groundSpeed": 6.0,
		"gps.velocity.north": 0.0, "gps.velocity.east": 6.0, "gps.velocity.down": -0.25,
		"gps.accuracy.horizontal": 1.501, "gps.accuracy.vertical": 2.501,
		"gps.accuracy.velocity": 0.251, "gps.heading": 1.571, "gps.headingOffset": 0.011,
		"gps.headingAccuracy": 0.021, "gps.satellites": 10, "gps.fixQuality": 4,
		"accelerometer.time": 0.04, "gyroscope.time": 0.01, "magnetometer.time": 0.06,
		"barometer.time": 0.05, "thermometer.time": 0.0, "gps.time": 0.1, "accelerometer.count": 3,
		"gyroscope.count": 2, "magnetometer.count": 2, "barometer.count": 2,
		"thermometer.count": 1, "gps.count": 2, "replay.rows": 12, "replay.loops": 0,
		"replay.rejectedRows": 0, "replay.finished": true,
	}) {
		require.EqualValues(t, want, r.host.Get(name), name)
	}
}

func TestS6_RowIsVisibleInTheStepThatReachesItsStamp(t *testing.T) {
	r := started(t, thermometer(0, 20, 21, 40, 41)+"0\n", nil)
	for k, rows := range []int{2, 4, 5} {
		r.steps(1, cycle)
		require.Equal(t, rows, r.integer("replay.rows"), "step %d", k+1)
	}
	r = started(t, thermometer(0, 20)+"0\n", nil)
	r.steps(1, cycle-1)
	require.Equal(t, 1, r.integer("replay.rows"), "a nanosecond too early")
	r.steps(1, 1)
	require.Equal(t, 2, r.integer("replay.rows"))
}

// For any step sizes, the rows published follow from the stamps. The test calculates the schedule
// from the list of stamps.
func TestS6_AnyStepSizesSeeTheSameRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stamps := []int{0}
		for _, d := range rapid.SliceOfN(rapid.IntRange(0, 50), 1, 40).Draw(t, "distances") {
			stamps = append(stamps, stamps[len(stamps)-1]+d)
		}
		delay := rapid.IntRange(0, 30).Draw(t, "delay")
		r := implausible(t, thermometer(stamps...)+"0\n",
			set{"replay.startDelay": float64(delay) / 1e3})
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			r.steps(1, rapid.Int64Range(1, 100e6).Draw(t, "h"))
			rows, newest := 0, 0
			for _, stamp := range stamps {
				if at := int64(delay+stamp) * 1e6; at <= r.now {
					rows, newest = rows+1, delay+stamp
				}
			}
			require.Equal(t, rows, r.integer("replay.rows"))
			require.Equal(t, rows == len(stamps), r.boolean("replay.finished"))
			if rows > 0 {
				require.Equal(t, float64(200+rows-1), r.real("thermometer.temperature"))
				require.Equal(t, timebase.Time(newest)*timebase.Millisecond, lastMeasurement(r))
				require.Equal(t, float64(newest)/1e3, r.real("thermometer.time"))
			} else {
				require.Nil(t, r.received(dataOut))
			}
		}
	})
}

func lastMeasurement(r *rig) timebase.Time {
	at := r.message().GetLastMeasurementTime()
	return timebase.Time(at.GetSeconds())*timebase.Second + timebase.Time(at.GetNanos())
}

func TestS2_UnitsOfTime(t *testing.T) {
	for unit, h := range map[string]int64{"ms": 1e6, "us": 1e3, "s": 1e9, "ns": 1, "µs": 1e3} {
		r := started(t, thermometer(100, 117)+"0\n", set{"replay.timeUnit": unit})
		r.steps(1, 16*h)
		require.Equal(t, 1, r.integer("replay.rows"), unit)
		r.steps(1, h)
		require.Equal(t, 2, r.integer("replay.rows"), unit)
	}
}

func TestS8_LoopingAddsNoTime(t *testing.T) {
	r := started(t, thermometer(500, 540, 580), nil)
	r.steps(2, cycle) // 40 ms
	require.Equal(t, []int{2, 0}, []int{r.integer("replay.rows"), r.integer("replay.loops")})
	r.steps(2, cycle) // 80 ms: the last row and the first of the next round
	require.Equal(t, []int{4, 1}, []int{r.integer("replay.rows"), r.integer("replay.loops")})
	require.Equal(t, 200.0, r.real("thermometer.temperature"))
	require.Equal(t, 0.08, r.real("thermometer.time"))
	r.steps(96, cycle) // 2 s, 25 rounds of 80 ms
	require.Equal(t, []int{76, 25}, []int{r.integer("replay.rows"), r.integer("replay.loops")})
	require.False(t, r.boolean("replay.finished"))
}

func TestS8_WithoutLoopingTheEndOfTheFileIsTheEnd(t *testing.T) {
	r := started(t, thermometer(0, 40), set{"replay.loop": false})
	require.False(t, r.boolean("replay.finished"))
	r.steps(2, cycle)
	require.True(t, r.boolean("replay.finished"))
	require.Equal(t, 0, r.integer("replay.loops"))
}

func TestS9_AfterTheEndStepsGoOnWithTheLastValues(t *testing.T) {
	r := started(t, thermometer(0, 30)+"0\n32,50,999\n", nil)
	terminated := func() bool {
		value, status := r.BooleanStatus(fmu.TerminatedStatus)
		require.Equal(t, fmi.OK, status)
		return value
	}
	r.steps(1, cycle)
	require.False(t, terminated())
	r.steps(1, cycle)
	require.True(t, terminated())
	before := r.outputs()
	for range 100 {
		r.steps(1, cycle)
		require.Equal(t, 30*timebase.Millisecond, lastMeasurement(r),
			"last_measurement_time does not change")
		require.Equal(t, r.now, int64(timestamp(r)), "timestamp does not")
	}
	after := r.outputs()
	delete(before, dataOut+".size")
	delete(after, dataOut+".size")
	require.Equal(t, before, after)
	require.True(t, terminated())
	require.Equal(t, fmi.OK, r.Terminate())
	require.Equal(t, 201.0, r.real("thermometer.temperature"))
}

func timestamp(r *rig) timebase.Time {
	at := r.message().GetTimestamp()
	require.Less(r.t, at.GetNanos(), uint32(1e9))
	return timebase.Time(at.GetSeconds())*timebase.Second + timebase.Time(at.GetNanos())
}

// Hosts multiply or add in float64; but message stamps are still whole multiples of the step.
func TestTimestamps_AreExact(t *testing.T) {
	for _, h := range []float64{0.02, 0.001, 0.0025, 0.1, 0.04, 0.01, 0.005, 0.25, 1, 0.0001, 0.07,
		0.033, 1e-6} {
		ns := int64(math.Round(h * 1e9))
		for name, point := range map[string]func(k int, before float64) float64{
			"multiplied": func(k int, _ float64) float64 { return float64(k) * h },
			"added up":   func(_ int, before float64) float64 { return before + h },
		} {
			r := started(t, thermometer(0, 1)+"0\n", nil)
			at := 0.0
			for k := range 500 {
				require.Equal(t, fmi.OK, r.DoStep(at, h))
				require.EqualValues(t, int64(k+1)*ns, timestamp(r), "step %d of %v s, %s", k, h,
					name)
				at = point(k+1, at)
			}
		}
	}
}

func TestTimestamps_CountFromTheStartTime(t *testing.T) {
	r := newRig(t)
	require.Equal(t, fmi.OK, r.SetupExperiment(fmu.ExperimentSetup{Start: 1234.5}))
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	r.set(withScenario(t, thermometer(70, 100)+"0\n", set{"replay.timeUnit": "ms"}))
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	require.Equal(t, 1234.5, r.real("thermometer.time"))
	r.now = 1234_500_000_000
	r.steps(1, 2*cycle)
	require.Equal(t, 1234_540*timebase.Millisecond, timestamp(r))
	require.Equal(t, 1234_530*timebase.Millisecond, lastMeasurement(r))
}

func TestTimestamps_BeforeZeroCountNanosForward(t *testing.T) {
	r := newRig(t)
	require.Equal(t, fmi.OK, r.SetupExperiment(fmu.ExperimentSetup{Start: -1.5}))
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	r.set(withScenario(t, thermometer(0, 100)+"0\n", set{"replay.timeUnit": "ms"}))
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.now = -1_500_000_000
	r.steps(1, 250_000_000)
	require.Equal(t, []int64{-2, 750_000_000}, []int64{r.message().Timestamp.GetSeconds(),
		int64(r.message().Timestamp.GetNanos())})
}

func TestS13_ExampleOfTheFormatPlays(t *testing.T) {
	r := started(t,
		"SensorID,Timestamp,Field1,Field2,Field3\n1,2282607175,748,-419,-9780,0\n"+
			"8,2282607175,-2,-64,0,0\n"+
			"1,2282610344,740,-484,-9776,0\n8,2282610344,-6,-71,-2,0\n",
		set{"replay.timeUnit": "us",
			"replay.loop": false})
	r.steps(1, cycle)
	require.Equal(t, 4, r.integer("replay.rows"))
	require.Zero(t, r.integer("replay.rejectedRows"))
	require.Equal(t, []float64{0.74, -0.484, -9.776},
		[]float64{r.real("accelerometer.x"), r.real("accelerometer.y"), r.real("accelerometer.z")})
	require.Zero(t, r.real("gyroscope.deltaAngle.y"))
	lines := r.lines()
	require.Len(t, lines, 2, "one for every kind of oddity")
	require.Contains(t, lines[0], "fmi2Warning simsensor: ")
	require.Contains(t, lines[0], "scenario.csv:2")
	require.Contains(t, lines[1], "scenario.csv:3")
}

// A user who plays a file in milliseconds as nanoseconds gets millions of rows in one step.
func TestReplay_ALongStepIsWorthManyShortOnesAndHoldsNoMore(t *testing.T) {
	scenario := sixSensors[:len(sixSensors)-len("0\n")]
	view := marshal(t, sensorView(1, 2))
	us := set{"replay.timeUnit": "us"}
	long, short := implausible(t, scenario, us), implausible(t, scenario, us)
	const h = 100 * cycle // 2 s of a file of 100 us: 240 000 rows, 59 portions
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	long.provide(viewIn, view)
	long.steps(1, h)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20),
		"all of the rows at once would be 40 MB and more")
	short.steps(99, cycle)
	short.provide(viewIn, view)
	short.steps(1, cycle)
	require.Greater(t, long.integer("replay.rows"), 50*replay.Portion)
	require.Equal(t, short.outputs(), long.outputs())
	// The span of the step determines how far the objects of the SensorView have moved; it does not
	// affect the recording.
	a, b := short.message(), long.message()
	require.True(t, proto.Equal(a.GetHostVehicleLocation(), b.GetHostVehicleLocation()))
	require.Equal(t, len(a.GetMovingObject()), len(b.GetMovingObject()))
	require.Equal(t, a.GetLastMeasurementTime().GetNanos(), b.GetLastMeasurementTime().GetNanos())
}
