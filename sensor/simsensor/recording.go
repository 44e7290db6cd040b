package simsensor

import (
	"fmt"
	"math"
)

// recording collects evidence that a recorder left fields empty, mixed them up or used other units.
// Real recordings do all of this.
type recording struct {
	rows [kindCount]int64
	sums [kindCount][3]float64 // of the leading fields
	// sums of the length of the vector of the leading three fields
	norms        [kindCount]float64
	gps          gpsRanges
	unsplit      int64 // rows with velocity north equal to ground speed, and nothing east and down
	utcFirst     int64
	utcRows      int64
	utcDecreases int64
	utcLast      int64
}

// gpsRanges are the lowest and highest values of each GPS field.
type gpsRanges [MaxFields]struct{ low, high int64 }

func (c *recording) add(row *Row) {
	i := row.Kind.Index()
	c.rows[i]++
	norm := 0.0
	for j := range min(3, len(sensors[i].fields)) {
		v := float64(row.Fields[j])
		c.sums[i][j] += v
		norm += float64(v * v)
	}
	c.norms[i] += math.Sqrt(norm)
	if row.Kind == GPS {
		c.addGPS(row, c.rows[i] == 1)
	}
}

func (c *recording) addGPS(row *Row, first bool) {
	f := &row.Fields
	for i, v := range f {
		if first {
			c.gps[i].low, c.gps[i].high = v, v
		}
		c.gps[i].low, c.gps[i].high = min(c.gps[i].low, v), max(c.gps[i].high, v)
	}
	if f[GPSVelocityNorth] == f[GPSGroundSpeed] && f[GPSVelocityEast] == 0 &&
		f[GPSVelocityDown] == 0 {
		c.unsplit++
	}
	if !row.HasUTC {
		return
	}
	if c.utcRows++; c.utcRows == 1 {
		c.utcFirst, c.utcLast = f[GPSUTC], f[GPSUTC]
	}
	if f[GPSUTC] < c.utcLast {
		c.utcDecreases++
	}
	c.utcLast = f[GPSUTC]
}

// oddities evaluates the evidence, in a fixed order.
func (c *recording) oddities() []Problem {
	var odd []Problem
	for _, judge := range [...]func() (Problem, bool){
		c.velocity, c.heading, c.ellipsoid, c.utc, c.acceleration, c.axes, c.field, c.pressure,
		func() (Problem, bool) { return c.temperature(Barometer, BarometerTemperature) },
		func() (Problem, bool) { return c.temperature(Thermometer, ThermometerTemperature) },
	} {
		if p, ok := judge(); ok {
			odd = append(odd, p)
		}
	}
	return odd
}

// constantGPS reports whether a field has the same value in all of at least two rows.
func (c *recording) constantGPS(field int) bool {
	return c.rows[GPS.Index()] >= 2 && c.gps[field].low == c.gps[field].high
}

func (c *recording) velocity() (Problem, bool) {
	rows := c.rows[GPS.Index()]
	moving := c.gps[GPSGroundSpeed].high != 0
	return Problem{
		Kind: VelocityNotSplit,
		Found: fmt.Sprintf("velocity north equal to ground speed, east and down 0 in all %d rows",
			rows),
		Expected: "components of the velocity",
		Hint:     "take the direction from the positions, or use the ground speed only",
	}, rows >= 2 && c.unsplit == rows && moving
}

func (c *recording) heading() (Problem, bool) {
	return Problem{
		Kind:     HeadingAlwaysZero,
		Found:    fmt.Sprintf("heading 0 in all %d rows", c.rows[GPS.Index()]),
		Expected: "a course that varies",
		Hint:     "the recorder probably did not fill it in; take it as unknown",
	}, c.constantGPS(GPSHeading) && c.gps[GPSHeading].low == 0
}

