package simulate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/frames"
	drive "gosmp/mocksim/recording"
)

// sensorFlags holds the flags for the sensors of the host vehicle: their references and errors.
type sensorFlags struct {
	Origin        []float64          `group:"Sensors" sep:"," placeholder:"LAT,LON" help:"Latitude and longitude of the map's origin in degrees, for the GNSS receiver of --recording. By default the origin in the map."`
	MagneticField []float64          `group:"Sensors" sep:"," placeholder:"N,E,D" help:"The earth's magnetic field to the north, to the east and down, in uT, for --recording; by default 20.6,1.3,43.7, the field in Central Europe."`
	Noise         map[string]float64 `group:"Sensors" placeholder:"SENSOR=X" help:"Standard deviation of white noise, drawn by the seed, for --recording: of accelerometer (m/s2), gyroscope (rad/s), magnetometer (uT), barometer (Pa), gps (m), thermometer (K). May be repeated."`
	Bias          map[string]float64 `group:"Sensors" placeholder:"SENSOR=X" help:"Constant error of each axis of a sensor, in the units of --noise. May be repeated."`
}

// micro is the unit of magnetic fields on the command line, 1 µT, in T.
const micro = 1e-6

// sensorNames lists the sensors of a recording in the order of [sensorFlags.options].
var sensorNames = []string{"accelerometer", "gyroscope", "magnetometer", "barometer", "gps",
	"thermometer"}

// options checks the flags and adds their settings.
func (f *sensorFlags) options(o *drive.Options) error {
	if n := len(f.Origin); n != 0 {
		if n != 2 || !allFinite(f.Origin...) || math.Abs(f.Origin[0]) > 90 ||
			math.Abs(f.Origin[1]) > 180 {
			return cli.Unexpected("--origin", fmt.Sprint(f.Origin),
				"latitude (-90 to 90) and longitude (-180 to 180): 48.2,11.6")
		}
		o.Origin = &frames.Geodetic{Latitude: f.Origin[0], Longitude: f.Origin[1]}
	}
	if n := len(f.MagneticField); n != 0 {
		if n != 3 || !allFinite(f.MagneticField...) || f.MagneticField[0] == 0 &&
			f.MagneticField[1] == 0 && f.MagneticField[2] == 0 {
			return cli.Unexpected("--magnetic-field", fmt.Sprint(f.MagneticField),
				"three numbers in uT that are not all 0: north,east,down")
		}
		o.Field = frames.Vector{X: f.MagneticField[0] * micro, Y: f.MagneticField[1] * micro,
			Z: f.MagneticField[2] * micro}
	}
	sensors := []*drive.Imperfection{&o.Accelerometer, &o.Gyroscope, &o.Magnetometer, &o.Barometer,
		&o.GPS, &o.Thermometer}
	set := func(flag string, values map[string]float64, least float64, rest string,
		put func(*drive.Imperfection, float64)) error {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			k, x := slices.Index(sensorNames, name), values[name]
			if k < 0 {
				return cli.Unexpected(flag, name, "one of "+strings.Join(sensorNames, ", "))
			}
			if !allFinite(x) || x < least {
				return cli.Unexpected(flag, fmt.Sprintf("%s=%v", name, x), "a number"+rest)
			}
			if name == "magnetometer" {
				x *= micro
			}
			put(sensors[k], x)
		}
		return nil
	}
	if err := set("--noise", f.Noise, 0, " of at least 0", func(i *drive.Imperfection,
		x float64) {
		i.Noise = x
	}); err != nil {
		return err
	}
	return set("--bias", f.Bias, -math.MaxFloat64, "", func(i *drive.Imperfection,
		x float64) {
		i.Bias = x
	})
}

// given reports whether any of the flags is set.
func (f *sensorFlags) given() bool {
	return len(f.Origin)+len(f.MagneticField)+len(f.Noise)+len(f.Bias) > 0
}

func allFinite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool {
		return math.IsNaN(x) || math.IsInf(x, 0)
	})
}
