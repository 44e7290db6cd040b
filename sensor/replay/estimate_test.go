package replay_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/sensor"
	"gosmp/sensor/replay"
)

// Rows of one sensor each, and their effect on the messages.
const (
	accelerometerRow = "1,0,1200,-340,-9780"
	gyroscopeRow     = "8,0,10,-20,30,1000000,-2000000,3000000"
	magnetometerRow  = "16,0,200,-10,430"
	barometerRow     = "2,0,101325,290"
	thermometerRow   = "32,0,288"
	gpsRow           = "4,0,95000,52300000000,13400000000,1700000000123456,140,216,131000,5000,30" +
		"00,-4000,500,1500,2500,250,785,10,20,9,3"
)

type set = map[string]any

// under prefixes leaves with the path of a field.
func under(place string, leaves set) set {
	found := set{}
	for name, value := range leaves {
		found[place+"."+name] = value
	}
	return found
}

func joined(sets ...set) set {
	all := set{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

func xyz(place string, x, y, z float64) set {
	return under(place, set{"x": x, "y": y, "z": z})
}

// The mapping table, row by row, one sensor alone at a time: values without a source stay unset.
func TestMapping_OneSensorAlone(t *testing.T) {
	rate := under("orientation_rate", set{"roll": 0.010, "pitch": 0.020, "yaw": -0.030})
	yaw := set{"orientation.yaw": math.Pi/2 - 0.785}
	s, c := math.Sin(math.Pi/2-0.785), math.Cos(math.Pi/2-0.785)
	// East -4, north 3 in the vehicle's axes.
	velocity := xyz("velocity", -4*c+3*s, 4*s+3*c, -0.5)
	for name, w := range map[string]struct {
		row               string
		data, host, truth set
	}{
		"accelerometer": {row: accelerometerRow, host: under("vehicle_motion", xyz("acceleration",
			1.2, 0.34, 9.78-9.80665))},
		"gyroscope": {row: gyroscopeRow, data: under("host_vehicle_location", rate),
			host: under("vehicle_motion", rate)},
		"magnetometer": {row: magnetometerRow},
		"barometer": {row: barometerRow, truth: under("environmental_conditions",
			set{"atmospheric_pressure": 101325.0, "temperature": 290.0})},
		"thermometer": {row: thermometerRow,
			truth: set{"environmental_conditions.temperature": 288.0}},
		"gps": {
			row: gpsRow,
			data: joined(
				under("host_vehicle_location", joined(xyz("position", 0, 0, 0), xyz("velocity", -4,
					3, -0.5), yaw)),
				under("host_vehicle_location_rmse", joined(xyz("position", 1.5, 1.5, 2.5),
					xyz("velocity", 0.25, 0.25, 0.25),
					set{"orientation.yaw": 0.020})),
				set{"system_time.seconds": int64(1700000000),
					"system_time.nanos": uint32(123456000)},
			),
			host: joined(
				under("vehicle_localization", joined(xyz("position", 0, 0, 0), yaw,
					under("geodetic_position",
						set{"latitude": 52.3, "longitude": 13.4, "altitude": 95.0}))),
				under("vehicle_motion", joined(xyz("position", 0, 0, 0), yaw, velocity)),
			),
			truth: set{"environmental_conditions.unix_timestamp": int64(1700000000)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var e replay.Estimator
			est := e.Estimate(played(t, w.row).Sampler)
			m := encoded(t, &est)
			same(t, w.data, leaves(m.data))
			same(t, w.host, leaves(m.host))
			same(t, w.truth, leaves(m.truth))
		})
	}
}

func TestMapping_WithoutSamplesNothingIsSet(t *testing.T) {
	var e replay.Estimator
	est := e.Estimate(&replay.Sampler{})
	require.Equal(t, replay.Estimate{}, est)
	m := encoded(t, &est)
	require.Empty(t, joined(leaves(m.data), leaves(m.host), leaves(m.truth)))
}

// The acceleration in the world requires a yaw, which the GPS provides.
func TestMapping_SensorsTogether(t *testing.T) {
	var e replay.Estimator
	est := e.Estimate(played(t, accelerometerRow, gyroscopeRow, gpsRow).Sampler)
	m := encoded(t, &est)
	yaw, turned := math.Pi/2-0.785, m.data.HostVehicleLocation.Acceleration
	require.InDelta(t, 1.2*math.Cos(yaw)-0.34*math.Sin(yaw), turned.GetX(), 1e-12)
	require.InDelta(t, 1.2*math.Sin(yaw)+0.34*math.Cos(yaw), turned.GetY(), 1e-12)
	require.InDelta(t, 9.78-9.80665, turned.GetZ(), 1e-12)
	require.InDelta(t, 1.2, m.host.VehicleMotion.Acceleration.GetX(), 1e-12)
	require.InDelta(t, 5, math.Hypot(m.host.VehicleMotion.Velocity.GetX(),
		m.host.VehicleMotion.Velocity.GetY()), 1e-12)
}

func TestMapping_AxesAndGravity(t *testing.T) {
	level := func(z string) string { return "1,0,1000,2000," + z }
	const reaction = 9.80665
	for name, c := range map[string]struct {
		estimator    replay.Estimator
		rows         []string
		acceleration frames.Vector
		rate         frames.Vector
	}{
		"FRD": {replay.Estimator{Axes: frames.FRD}, []string{level("-9807"), "8,0,10,20,30,0,0,0"},
			frames.Vector{X: 1, Y: -2, Z: 9.807 - reaction}, frames.Vector{X: 0.01, Y: -0.02,
				Z: -0.03}},
		"FLU": {replay.Estimator{Axes: frames.FLU}, []string{level("9807"), "8,0,10,20,30,0,0,0"},
			frames.Vector{X: 1, Y: 2, Z: 9.807 - reaction}, frames.Vector{X: 0.01, Y: 0.02,
				Z: 0.03}},
		"FRD with gravity": {replay.Estimator{KeepGravity: true}, []string{level("-9807"),
			"8,0,10,20,30,0,0,0"},
			frames.Vector{X: 1, Y: -2, Z: 9.807}, frames.Vector{X: 0.01, Y: -0.02, Z: -0.03}},
		"FLU with gravity": {replay.Estimator{Axes: frames.FLU, KeepGravity: true},
			[]string{level("9807"), "8,0,10,20,30,0,0,0"},
			frames.Vector{X: 1, Y: 2, Z: 9.807}, frames.Vector{X: 0.01, Y: 0.02, Z: 0.03}},
	} {
		est := c.estimator.Estimate(played(t, c.rows...).Sampler)
		require.InDelta(t, 0, est.Acceleration.Sub(c.acceleration).Length(), 1e-12, name)
		require.InDelta(t, 0, est.Rate.Sub(c.rate).Length(), 1e-12, name)
	}
}

func TestMapping_PositionIsRelativeToTheFirstFix(t *testing.T) {
	second := "4,100,95500,52300001000,13400002000,1700000000223456,140,216,131500,0,0,0,0,1,1,1," +
		"785,0,1,9,3"
	var e replay.Estimator
	est := e.Estimate(played(t, gpsRow, second).Sampler)
	m := encoded(t, &est)
	want := frames.NewLocalMap(frames.Geodetic{Latitude: 52.3, Longitude: 13.4, Altitude: 95}).
		Position(frames.Geodetic{Latitude: 52.300001, Longitude: 13.400002, Altitude: 95.5})
	for _, p := range []*osi3.Vector3D{
		m.data.HostVehicleLocation.Position, m.host.VehicleLocalization.Position,
		m.host.VehicleMotion.Position,
	} {
		require.Equal(t, []float64{want.X, want.Y, want.Z}, []float64{p.GetX(), p.GetY(), p.GetZ()})
	}
	require.Equal(t, 52.300001, m.host.VehicleLocalization.GeodeticPosition.GetLatitude())
	require.Contains(t, est.ProjString, "+lat_0=52.3 +lon_0=13.4 ")
}

// An estimator can be used for several replays: the map belongs to the replay, whose first fix may
// come from a restored state.
func TestEstimator_TakesTheMapFromTheReplay(t *testing.T) {
	var e replay.Estimator
	e.Estimate(played(t, gpsRow).Sampler)
	elsewhere := "4,0,1000,-10000000000,20000000000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,9,3"
	est := e.Estimate(played(t, elsewhere).Sampler)
	require.Zero(t, est.Position)
	require.Contains(t, est.ProjString, "+lat_0=-10 +lon_0=20 ")
}

func TestMapping_UnknownStaysUnset(t *testing.T) {
	fix := func(utc, accuracies, heading, accuracy string) string {
		return "4,0,95000,52300000000,13400000000" + utc + ",140,216,131000,5000,3000,-4000,500," +
			accuracies + "," + heading + ",0," + accuracy + ",9,3"
	}
	for name, c := range map[string]struct {
		row   string
		unset []string // fields that the row leaves unknown, and with them everything below
		kept  []string
	}{
		"no UTC column": {fix("", "1500,2500,250", "785", "20"), []string{"system_time",
			"environmental_conditions"},
			[]string{"host_vehicle_location.orientation.yaw"}},
		"heading never filled in": {fix(",1", "1500,2500,250", "0", "0"),
			[]string{"host_vehicle_location.orientation", "host_vehicle_location_rmse.orientation",
				"vehicle_localization.orientation",
				"vehicle_motion.orientation", "vehicle_motion.velocity"},
			[]string{"host_vehicle_location.velocity.x", "system_time.nanos"}},
		"no accuracy": {fix(",1", "0,0,0", "785", "0"), []string{"host_vehicle_location_rmse"},
			[]string{"vehicle_motion.velocity.x"}},
		"no horizontal accuracy": {fix(",1", "0,2500,0", "785", "0"),
			[]string{"host_vehicle_location_rmse.position.x",
				"host_vehicle_location_rmse.position.y", "host_vehicle_location_rmse.velocity"},
			[]string{"host_vehicle_location_rmse.position.z"}},
		"no vertical accuracy": {fix(",1", "1500,0,0", "785", "0"),
			[]string{"host_vehicle_location_rmse.position.z"},
			[]string{"host_vehicle_location_rmse.position.x",
				"host_vehicle_location_rmse.position.y"}},
		"no velocity accuracy": {fix(",1", "1500,2500,0", "785", "20"),
			[]string{"host_vehicle_location_rmse.velocity"},
			[]string{"host_vehicle_location_rmse.position.z",
				"host_vehicle_location_rmse.orientation.yaw"}},
		"no heading accuracy": {fix(",1", "1500,2500,250", "785", "0"),
			[]string{"host_vehicle_location_rmse.orientation"},
			[]string{"host_vehicle_location.orientation.yaw"}},
		"heading north, accuracy known": {fix(",1", "1500,2500,250", "0", "20"), nil,
			[]string{"host_vehicle_location.orientation.yaw",
				"host_vehicle_location_rmse.orientation.yaw"}},
	} {
		t.Run(name, func(t *testing.T) {
			var e replay.Estimator
			est := e.Estimate(played(t, c.row).Sampler)
			m := encoded(t, &est)
			found := joined(leaves(m.data), leaves(m.host), leaves(m.truth))
			for place := range found {
				for _, unset := range c.unset {
					require.False(t, place == unset || len(place) > len(unset) && place[:len(unset)+
						1] == unset+".", "%s is set", place)
				}
			}
			for _, place := range c.kept {
				require.Contains(t, found, place)
			}
		})
	}
}

func TestMapping_WeatherOutsideOSIsRangeStaysUnset(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want set
	}{
		"lowest": {[]string{"2,0,80000,170"}, set{"atmospheric_pressure": 80000.0,
			"temperature": 170.0}},
		"highest": {[]string{"2,0,120000,340"}, set{"atmospheric_pressure": 120000.0,
			"temperature": 340.0}},
		"too low":  {[]string{"2,0,79999,169"}, nil},
		"too high": {[]string{"2,0,120001,341"}, nil},
		"temperature in Celsius": {[]string{"2,0,101325,20"},
			set{"atmospheric_pressure": 101325.0}},
		"thermometer is believed": {[]string{"2,0,101325,310", "32,0,288"},
			set{"atmospheric_pressure": 101325.0, "temperature": 288.0}},
	} {
		var e replay.Estimator
		est := e.Estimate(played(t, c.rows...).Sampler)
		require.Equal(t, len(c.want) > 0, est.HasEnvironment(), name)
		same(t, under("environmental_conditions", c.want), leaves(encoded(t, &est).truth))
	}
}

// The pressure is given at the height of the map's origin. High above sea level it is below OSI's
// range and stays unset: it is not reduced to sea level, because the world's z = 0 is the first
// fix.
func TestMapping_PressureAtTheHeightOfTheFirstFix(t *testing.T) {
	at := func(stamp, altitude string) string {
		return "4," + stamp + "," + altitude +
			",52300000000,13400000000,1,0,0,0,0,0,0,0,0,0,0,0,0,0,9,3"
	}
	pressure := func(rows ...string) (float64, bool) {
		var e replay.Estimator
		est := e.Estimate(played(t, rows...).Sampler)
		return est.Pressure, est.HasPressure
	}
	p, known := pressure(at("0", "500000"), "2,0,95461,285")
	require.True(t, known)
	require.Equal(t, 95461.0, p, "at the first fix itself")

	p, known = pressure(at("0", "0"), at("10", "500000"), "2,10,95461,285", "32,10,285")
	require.True(t, known)
	require.InDelta(t, 101325, p, 10, "500 m above it")

	p, known = pressure(at("0", "0"), at("10", "-500000"), "2,10,107477,291", "32,10,291")
	require.True(t, known)
	require.InDelta(t, 101325, p, 30, "500 m below it")

	_, known = pressure(at("0", "3000000"), "2,0,70108,269")
	require.False(t, known)

	p, known = pressure(at("0", "0"), at("10", "500000"), "2,10,95461,20")
	require.True(t, known)
	require.InDelta(t, 101325, p, 100, "without a temperature, that of the standard atmosphere")

	_, known = pressure(at("0", "0"), at("10", "-2147483648"), "2,10,95461,290")
	require.False(t, known, "at this depth the formula has no value")
}

func TestMapping_UTCIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		utc := rapid.OneOf(rapid.Int64Range(0, math.MaxInt64), rapid.Int64Range(0, 2_000_000)).Draw(
			t, "utc")
		est := replay.Estimate{HasUTC: true, UTCMicroseconds: utc}
		m := encoded(t, &est)
		require.Less(t, m.data.SystemTime.GetNanos(), uint32(1e9))
		require.Equal(t, utc, m.data.SystemTime.GetSeconds()*1e6+
			int64(m.data.SystemTime.GetNanos()/1e3))
		require.Zero(t, m.data.SystemTime.GetNanos()%1e3)
		require.Equal(t, m.data.SystemTime.GetSeconds(),
			m.truth.EnvironmentalConditions.GetUnixTimestamp())
	})
}

