package frames_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/frames"
)

// cartesian returns a point on the WGS 84 ellipsoid in earth-centered coordinates. It uses the
// parametric latitude, the angle on the auxiliary circle, which requires neither the eccentricity
// nor a radius of curvature.
func cartesian(latitude, longitude float64) frames.Vector {
	const a, b = 6378137.0, 6356752.314245179
	parametric := math.Atan2(b*math.Sin(rad(latitude)), a*math.Cos(rad(latitude)))
	return frames.Vector{
		X: a * math.Cos(parametric) * math.Cos(rad(longitude)),
		Y: a * math.Cos(parametric) * math.Sin(rad(longitude)),
		Z: b * math.Sin(parametric),
	}
}

func rad(degrees float64) float64 { return degrees / 180 * math.Pi }

// eastNorth returns the vector between two points on the ellipsoid, in the horizontal plane of the
// first.
func eastNorth(origin, p frames.Geodetic) (east, north float64) {
	d := cartesian(p.Latitude, p.Longitude).Sub(cartesian(origin.Latitude, origin.Longitude))
	pole := frames.Vector{Z: 1}
	up := frames.Vector{
		X: math.Cos(rad(origin.Latitude)) * math.Cos(rad(origin.Longitude)),
		Y: math.Cos(rad(origin.Latitude)) * math.Sin(rad(origin.Longitude)),
		Z: math.Sin(rad(origin.Latitude)),
	}
	e := pole.Cross(up)
	e = e.Scale(1 / e.Length())
	return d.Dot(e), d.Dot(up.Cross(e))
}

func TestLocalMap_AgreesWithEarthCentredCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		altitude := rapid.Float64Range(-400, 9000)
		origin := frames.Geodetic{
			Latitude:  rapid.Float64Range(-89.9, 89.9).Draw(t, "latitude"),
			Longitude: rapid.Float64Range(-180, 180).Draw(t, "longitude"),
			Altitude:  altitude.Draw(t, "altitude"),
		}
		p := frames.Geodetic{
			Latitude: max(-90, min(90, origin.Latitude+rapid.Float64Range(-3, 3).Draw(t,
				"north"))),
			Longitude: origin.Longitude + rapid.Float64Range(-3, 3).Draw(t, "east"),
			Altitude:  altitude.Draw(t, "other altitude"),
		}
		found := frames.NewLocalMap(origin).Position(p)
		east, north := eastNorth(origin, p)
		require.InDelta(t, east, found.X, 1e-6)
		require.InDelta(t, north, found.Y, 1e-6)
		require.Equal(t, p.Altitude-origin.Altitude, found.Z)
	})
}

// TestLocalMap_PublishedExample checks the worked example of EPSG guidance note 7-2 for method
// 9840.
func TestLocalMap_PublishedExample(t *testing.T) {
	m := frames.NewLocalMap(frames.Geodetic{Latitude: 55, Longitude: 5})
	found := m.Position(frames.Geodetic{Latitude: 53 + 48/60. + 33.82/3600, Longitude: 2 + 7/60. +
		46.38/3600})
	require.InDelta(t, -189011.711, found.X, 1e-3)
	require.InDelta(t, -128640.567, found.Y, 1e-3)
}

