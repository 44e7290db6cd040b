package demodrive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sensor/simsensor"
	"gosmp/sensor/simsensor/demodrive"
	"gosmp/timebase"
)

// golden is the SHA-256 of the scenario.
const golden = "6b971cb6b120e48521205b20930ab6c7f351d751aad1359c749644e46aa5243d"

func scenario(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, demodrive.Write(&b))
	name := filepath.Join(t.TempDir(), demodrive.FileName)
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
	return name
}

// rows reads the whole scenario in strict mode, requires that there are no warnings, and sorts the
// rows by sensor.
func rows(t *testing.T) map[simsensor.Kind][]simsensor.Row {
	t.Helper()
	p, err := simsensor.Open(scenario(t), simsensor.Options{
		Unit: demodrive.Unit, Strict: true, Loop: true,
		Warn: func(p simsensor.Problem) { t.Errorf("warning: %v", &p) },
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	got := map[simsensor.Kind][]simsensor.Row{}
	for {
		var row simsensor.Row
		at, ok, err := p.Next(timebase.EndOfTime, &row)
		require.NoError(t, err)
		if !ok {
			break
		}
		require.Equal(t, timebase.Time(row.Stamp)*timebase.Millisecond, at)
		got[row.Kind] = append(got[row.Kind], row)
	}
	require.True(t, p.Counters().Finished, "the end row ends the scenario, though looping is on")
	return got
}

func TestTwoRunsMakeTheSameBytes(t *testing.T) {
	var a, b bytes.Buffer
	require.NoError(t, demodrive.Write(&a))
	require.NoError(t, demodrive.Write(&b))
	sum := sha256.Sum256(a.Bytes())
	require.Equal(t, sum, sha256.Sum256(b.Bytes()))
	// The scenario is part of the FMU, whose guid depends on its content: changes must be
	// intentional.
	if runtime.GOARCH == "amd64" {
		// elsewhere, fused multiply-add may move a value across a rounding boundary
		require.Equal(t, golden, hex.EncodeToString(sum[:]))
	}
	require.True(t, bytes.HasPrefix(a.Bytes(), []byte("SensorID,Timestamp,Field1,")))
	require.True(t, bytes.HasSuffix(a.Bytes(), []byte("\n0\n")))
}

func TestRates(t *testing.T) {
	got := rows(t)
	for kind, period := range map[simsensor.Kind]int64{
		simsensor.Accelerometer: 10, simsensor.Gyroscope: 10, simsensor.Magnetometer: 40,
		simsensor.Barometer: 100,
		simsensor.GPS:       200, simsensor.Thermometer: 1000,
	} {
		require.Len(t, got[kind], int(60_000/period)+1, kind)
		for i, row := range got[kind] {
			require.Equal(t, int64(i)*period, row.Stamp, kind)
			require.Equal(t, len(kind.Fields()), row.Present, kind)
		}
	}
}

func TestInspectFindsNothing(t *testing.T) {
	r, err := simsensor.Inspect(scenario(t), simsensor.Options{Unit: demodrive.Unit, Loop: true})
	require.NoError(t, err)
	require.Empty(t, r.Problems)
	require.Empty(t, r.Oddities)
	require.Equal(t, demodrive.Duration, r.Duration)
	require.Len(t, r.Sensors, 6)
}

// attitude is a rotation from body axes to north, east, down.
type attitude [3][3]float64

func level(heading float64) attitude {
	s, c := math.Sincos(heading)
	return attitude{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}
}

// turn appends a small rotation given by its vector in body axes.
func (a attitude) turn(v [3]float64) attitude {
	angle := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if angle == 0 {
		return a
	}
	x, y, z := v[0]/angle, v[1]/angle, v[2]/angle
	s, c := math.Sincos(angle)
	k := 1 - c
	r := attitude{
		{c + x*x*k, x*y*k - z*s, x*z*k + y*s},
		{y*x*k + z*s, c + y*y*k, y*z*k - x*s},
		{z*x*k - y*s, z*y*k + x*s, c + z*z*k},
	}
	var out attitude
	for i := range 3 {
		for j := range 3 {
			for m := range 3 {
				out[i][j] += a[i][m] * r[m][j]
			}
		}
	}
	return out
}

func (a attitude) apply(v [3]float64) [3]float64 {
	var out [3]float64
	for i := range 3 {
		out[i] = a[i][0]*v[0] + a[i][1]*v[1] + a[i][2]*v[2]
	}
	return out
}

// transposed returns the inverse rotation.
func (a attitude) transposed() attitude {
	var out attitude
	for i := range 3 {
		for j := range 3 {
			out[i][j] = a[j][i]
		}
	}
	return out
}

func scaled(row *simsensor.Row, from int, scale float64) [3]float64 {
	var v [3]float64
	for i := range 3 {
		v[i] = float64(row.Fields[from+i]) * scale
	}
	return v
}

// navigated is the path integrated from accelerometer and gyroscope alone, sample by sample.
type navigated struct {
	attitude           attitude
	velocity, position [3]float64
}

func navigate(got map[simsensor.Kind][]simsensor.Row) []navigated {
	const dt, gravity = 0.01, 9.80665
	accelerations, angles := got[simsensor.Accelerometer], got[simsensor.Gyroscope]
	now := navigated{attitude: level(float64(got[simsensor.GPS][0].Fields[simsensor.GPSHeading]) /
		1000)}
	path := []navigated{now}
	before := now.attitude.apply(scaled(&accelerations[0], simsensor.AccelerometerX, 1e-3))
	for i := 1; i < len(accelerations); i++ {
		a := scaled(&angles[i-1], simsensor.GyroscopeDeltaX, 1e-6)
		b := scaled(&angles[i], simsensor.GyroscopeDeltaX, 1e-6)
		now.attitude = now.attitude.turn([3]float64{b[0] - a[0], b[1] - a[1], b[2] - a[2]})
		force := now.attitude.apply(scaled(&accelerations[i], simsensor.AccelerometerX, 1e-3))
		for j := range 3 {
			mean := (force[j] + before[j]) / 2
			if j == 2 {
				mean += gravity
			}
			now.position[j] += now.velocity[j]*dt + mean*dt*dt/2
			now.velocity[j] += mean * dt
		}
		before = force
		path = append(path, now)
	}
	return path
}

func TestInertialSensorsAgreeWithGPS(t *testing.T) {
	got := rows(t)
	path := navigate(got)
	fixes := got[simsensor.GPS]
	const metresPerDegree = 111_230.0 // of latitude, at the start
	east := 73_370.0                  // of longitude
	farthest, climbed := 0.0, 0.0
	for i, fix := range fixes {
		at := path[i*20]
		f := fix.Fields
		for j := range 3 {
			require.InDelta(t, at.velocity[j], float64(f[simsensor.GPSVelocityNorth+j])/1000, 0.3,
				"velocity %d at %d ms", j, fix.Stamp)
		}
		north := float64(
			f[simsensor.GPSLatitude]-fixes[0].Fields[simsensor.GPSLatitude]) / 1e9 * metresPerDegree
		right := float64(
			f[simsensor.GPSLongitude]-fixes[0].Fields[simsensor.GPSLongitude]) / 1e9 * east
		up := float64(f[simsensor.GPSAltitude]-fixes[0].Fields[simsensor.GPSAltitude]) / 1000
		require.InDelta(t, at.position[0], north, 4, "north at %d ms", fix.Stamp)
		require.InDelta(t, at.position[1], right, 4, "east at %d ms", fix.Stamp)
		require.InDelta(t, -at.position[2], up, 5, "up at %d ms", fix.Stamp)
		farthest, climbed = max(farthest, math.Hypot(north, right)), max(climbed, -at.position[2])
	}
	require.Greater(t, farthest, 400.0, "the car has got somewhere")
	require.Greater(t, climbed, 4.0, "there is a hill")
}

func TestGPSAgreesWithItself(t *testing.T) {
	moving := 0
	for i, fix := range rows(t)[simsensor.GPS] {
		f := fix.Fields
		north, east := float64(f[simsensor.GPSVelocityNorth]), float64(f[simsensor.GPSVelocityEast])
		require.InDelta(t, math.Hypot(north, east), f[simsensor.GPSGroundSpeed], 1.5)
		require.EqualValues(t, 48_200, f[simsensor.GPSEllipsoidAltitude]-f[simsensor.GPSAltitude],
			"geoid separation")
		require.EqualValues(t, 1_750_000_000_000_000+int64(i)*200_000, f[simsensor.GPSUTC])
		if f[simsensor.GPSGroundSpeed] > 1000 {
			require.InDelta(t, math.Atan2(east, north), float64(f[simsensor.GPSHeading])/1000, 2e-3)
			moving++
		}
	}
	require.Greater(t, moving, 200)
}

func TestDeltaAnglesIntegrateTheRates(t *testing.T) {
	got := rows(t)[simsensor.Gyroscope]
	var integral [3]float64
	for i := 1; i < len(got); i++ {
		a, b := scaled(&got[i-1], simsensor.GyroscopeX, 1e-3), scaled(&got[i], simsensor.GyroscopeX,
			1e-3)
		delta := scaled(&got[i], simsensor.GyroscopeDeltaX, 1e-6)
		for j := range 3 {
			integral[j] += (a[j] + b[j]) / 2 * 0.01
			require.InDelta(t, integral[j], delta[j], 5e-3, "axis %d at %d ms", j, got[i].Stamp)
		}
	}
	require.InDelta(t, 35*math.Pi/180, integral[2], 0.02,
		"75 degrees to the right and 40 to the left")
}

func TestAtRestTheAccelerometerShowsGravityUpwards(t *testing.T) {
	for _, row := range rows(t)[simsensor.Accelerometer][:300] {
		require.InDelta(t, 0, row.Fields[simsensor.AccelerometerX], 150)
		require.InDelta(t, 0, row.Fields[simsensor.AccelerometerY], 150)
		require.InDelta(t, -9807, row.Fields[simsensor.AccelerometerZ], 150)
	}
}

func TestMagnetometerFollowsAttitude(t *testing.T) {
	got := rows(t)
	path := navigate(got)
	for i, row := range got[simsensor.Magnetometer] {
		want := path[i*4].attitude.transposed().apply([3]float64{206, 13, 437})
		for j := range 3 {
			require.InDelta(t, want[j], row.Fields[j], 18, "axis %d at %d ms", j, row.Stamp)
		}
	}
}

func TestBarometerFollowsAltitude(t *testing.T) {
	got := rows(t)
	path := navigate(got)
	low, high := int64(math.MaxInt64), int64(0)
	for i, row := range got[simsensor.Barometer] {
		p := row.Fields[simsensor.BarometerPressure]
		low, high = min(low, p), max(high, p)
		// International standard atmosphere: altitude from pressure.
		altitude := 44_330.77 * (1 - math.Pow(float64(p)/101_325, 0.190263))
		require.InDelta(t, 312-path[i*10].position[2], altitude, 4, "at %d ms", row.Stamp)
	}
	require.Greater(t, high-low, int64(40), "the hill shows")
}

func TestThermometerDriftsSlowly(t *testing.T) {
	got := rows(t)[simsensor.Thermometer]
	require.EqualValues(t, 294, got[0].Fields[0])
	require.EqualValues(t, 292, got[60].Fields[0])
	for i := 1; i < len(got); i++ {
		require.LessOrEqual(t, math.Abs(float64(got[i].Fields[0]-got[i-1].Fields[0])), 1.0)
	}
}

// fullDisk accepts a number of bytes and then fails.
type fullDisk struct{ room int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.room {
		n := d.room
		d.room = 0
		return n, errFull
	}
	d.room -= len(b)
	return len(b), nil
}

func TestWriteErrorsAreReturned(t *testing.T) {
	for _, room := range []int{0, 10_000, 300_000} {
		require.ErrorIs(t, demodrive.Write(&fullDisk{room}), errFull, room)
	}
}
