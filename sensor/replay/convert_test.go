package replay_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/frames"
	"gosmp/sensor"
	"gosmp/sensor/simsensor"
)

func TestS3_EveryColumnInSIUnits(t *testing.T) {
	s := played(t,
		"1,0,748,-419,-9780",
		"2,5,101325,296",
		"4,10,95001,-53202132333,122057384666,1750000000123457,140,216,131299,7001,6002,-5003,400"+
			"4,356,550,11,6282,-17,3141,14,3",
		"8,15,-2,-64,3,5890652,-11148730,4294967295",
		"16,20,285,-82,334",
		"32,25,293",
	).Samples
	require.Equal(t, sensor.Samples{
		Accelerometer: sensor.Accelerometer{Stamp: sensor.Stamp{Time: 0, Count: 1},
			Vector: frames.Vector{X: 0.748, Y: -0.419, Z: -9.780}},
		Barometer: sensor.Barometer{Stamp: sensor.Stamp{Time: 5 * ms, Count: 1}, Pressure: 101325,
			Temperature: 296},
		GPS: sensor.GPS{
			Stamp: sensor.Stamp{Time: 10 * ms, Count: 1}, Fix: sensor.Fix{Altitude: 95.001,
				Latitude: -53.202132333, Longitude: 122.057384666,
				UTC: 1750000000.123457, UTCMicroseconds: 1750000000123457, HasUTC: true, HDOP: 140,
				VDOP: 216, EllipsoidAltitude: 131.299,
				GroundSpeed: 7.001, Velocity: frames.Vector{X: 6.002, Y: -5.003, Z: 4.004},
				HorizontalAccuracy: 0.356, VerticalAccuracy: 0.55,
				VelocityAccuracy: 0.011, Heading: 6.282, HeadingOffset: -0.017,
				HeadingAccuracy: 3.141, Satellites: 14, FixQuality: 3},
		},
		Gyroscope: sensor.Gyroscope{
			Stamp: sensor.Stamp{Time: 15 * ms, Count: 1}, Rate: frames.Vector{X: -0.002, Y: -0.064,
				Z: 0.003},
			DeltaAngle: frames.Vector{X: 5.890652, Y: -11.14873, Z: 4294.967295},
		},
		Magnetometer: sensor.Magnetometer{Stamp: sensor.Stamp{Time: 20 * ms, Count: 1},
			Vector: frames.Vector{X: 28.5e-6, Y: -8.2e-6, Z: 33.4e-6}},
		Thermometer: sensor.Thermometer{Stamp: sensor.Stamp{Time: 25 * ms, Count: 1},
			Temperature: 293},
	}, s)
}

func TestS3_ShippedGPSLayoutHasNoUTC(t *testing.T) {
	g := played(t,
		"4,0,95000,53202132333,22057384666,140,216,131299,7001,6002,-5003,4004,356,550,11,6282,-1"+
			"7,3141,14,3").Samples.GPS
	require.False(t, g.HasUTC)
	require.Zero(t, g.UTC)
	require.Equal(t, []float64{95, 140, 131.299}, []float64{g.Altitude, g.HDOP,
		g.EllipsoidAltitude})
	require.Equal(t, []int32{14, 3}, []int32{g.Satellites, g.FixQuality})
}