func TestLocalMap_Landmarks(t *testing.T) {
	for _, c := range []struct {
		name      string
		origin, p frames.Geodetic
		want      frames.Vector
		tolerance float64
	}{
		{"origin", frames.Geodetic{52.3, 13.4, 95}, frames.Geodetic{52.3, 13.4, 95},
			frames.Vector{}, 0},
		{"up", frames.Geodetic{52.3, 13.4, 95}, frames.Geodetic{52.3, 13.4, 100.5},
			frames.Vector{Z: 5.5}, 0},
		// A thousandth of a degree: 110.574 m in latitude and 111.320 m in longitude at the
		// equator, and 111.694 m in latitude at a pole.
		{"east at the equator", frames.Geodetic{}, frames.Geodetic{Longitude: 1e-3},
			frames.Vector{X: 111.320}, 1e-3},
		{"south at the equator", frames.Geodetic{}, frames.Geodetic{Latitude: -1e-3},
			frames.Vector{Y: -110.574}, 1e-3},
		{"towards the pole", frames.Geodetic{Latitude: 89.999}, frames.Geodetic{Latitude: 90},
			frames.Vector{Y: 111.694}, 1e-3},
		// A nanodegree is a tenth of a millimeter, and the date line has no effect.
		{"one nanodegree", frames.Geodetic{}, frames.Geodetic{Latitude: 1e-9},
			frames.Vector{Y: 0.110574e-3}, 1e-8},
		{"over the date line", frames.Geodetic{Longitude: 179.9995},
			frames.Geodetic{Longitude: -179.9995}, frames.Vector{X: 111.320}, 1e-3},
		{"back over the date line", frames.Geodetic{Longitude: -179.9995},
			frames.Geodetic{Longitude: 179.9995},
			frames.Vector{X: -111.320}, 1e-3},
	} {
		found := frames.NewLocalMap(c.origin).Position(c.p)
		require.InDelta(t, 0, found.Sub(c.want).Length(), c.tolerance, "%s: %v", c.name, found)
	}
}

func TestLocalMap_ProjStringNamesTheOriginExactly(t *testing.T) {
	m := frames.NewLocalMap(frames.Geodetic{Latitude: -33.856784523, Longitude: 151.215296001,
		Altitude: 5})
	require.Equal(t,
		"+proj=ortho +lat_0=-33.856784523 +lon_0=151.215296001 +x_0=0 +y_0=0 +datum=WGS84 "+
			"+units=m +no_defs",
		m.ProjString())
	// PROJ does not reliably read exponents.
	require.Contains(t, frames.NewLocalMap(frames.Geodetic{Latitude: 1e-9}).ProjString(),
		"+lat_0=0.000000001 +lon_0=0 ")
}

// TestPressureBelow_TabulatedAtmosphere checks the lowest layer of the standard atmosphere, as
// tabulated by geopotential altitude.
func TestPressureBelow_TabulatedAtmosphere(t *testing.T) {
	for _, c := range []struct{ height, temperature, pressure float64 }{
		{-1000, 294.65, 113929}, {-500, 291.4, 107477.5}, {0, 288.15, 101325},
		{500, 284.9, 95460.8}, {1000, 281.65, 89874.6},
		{2000, 275.15, 79495.2}, {3000, 268.65, 70108.5}, {5000, 255.65, 54019.9}, {8000, 236.15,
			35599.8}, {11000, 216.65, 22632.06},
	} {
		require.InEpsilon(t, 101325, frames.PressureBelow(c.pressure, c.temperature, c.height),
			3e-6, "from %v m to 0", c.height)
	}
}

// TestPressureBelow_SameBitsOnEveryPlatform checks that the sum is the same on 64-bit and 32-bit
// x86 and, with the packer's compiler settings, on ARM, whereas math.Exp differs on each. With
// other compiler settings, math.Log differs on ARM.
func TestPressureBelow_SameBitsOnEveryPlatform(t *testing.T) {
	sum := fnv.New64a()
	for height := -2000.0; height <= 9000; height += 0.37 {
		pressure := 60000 + float64(5*height)
		found := frames.PressureBelow(pressure, 250+height/100, height)
		plain := pressure * math.Exp(5.2558761132785*math.Log(1+0.0065*height/(250+height/100)))
		require.InEpsilon(t, plain, found, 1e-15, "%v m", height)
		require.NoError(t, binary.Write(sum, binary.LittleEndian, found))
	}
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "386" {
		require.Equal(t, uint64(0x6097f7cd18a19613), sum.Sum64())
	}
}

func TestPressureBelow_SmallHeights(t *testing.T) {
	require.Equal(t, 98765.4, frames.PressureBelow(98765.4, 280, 0))
	// The weight of a meter of air: density by the gas law, times gravity.
	density := 100000 / (287.05287 * 290.0)
	require.InDelta(t, 100000+density*9.80665, frames.PressureBelow(100000, 290, 1), 1e-2)
	require.InDelta(t, 100000-density*9.80665, frames.PressureBelow(100000, 290, -1), 1e-2)
}
