package frames_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/frames"
)

// TestTransverseMercator_MeetsPROJ compares positions with the values from PROJ 9.5.1.
func TestTransverseMercator_MeetsPROJ(t *testing.T) {
	local := frames.TransverseMercator{Ellipsoid: frames.WGS84, Latitude: 48.1, Longitude: 11.6,
		Scale: 1}
	for name, c := range map[string]struct {
		m                                frames.TransverseMercator
		east, north, latitude, longitude float64
	}{
		"UTM 10": {frames.UTM(10, false), 573650.401202508, 4170359.13838778, 37.677473503406,
			-122.164783875276},
		"UTM 32":   {frames.UTM(32, false), 691000, 5334000, 48.130570416190, 11.567052874133},
		"tmerc":    {local, 1000, 2000, 48.117986049183, 11.613430924647},
		"tmerc 50": {local, -50000, 30000, 48.367817363015, 10.925173797952},
	} {
		latitude, longitude := c.m.Geodetic(c.east, c.north)
		require.InDelta(t, c.latitude, latitude, 1e-9, name)
		require.InDelta(t, c.longitude, longitude, 1e-9, name)
		east, north := c.m.Position(c.latitude, c.longitude)
		require.InDelta(t, c.east, east, 1e-4, name)
		require.InDelta(t, c.north, north, 1e-4, name)
	}
}

func TestTransverseMercator_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := frames.UTM(rapid.IntRange(1, 60).Draw(t, "zone"), rapid.Bool().Draw(t, "south"))
		m.Latitude = rapid.Float64Range(-60, 60).Draw(t, "origin")
		m.Ellipsoid = rapid.SampledFrom([]frames.Ellipsoid{frames.WGS84, frames.GRS80,
			frames.Bessel}).Draw(t, "ellipsoid")
		east, north := m.Easting+rapid.Float64Range(-4e5, 4e5).Draw(t, "east"),
			m.Northing+rapid.Float64Range(-2e6, 2e6).Draw(t, "north")
		latitude, longitude := m.Geodetic(east, north)
		x, y := m.Position(latitude, longitude)
		require.InDelta(t, east, x, 1e-6)
		require.InDelta(t, north, y, 1e-6)
	})
}

func TestLocalMap_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := frames.NewLocalMap(frames.Geodetic{Latitude: rapid.Float64Range(-80, 80).Draw(t,
			"latitude"),
			Longitude: rapid.Float64Range(-180, 180).Draw(t, "longitude"), Altitude: 500})
		x, y := rapid.Float64Range(-1e5, 1e5).Draw(t, "x"), rapid.Float64Range(-1e5,
			1e5).Draw(t, "y")
		latitude, longitude := m.Geodetic(x, y)
		p := m.Position(frames.Geodetic{Latitude: latitude, Longitude: longitude})
		require.InDelta(t, x, p.X, 1e-6)
		require.InDelta(t, y, p.Y, 1e-6)
	})
	latitude, _ := frames.NewLocalMap(frames.Geodetic{}).Geodetic(1e8, 0)
	require.NotEqual(t, latitude, latitude, "beyond the horizon")
}