// Every value is the float64 nearest to the decimal number in the file, at both ends of every
// field's range and in between.
func TestS3_EveryValueIsTheNearestToItsDecimal(t *testing.T) {
	read := map[simsensor.Kind][]func(*sensor.Samples) float64{
		simsensor.Accelerometer: vector(func(s *sensor.Samples) frames.Vector {
			return s.Accelerometer.Vector
		}),
		simsensor.Barometer: {
			func(s *sensor.Samples) float64 { return s.Barometer.Pressure },
			func(s *sensor.Samples) float64 { return s.Barometer.Temperature },
		},
		simsensor.GPS: gpsColumns(),
		simsensor.Gyroscope: append(vector(func(s *sensor.Samples) frames.Vector {
			return s.Gyroscope.Rate
		}),
			vector(func(s *sensor.Samples) frames.Vector { return s.Gyroscope.DeltaAngle })...),
		simsensor.Magnetometer: vector(func(s *sensor.Samples) frames.Vector {
			return s.Magnetometer.Vector
		}),
		simsensor.Thermometer: {func(s *sensor.Samples) float64 {
			return s.Thermometer.Temperature
		}},
	}
	// The power of ten between the unit of a column and SI, or degrees.
	exponents := map[string]int{
		"": 0, "Pa": 0, "K": 0, "mm": -3, "mm/s": -3, "mm/s2": -3, "mrad": -3, "mrad/s": -3,
		"us": -6, "urad": -6, "1e-7 T": -7, "ndeg": -9,
	}
	kinds := simsensor.Kinds()
	require.Len(t, kinds, sensor.Sensors)
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(kinds[:]).Draw(t, "kind")
		row := simsensor.Row{Kind: kind, Present: len(kind.Fields()), HasUTC: kind == simsensor.GPS}
		for i, f := range kind.Fields() {
			row.Fields[i] = rapid.OneOf(rapid.Int64Range(f.Min, f.Max),
				rapid.SampledFrom([]int64{f.Min, f.Max})).Draw(t, f.Name)
		}
		text := string(simsensor.AppendRow(nil, &row))
		samples := played(t, text).Samples
		require.Len(t, read[kind], len(kind.Fields()))
		for i, f := range kind.Fields() {
			require.Contains(t, exponents, f.Unit)
			want, err := strconv.ParseFloat(fmt.Sprintf("%de%d", row.Fields[i], exponents[f.Unit]),
				64)
			require.NoError(t, err)
			found := read[kind][i](&samples)
			if exact := int64(float64(row.Fields[i])) == row.Fields[i]; !exact {
				// Beyond 2^53 the integer itself is rounded first, which can add another unit in
				// the last place.
				require.InEpsilon(t, want, found, 1e-15, f.Name)
				continue
			}
			require.Equal(t, want, found, "%s of %s", f.Name, text)
		}
	})
}

func vector(of func(*sensor.Samples) frames.Vector) []func(*sensor.Samples) float64 {
	return []func(*sensor.Samples) float64{
		func(s *sensor.Samples) float64 { return of(s).X },
		func(s *sensor.Samples) float64 { return of(s).Y },
		func(s *sensor.Samples) float64 { return of(s).Z },
	}
}

// gpsColumns returns the values of a fix in the order of the file.
func gpsColumns() (list []func(*sensor.Samples) float64) {
	for _, of := range []func(*sensor.GPS) float64{
		func(g *sensor.GPS) float64 { return g.Altitude },
		func(g *sensor.GPS) float64 { return g.Latitude },
		func(g *sensor.GPS) float64 { return g.Longitude },
		func(g *sensor.GPS) float64 { return g.UTC },
		func(g *sensor.GPS) float64 { return g.HDOP },
		func(g *sensor.GPS) float64 { return g.VDOP },
		func(g *sensor.GPS) float64 { return g.EllipsoidAltitude },
		func(g *sensor.GPS) float64 { return g.GroundSpeed },
		func(g *sensor.GPS) float64 { return g.Velocity.X },
		func(g *sensor.GPS) float64 { return g.Velocity.Y },
		func(g *sensor.GPS) float64 { return g.Velocity.Z },
		func(g *sensor.GPS) float64 { return g.HorizontalAccuracy },
		func(g *sensor.GPS) float64 { return g.VerticalAccuracy },
		func(g *sensor.GPS) float64 { return g.VelocityAccuracy },
		func(g *sensor.GPS) float64 { return g.Heading },
		func(g *sensor.GPS) float64 { return g.HeadingOffset },
		func(g *sensor.GPS) float64 { return g.HeadingAccuracy },
		func(g *sensor.GPS) float64 { return float64(g.Satellites) },
		func(g *sensor.GPS) float64 { return float64(g.FixQuality) },
	} {
		list = append(list, func(s *sensor.Samples) float64 { return of(&s.GPS) })
	}
	return list
}