// ellipsoid relies on the geoid separation being nearly constant over any distance a vehicle
// travels, and within 110 m everywhere on earth.
func (c *recording) ellipsoid() (Problem, bool) {
	const largest, climb = 110_000, 1000 // mm
	ell, msl := c.gps[GPSEllipsoidAltitude], c.gps[GPSAltitude]
	return Problem{
			Kind: GeoidSeparation,
			Found: fmt.Sprintf("altitude above ellipsoid always %.3f m, above mean sea level "+
				"from %.3f m to %.3f m",
				float64(ell.low)/1000, float64(msl.low)/1000, float64(msl.high)/1000),
			Expected: "both to rise and fall together",
			Hint: "the field probably holds the height of the geoid; the altitude above the " +
				"ellipsoid then is the sum of both",
		}, c.constantGPS(GPSEllipsoidAltitude) && ell.high <= largest && ell.low >= -largest &&
			msl.high-msl.low >= climb
}

func (c *recording) utc() (Problem, bool) {
	const year2000 = 946_684_800_000_000 // us since 1970
	p := Problem{
		Kind: ImplausibleUTC, Expected: "microseconds since 1970",
		Found: fmt.Sprintf("UTC from %d to %d", c.utcFirst, c.utcLast),
		Hint:  "take the time of the GPS rows as unknown",
	}
	switch {
	case c.utcRows == 0:
		return p, false
	case c.utcDecreases > 0:
		p.Found += fmt.Sprintf(", decreasing %d times", c.utcDecreases)
	case c.utcFirst >= year2000: // and rising from there
		return p, false
	case isClock(c.utcFirst) && isClock(c.utcLast) && c.utcLast > 0:
		p.Hint = fmt.Sprintf("read digit by digit as hours, minutes and seconds it is %s to %s",
			clock(c.utcFirst), clock(c.utcLast))
	}
	return p, true
}

// isClock reports whether the digits of v before the microseconds are hhmmss.
func isClock(v int64) bool {
	s := v / 1_000_000
	return s/10000 < 24 && s/100%100 < 60 && s%100 < 60
}

func clock(v int64) string {
	s := v / 1_000_000
	return fmt.Sprintf("%02d:%02d:%02d", s/10000, s/100%100, s%100)
}

// mean returns the mean of a leading field, or of the length of the vector when field is negative.
func (c *recording) mean(kind Kind, field int) float64 {
	i := kind.Index()
	if field < 0 {
		return c.norms[i] / float64(c.rows[i])
	}
	return c.sums[i][field] / float64(c.rows[i])
}

// outside returns the oddity of a mean outside the usual range.
func (c *recording) outside(kind Kind, field int, what string, low, high float64,
	hint string) (Problem, bool) {
	if c.rows[kind.Index()] == 0 {
		return Problem{}, false
	}
	unit := sensors[kind.Index()].fields[max(0, field)].Unit
	mean := c.mean(kind, field)
	return Problem{
		Kind:     ImplausibleValue,
		Found:    fmt.Sprintf("%s of %.6g %s on average", what, mean, unit),
		Expected: fmt.Sprintf("%.6g to %.6g %s", low, high, unit), Hint: hint,
	}, mean < low || mean > high
}

func (c *recording) acceleration() (Problem, bool) {
	return c.outside(Accelerometer, -1, "acceleration", 5000, 20000,
		"at rest an accelerometer shows 9807 mm/s2; check whether the file is in m/s2, in g, or "+
			"without gravity")
}

func (c *recording) axes() (Problem, bool) {
	kind := Accelerometer
	if c.rows[kind.Index()] == 0 {
		return Problem{}, false
	}
	z := c.mean(kind, AccelerometerZ)
	return Problem{
		Kind:     ImplausibleValue,
		Found:    fmt.Sprintf("acceleration Z of %.6g mm/s2 on average", z),
		Expected: "about -9807 with axes forward, right, down",
		Hint:     "the file is probably in axes forward, left, up; say so when it is played",
	}, z > 5000 && z < 20000
}

func (c *recording) field() (Problem, bool) {
	return c.outside(Magnetometer, -1, "a field", 100, 2000,
		"the earth's field is 220 to 670 times 1e-7 T; check the unit and whether magnets or "+
			"motors are near")
}

func (c *recording) pressure() (Problem, bool) {
	return c.outside(Barometer, BarometerPressure, "a pressure", 30_000, 120_000,
		"check whether the file is in hPa or mbar")
}

func (c *recording) temperature(kind Kind, field int) (Problem, bool) {
	return c.outside(kind, field, "a temperature", 170, 340,
		"check whether the file is in degrees Celsius")
}
