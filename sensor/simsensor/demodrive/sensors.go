package demodrive

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// Properties of the scenario.
const (
	Duration = 60 * timebase.Second // from the first to the last row
	Unit     = simsensor.Milliseconds
	FileName = "demo_drive.csv"
)

// Where and when the drive starts.
const (
	startLatitude    = 48.85 * degree
	startLongitude   = 9.05 * degree
	startAltitude    = 312.0                 // m above mean sea level
	geoidHeight      = 48.2                  // m, of mean sea level above the ellipsoid
	startUTC         = 1_750_000_000_000_000 // us since 1970: 2025-06-15 15:06:40
	semiMajorAxis    = 6_378_137.0           // m, WGS84
	eccentricity2    = 6.694_379_990_14e-3   // WGS84
	seed             = 20_250_615
	courseSpeed      = 1.0 // m/s, below which a receiver cannot determine its course
	microsPerMilli   = 1000
	seaPressure      = 101_325.0 // Pa, standard atmosphere
	startTemperature = 294.3     // K
)

// earthField is the magnetic field in NED, in 1e-7 T.
var earthField = vector{206, 13, 437}

// sampler creates the rows of one sensor from the state of the car.
type sampler struct {
	kind   simsensor.Kind
	period int // ms
	noise  *rand.Rand
	sample func(s *sampler, ms int, k *track, f *[simsensor.MaxFields]int64)

	wander vector  // GPS: present error of the position, m
	course float64 // GPS: last known, rad
}

// samplers lists the sensors in the order in which rows with the same stamp are written. Every
// sensor has its own noise, so that a change to one does not affect another.
func samplers() []*sampler {
	all := []*sampler{
		{kind: simsensor.Accelerometer, period: 10, sample: accelerometer},
		{kind: simsensor.Barometer, period: 100, sample: barometer},
		{kind: simsensor.GPS, period: 200, sample: gps, course: startHeading},
		{kind: simsensor.Gyroscope, period: 10, sample: gyroscope},
		{kind: simsensor.Magnetometer, period: 40, sample: magnetometer},
		{kind: simsensor.Thermometer, period: 1000, sample: thermometer},
	}
	for _, s := range all {
		s.noise = rand.New(rand.NewPCG(seed, uint64(s.kind)))
	}
	return all
}

// Write writes the scenario: a header, the rows sorted by stamp, and the end row. The bytes are the
// same every time.
func Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	all := samplers()
	car := track{motion: motionAt(0)}
	line := []byte(simsensor.Header())
	for ms := 0; ; ms++ {
		for _, s := range all {
			if ms%s.period != 0 {
				continue
			}
			row := simsensor.Row{Kind: s.kind, Stamp: int64(ms), Present: len(s.kind.Fields())}
			row.HasUTC = s.kind == simsensor.GPS
			s.sample(s, ms, &car, &row.Fields)
			line = simsensor.AppendRow(line, &row)
		}
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write the demo scenario: %w", err)
		}
		line = line[:0]
		if timebase.Time(ms)*timebase.Millisecond == Duration {
			break
		}
		car.advance(float64(ms+1)/1000, 1e-3)
	}
	if _, err := out.Write(simsensor.AppendRow(line,
		&simsensor.Row{Kind: simsensor.End})); err != nil {
		return fmt.Errorf("write the demo scenario: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the demo scenario: %w", err)
	}
	return nil
}

// round returns v times scale, rounded to the nearest integer.
func round(v, scale float64) int64 { return int64(math.Round(v * scale)) }

// normal returns noise with the given standard deviation.
func (s *sampler) normal(deviation float64) float64 { return s.noise.NormFloat64() * deviation }

func accelerometer(s *sampler, _ int, k *track, f *[simsensor.MaxFields]int64) {
	for i, v := range k.specificForce() {
		f[i] = round(v+s.normal(0.03), 1e3)
	}
}

// gyroscope adds noise to the rates only: a device integrates at its internal rate, where the noise
// averages out.
func gyroscope(s *sampler, _ int, k *track, f *[simsensor.MaxFields]int64) {
	for i := range 3 {
		f[simsensor.GyroscopeX+i] = round(k.rates[i]+s.normal(1e-3), 1e3)
		f[simsensor.GyroscopeDeltaX+i] = round(k.angles[i], 1e6)
	}
}

