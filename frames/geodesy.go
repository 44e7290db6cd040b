package frames

import (
	"math"
	"strconv"

	"gosmp/internal/portable"
)

// The ellipsoid of WGS 84: the semi-major axis in meters, and the square of the first eccentricity,
// computed from the flattening.
const (
	wgs84A  = 6378137.0
	wgs84F  = 1 / 298.257223563
	wgs84E2 = wgs84F * (2 - wgs84F)
)

// Geodetic is a position on Earth: latitude and longitude in degrees, and altitude in meters above
// mean sea level.
type Geodetic struct{ Latitude, Longitude, Altitude float64 }

// LocalMap is a flat map around an origin: x east, y north, z up, in meters. Positions are
// projected along the normal of the ellipsoid at the origin (the ellipsoidal orthographic
// projection, EPSG method 9840). Heights are differences of altitude, so that level ground stays
// level at any distance.
type LocalMap struct {
	origin             Geodetic
	sinLat, cosLat, nu float64
}

// NewLocalMap returns the map whose zero point is origin.
func NewLocalMap(origin Geodetic) LocalMap {
	sin, cos := portable.Sincos(origin.Latitude * degree)
	return LocalMap{origin, sin, cos, primeVertical(sin)}
}

const degree = math.Pi / 180

// primeVertical returns the radius of curvature in the prime vertical for the sine of a latitude.
func primeVertical(sinLat float64) float64 {
	return wgs84A / math.Sqrt(1-float64(wgs84E2*sinLat*sinLat))
}

// Position returns the position of p on the map.
func (m LocalMap) Position(p Geodetic) Vector {
	sin, cos := portable.Sincos(p.Latitude * degree)
	sinDLon, cosDLon := portable.Sincos((p.Longitude - m.origin.Longitude) * degree)
	nu := primeVertical(sin)
	return Vector{
		X: nu * cos * sinDLon,
		Y: float64(nu*(float64(sin*m.cosLat)-float64(cos*m.sinLat*cosDLon))) +
			float64(wgs84E2*(float64(m.nu*m.sinLat)-float64(nu*sin))*m.cosLat),
		Z: p.Altitude - m.origin.Altitude,
	}
}

// ProjString describes the map to PROJ, in the form required by OSI's GroundTruth.proj_string.
func (m LocalMap) ProjString() string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return "+proj=ortho +lat_0=" + number(m.origin.Latitude) + " +lon_0=" +
		number(m.origin.Longitude) +
		" +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs"
}

// The international standard atmosphere (ISO 2533) in its lowest layer.
const (
	LapseRate    = 0.0065          // of the temperature, in K/m
	baroExponent = 5.2558761132785 // gravity x molar mass / (gas constant x lapse rate)
)

// PressureBelow reduces a pressure in Pa, measured at height meters above a level and at a
// temperature in K, to the pressure at that level.
func PressureBelow(pressure, temperature, height float64) float64 {
	return pressure * portable.Exp(float64(baroExponent*portable.Log(1+
		LapseRate*height/temperature)))
}
