package replay

import (
	"gosmp/frames"
	"gosmp/sensor"
	"gosmp/sensor/simsensor"
)

// The integers of the file in SI units. Dividing by an exact power of ten gives the float64 nearest
// to the decimal number; multiplying by its reciprocal would not.
const (
	milli = 1e3
	micro = 1e6
	nano  = 1e9
	tesla = 1e7
)

func vector(f *[simsensor.MaxFields]int64, first int, unit float64) frames.Vector {
	return frames.Vector{X: float64(f[first]) / unit, Y: float64(f[first+1]) / unit,
		Z: float64(f[first+2]) / unit}
}

// fix converts a GPS row to a sample.
func fix(row *simsensor.Row) sensor.Fix {
	f := &row.Fields
	g := sensor.Fix{
		Latitude:           float64(f[simsensor.GPSLatitude]) / nano,
		Longitude:          float64(f[simsensor.GPSLongitude]) / nano,
		Altitude:           float64(f[simsensor.GPSAltitude]) / milli,
		EllipsoidAltitude:  float64(f[simsensor.GPSEllipsoidAltitude]) / milli,
		UTCMicroseconds:    f[simsensor.GPSUTC],
		HasUTC:             row.HasUTC && f[simsensor.GPSUTC] != 0,
		HDOP:               float64(f[simsensor.GPSHDOP]),
		VDOP:               float64(f[simsensor.GPSVDOP]),
		GroundSpeed:        float64(f[simsensor.GPSGroundSpeed]) / milli,
		Velocity:           vector(f, simsensor.GPSVelocityNorth, milli),
		HorizontalAccuracy: float64(f[simsensor.GPSHorizontalAccuracy]) / milli,
		VerticalAccuracy:   float64(f[simsensor.GPSVerticalAccuracy]) / milli,
		VelocityAccuracy:   float64(f[simsensor.GPSVelocityAccuracy]) / milli,
		Heading:            float64(f[simsensor.GPSHeading]) / milli,
		HeadingOffset:      float64(f[simsensor.GPSHeadingOffset]) / milli,
		HeadingAccuracy:    float64(f[simsensor.GPSHeadingAccuracy]) / milli,
		Satellites:         int32(f[simsensor.GPSSatellites]),
		FixQuality:         int32(f[simsensor.GPSFixQuality]),
	}
	g.UTC = float64(g.UTCMicroseconds) / micro
	return g
}