func magnetometer(s *sampler, _ int, k *track, f *[simsensor.MaxFields]int64) {
	for i, v := range k.body(earthField) {
		f[i] = round(v+s.normal(3), 1)
	}
}

func barometer(s *sampler, ms int, k *track, f *[simsensor.MaxFields]int64) {
	altitude := startAltitude - k.position[2]
	f[simsensor.BarometerPressure] = round(seaPressure*math.Pow(1-2.25577e-5*altitude, 5.25588)+
		s.normal(3), 1)
	// Its own electronics keep it warmer than the air.
	f[simsensor.BarometerTemperature] = round(startTemperature+6+
		1.5*(1-math.Exp(-float64(ms)/20_000)), 1)
}

func thermometer(s *sampler, ms int, _ *track, f *[simsensor.MaxFields]int64) {
	f[simsensor.ThermometerTemperature] = round(startTemperature-2*float64(ms)/60_000+
		s.normal(0.05), 1)
}

func gps(s *sampler, ms int, k *track, f *[simsensor.MaxFields]int64) {
	// m; the error decays with a time constant of 20 s
	const horizontal, vertical, keep = 0.4, 0.7, 0.99
	fresh := math.Sqrt(1 - keep*keep)
	for i, deviation := range [...]float64{horizontal, horizontal, vertical} {
		s.wander[i] = keep*s.wander[i] + s.normal(deviation*fresh)
	}
	position := vector{k.position[0] + s.wander[0], k.position[1] + s.wander[1], k.position[2] +
		s.wander[2]}
	latitude, longitude := geodetic(position[0], position[1])
	altitude := startAltitude - position[2]
	f[simsensor.GPSLatitude] = round(latitude/degree, 1e9)
	f[simsensor.GPSLongitude] = round(longitude/degree, 1e9)
	f[simsensor.GPSAltitude] = round(altitude, 1e3)
	f[simsensor.GPSEllipsoidAltitude] = round(altitude+geoidHeight, 1e3)
	f[simsensor.GPSUTC] = startUTC + int64(ms)*microsPerMilli

	north, east := k.velocity[0]+s.normal(0.03), k.velocity[1]+s.normal(0.03)
	speed := math.Hypot(north, east)
	f[simsensor.GPSVelocityNorth], f[simsensor.GPSVelocityEast] = round(north, 1e3),
		round(east, 1e3)
	f[simsensor.GPSVelocityDown] = round(k.velocity[2]+s.normal(0.05), 1e3)
	f[simsensor.GPSGroundSpeed] = round(speed, 1e3)
	f[simsensor.GPSHeadingAccuracy] = 3142
	if speed > courseSpeed {
		s.course = math.Mod(math.Atan2(east, north)+2*math.Pi, 2*math.Pi)
		f[simsensor.GPSHeadingAccuracy] = round(0.03/speed, 1e3) + 1
	}
	f[simsensor.GPSHeading] = round(s.course, 1e3)

	f[simsensor.GPSHDOP], f[simsensor.GPSVDOP] = 80, 130 // in hundredths, as in recordings
	f[simsensor.GPSHorizontalAccuracy] = round(horizontal*math.Sqrt2, 1e3)
	f[simsensor.GPSVerticalAccuracy] = round(vertical, 1e3)
	f[simsensor.GPSVelocityAccuracy] = 66
	f[simsensor.GPSSatellites] = 14
	f[simsensor.GPSFixQuality] = 1
}

// geodetic returns the latitude and longitude in rad of a point given in m north and east of the
// start. Over a few hundred meters, the earth's radii of curvature at the start are accurate
// enough.
func geodetic(north, east float64) (latitude, longitude float64) {
	sin, cos := math.Sincos(startLatitude)
	w := math.Sqrt(1 - eccentricity2*sin*sin)
	normal := semiMajorAxis / w
	meridian := semiMajorAxis * (1 - eccentricity2) / (w * w * w)
	height := startAltitude + geoidHeight
	return startLatitude + north/(meridian+height), startLongitude + east/((normal+height)*cos)
}
