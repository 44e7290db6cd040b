package frames

import (
	"math"

	"gosmp/internal/portable"
)

// Ellipsoid is a figure of the Earth.
type Ellipsoid struct {
	Radius     float64 // equatorial, m
	Flattening float64
}

// The ellipsoids that maps use most often.
var (
	WGS84  = Ellipsoid{wgs84A, wgs84F}
	GRS80  = Ellipsoid{6378137, 1 / 298.257222101}
	Bessel = Ellipsoid{6377397.155, 1 / 299.1528128}
)

// TransverseMercator is the projection of UTM, Gauss-Krueger and many national grids, by Krueger's
// series to the sixth power of the third flattening. The error is below a micrometer up to 30
// degrees from the central meridian (Karney, Transverse Mercator with an accuracy of a few
// nanometers, 2011).
type TransverseMercator struct {
	Ellipsoid           Ellipsoid
	Latitude, Longitude float64 // of the origin, degrees
	Scale               float64 // on the central meridian
	Easting, Northing   float64 // of the origin, m
}

// UTM returns the grid of a zone from 1 to 60 on WGS 84.
func UTM(zone int, south bool) TransverseMercator {
	m := TransverseMercator{Ellipsoid: WGS84, Longitude: float64(6*zone - 183), Scale: 0.9996,
		Easting: 500_000}
	if south {
		m.Northing = 10_000_000
	}
	return m
}

// series holds Krueger's coefficients for one ellipsoid: forward from the conformal sphere to the
// plane, and inverse back.
type series struct{ forward, inverse [6]float64 }

func (e Ellipsoid) series() (s series, radius float64) {
	n := e.Flattening / (2 - e.Flattening)
	n2 := n * n
	n3, n4 := n2*n, n2*n2
	n5, n6 := n4*n, n4*n2
	s.forward = [6]float64{
		n/2 - n2*2/3 + n3*5/16 + n4*41/180 - n5*127/288 + n6*7891/37800,
		n2*13/48 - n3*3/5 + n4*557/1440 + n5*281/630 - n6*1983433/1935360,
		n3*61/240 - n4*103/140 + n5*15061/26880 + n6*167603/181440,
		n4*49561/161280 - n5*179/168 + n6*6601661/7257600,
		n5*34729/80640 - n6*3418889/1995840,
		n6 * 212378941 / 319334400,
	}
	s.inverse = [6]float64{
		n/2 - n2*2/3 + n3*37/96 - n4/360 - n5*81/512 + n6*96199/604800,
		n2/48 + n3/15 - n4*437/1440 + n5*46/105 - n6*1118711/3870720,
		n3*17/480 - n4*37/840 - n5*209/4480 + n6*5569/90720,
		n4*4397/161280 - n5*11/504 - n6*830251/7257600,
		n5*4583/161280 - n6*108847/3991680,
		n6 * 20648693 / 638668800,
	}
	return s, e.Radius / (1 + n) * (1 + n2/4 + n4/64 + n6/256)
}

// sum returns the real and the imaginary part of the sum of coefficients times sin 2j(x + iy).
func sum(coefficients *[6]float64, x, y float64) (along, across float64) {
	for j, c := range coefficients {
		sin, cos := portable.Sincos(2 * float64(j+1) * x)
		along += float64(c * sin * math.Cosh(2*float64(j+1)*y))
		across += float64(c * cos * math.Sinh(2*float64(j+1)*y))
	}
	return along, across
}

// conformal returns the tangent of the conformal latitude for the tangent of a latitude.
func (e Ellipsoid) conformal(tan float64) float64 {
	secant := math.Sqrt(1 + float64(tan*tan))
	eccentricity := math.Sqrt(e.Flattening * (2 - e.Flattening))
	sigma := math.Sinh(eccentricity * math.Atanh(eccentricity*tan/secant))
	return float64(tan*math.Sqrt(1+float64(sigma*sigma))) - float64(sigma*secant)
}

// geographic inverts conformal by Newton's method.
func (e Ellipsoid) geographic(conformal float64) float64 {
	e2 := e.Flattening * (2 - e.Flattening)
	tan := conformal / (1 - e2)
	for range 8 {
		now := e.conformal(tan)
		step := (conformal - now) / math.Sqrt(1+float64(now*now)) * (1 +
			float64((1-e2)*tan*tan)) / ((1 - e2) * math.Sqrt(1+float64(tan*tan)))
		tan += step
		if math.Abs(step) <= 1e-15*max(1, math.Abs(tan)) {
			break
		}
	}
	return tan
}

// origin returns the northing of the origin's latitude, in units of the radius, on a map of scale 1
// that starts at the equator.
func (m *TransverseMercator) origin(s *series) float64 {
	xi := portable.Atan(m.Ellipsoid.conformal(portable.Tan(m.Latitude * degree)))
	shift, _ := sum(&s.forward, xi, 0)
	return xi + shift
}

// Geodetic returns the latitude and longitude, in degrees, of a position on the map, in m.
func (m TransverseMercator) Geodetic(easting, northing float64) (latitude, longitude float64) {
	s, radius := m.Ellipsoid.series()
	xi := (northing-m.Northing)/(m.Scale*radius) + m.origin(&s)
	eta := (easting - m.Easting) / (m.Scale * radius)
	shiftX, shiftY := sum(&s.inverse, xi, eta)
	xi, eta = xi-shiftX, eta-shiftY
	sin, cos := portable.Sincos(xi)
	sinh := math.Sinh(eta)
	tan := m.Ellipsoid.geographic(sin / math.Sqrt(float64(sinh*sinh)+float64(cos*cos)))
	longitude = m.Longitude + portable.Atan2(sinh, cos)/degree
	return portable.Atan(tan) / degree, longitude - float64(360*math.Round(longitude/360))
}

// Position returns the position on the map, in m, of a latitude and longitude in degrees.
func (m TransverseMercator) Position(latitude, longitude float64) (easting, northing float64) {
	s, radius := m.Ellipsoid.series()
	tan := m.Ellipsoid.conformal(portable.Tan(latitude * degree))
	sin, cos := portable.Sincos((longitude - m.Longitude) * degree)
	xi, eta := portable.Atan2(tan, cos), math.Asinh(sin/math.Sqrt(float64(tan*tan)+
		float64(cos*cos)))
	shiftX, shiftY := sum(&s.forward, xi, eta)
	return m.Easting + float64(m.Scale*radius*(eta+shiftY)), m.Northing +
		float64(m.Scale*radius*(xi+shiftX-m.origin(&s)))
}

// Geodetic returns the latitude and longitude, in degrees, of a position on the map: the inverse of
// [LocalMap.Position] at the altitude of the origin. Beyond the origin's horizon, both are NaN.
func (m LocalMap) Geodetic(x, y float64) (latitude, longitude float64) {
	p := m.origin
	for range 50 {
		q := m.Position(p)
		sin, cos := portable.Sincos(p.Latitude * degree)
		// length on the map of a unit step north, near the origin's meridian
		tilt := float64(sin*m.sinLat) + float64(cos*m.cosLat)
		north, east := (y-q.Y)/(primeVertical(sin)*(1-wgs84E2)*tilt),
			(x-q.X)/(primeVertical(sin)*cos)
		p.Latitude += north / degree
		p.Longitude += east / degree
		if math.Abs(north)+math.Abs(east) < 1e-15 {
			return p.Latitude, p.Longitude
		}
	}
	q := m.Position(p)
	if !(math.Abs(x-q.X)+math.Abs(y-q.Y) < 1e-6) {
		return math.NaN(), math.NaN()
	}
	return p.Latitude, p.Longitude
}