// For every combination of known values, the bytes are canonical and contain no empty message and
// no NaN.
func TestMapping_CanonicalBytesForEveryCombination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := replay.Sampler{}
		s := &r.Samples
		count := rapid.Int64Range(0, 1)
		value := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-1e6, 1e6))
		accuracy := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1e3))
		v := rapid.Custom(func(t *rapid.T) frames.Vector {
			return frames.Vector{X: value.Draw(t, "x"), Y: value.Draw(t, "y"), Z: value.Draw(t,
				"z")}
		})
		s.Accelerometer = sensor.Accelerometer{Stamp: sensor.Stamp{Count: count.Draw(t, "a")},
			Vector: v.Draw(t, "force")}
		s.Gyroscope = sensor.Gyroscope{Stamp: sensor.Stamp{Count: count.Draw(t, "g")},
			Rate: v.Draw(t, "rate")}
		s.Barometer = sensor.Barometer{Stamp: sensor.Stamp{Count: count.Draw(t, "b")},
			Pressure: rapid.Float64Range(0, 2e5).Draw(t, "p"), Temperature: rapid.Float64Range(0,
				500).Draw(t, "T")}
		s.Thermometer = sensor.Thermometer{Stamp: sensor.Stamp{Count: count.Draw(t, "t")},
			Temperature: rapid.Float64Range(0, 500).Draw(t, "t")}
		s.GPS = sensor.GPS{
			Stamp: sensor.Stamp{Count: count.Draw(t, "gps")},
			Fix: sensor.Fix{Latitude: rapid.Float64Range(-90, 90).Draw(t, "lat"),
				Longitude: rapid.Float64Range(-180, 180).Draw(t, "lon"), Altitude: value.Draw(t,
					"altitude"), Velocity: v.Draw(t, "velocity"),
				Heading: value.Draw(t, "heading"), HeadingAccuracy: accuracy.Draw(t, "ha"),
				HorizontalAccuracy: accuracy.Draw(t, "hz"),
				VerticalAccuracy:   accuracy.Draw(t, "va"), VelocityAccuracy: accuracy.Draw(t,
					"vv"),
				HasUTC: rapid.Bool().Draw(t, "hasUTC"), UTCMicroseconds: rapid.Int64Range(0,
					1<<60).Draw(t, "utc")},
		}
		r.First = s.GPS
		var e replay.Estimator
		est := e.Estimate(&r)
		m := encoded(t, &est)
		for place, x := range joined(leaves(m.data), leaves(m.host), leaves(m.truth)) {
			require.NotNil(t, x, "%s is an empty message", place)
			if number, ok := x.(float64); ok {
				require.False(t, math.IsNaN(number) || math.IsInf(number, 0), place)
			}
		}
	})
}

