package replay

import (
	"gosmp/frames"
	"gosmp/sensor"
	"gosmp/sensor/simsensor"
)

// The numbers of file units per SI unit. Dividing by an exact power of ten gives the float64
// nearest to the decimal number; multiplying by its reciprocal would not.
const (
	thousandths   = 1e3
	millionths    = 1e6
	tenMillionths = 1e7
	billionths    = 1e9
)

func vector(f *[simsensor.MaxFields]int64, first int, perUnit float64) frames.Vector {
	return frames.Vector{X: float64(f[first]) / perUnit, Y: float64(f[first+1]) / perUnit,
		Z: float64(f[first+2]) / perUnit}
}

// fix converts a GPS row to a sample.
func fix(row *simsensor.Row) sensor.Fix {
	f := &row.Fields
	g := sensor.Fix{
		Latitude:           float64(f[simsensor.GPSLatitude]) / billionths,
		Longitude:          float64(f[simsensor.GPSLongitude]) / billionths,
		Altitude:           float64(f[simsensor.GPSAltitude]) / thousandths,
		EllipsoidAltitude:  float64(f[simsensor.GPSEllipsoidAltitude]) / thousandths,
		UTCMicroseconds:    f[simsensor.GPSUTC],
		HasUTC:             row.HasUTC && f[simsensor.GPSUTC] != 0,
		HDOP:               float64(f[simsensor.GPSHDOP]),
		VDOP:               float64(f[simsensor.GPSVDOP]),
		GroundSpeed:        float64(f[simsensor.GPSGroundSpeed]) / thousandths,
		Velocity:           vector(f, simsensor.GPSVelocityNorth, thousandths),
		HorizontalAccuracy: float64(f[simsensor.GPSHorizontalAccuracy]) / thousandths,
		VerticalAccuracy:   float64(f[simsensor.GPSVerticalAccuracy]) / thousandths,
		VelocityAccuracy:   float64(f[simsensor.GPSVelocityAccuracy]) / thousandths,
		Heading:            float64(f[simsensor.GPSHeading]) / thousandths,
		HeadingOffset:      float64(f[simsensor.GPSHeadingOffset]) / thousandths,
		HeadingAccuracy:    float64(f[simsensor.GPSHeadingAccuracy]) / thousandths,
		Satellites:         int32(f[simsensor.GPSSatellites]),
		FixQuality:         int32(f[simsensor.GPSFixQuality]),
	}
	g.UTC = float64(g.UTCMicroseconds) / millionths
	return g
}