// A receiver without a fix sends zeros, which must not be used as a fix or as the origin of a map.
func TestMapping_WithoutAFixThereIsNoPosition(t *testing.T) {
	var e replay.Estimator
	r := played(t, "4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", gpsRow)
	require.EqualValues(t, 2, r.First.Count, "the second row is the first fix")
	require.Zero(t, e.Estimate(r.Sampler).Position)
	est := e.Estimate(played(t, "4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0").Sampler)
	require.False(t, est.HasFix || est.HasVelocity || est.HasUTC || est.HasYaw)
}

// A speed without a vector is taken to be forward, and the velocity in the world stays unknown.
func TestMapping_GroundSpeedWithoutAVector(t *testing.T) {
	var e replay.Estimator
	est := e.Estimate(played(t, "4,0,0,1,1,1,1,1,1,2500,0,0,0,1,1,1,0,0,0,9,3").Sampler)
	require.False(t, est.HasVelocity)
	m := encoded(t, &est)
	require.Equal(t, 2.5, m.host.VehicleMotion.Velocity.GetX())
	require.Nil(t, m.data.HostVehicleLocation.Velocity)
}

// A stationary vehicle has a known velocity of 0.
func TestMapping_StandingStillIsKnown(t *testing.T) {
	var e replay.Estimator
	est := e.Estimate(played(t, "4,0,0,1,1,1,1,1,1,0,0,0,0,1,1,1,785,0,0,9,3").Sampler)
	m := encoded(t, &est)
	same(t, xyz("velocity", 0, 0, 0), under("velocity",
		leaves(m.data.HostVehicleLocation.Velocity)))
	same(t, xyz("velocity", 0, 0, 0), under("velocity", leaves(m.host.VehicleMotion.Velocity)))
}

// An accuracy is reported even if the receiver states no other.
func TestMapping_OneAccuracyAlone(t *testing.T) {
	for accuracies, want := range map[string]set{
		"1500,0,0,785,0,0": {"position.x": 1.5, "position.y": 1.5},
		"0,2500,0,785,0,0": {"position.z": 2.5},
		"0,0,250,785,0,0":  xyz("velocity", 0.25, 0.25, 0.25),
		"0,0,0,785,0,20":   {"orientation.yaw": 0.02},
	} {
		var e replay.Estimator
		est := e.Estimate(played(t, "4,0,0,1,1,1,1,1,1,2500,2500,0,0,"+accuracies+",9,3").Sampler)
		same(t, want, leaves(encoded(t, &est).data.HostVehicleLocationRmse))
	}
}

// Without a yaw the direction of an acceleration in the world is unknown; with it the vehicle's
// acceleration is rotated.
func TestMapping_AccelerationInTheWorldNeedsTheYaw(t *testing.T) {
	var e replay.Estimator
	est := e.Estimate(played(t, accelerometerRow, gyroscopeRow).Sampler)
	m := encoded(t, &est)
	require.NotNil(t, m.data.HostVehicleLocation.OrientationRate)
	require.Nil(t, m.data.HostVehicleLocation.Acceleration)
	require.NotNil(t, m.host.VehicleMotion.Acceleration)
}
