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
	Noise         map[string]float64 `group:"Sensors" placeholder:"SENSOR=X" help:"Standard deviation of white noise, drawn by the seed, for --recording: of ${noise}. May be repeated."`
	Bias          map[string]float64 `group:"Sensors" placeholder:"SENSOR=X" help:"Constant error of each axis of a sensor, in the units of --noise. May be repeated."`
}

// micro is the unit of magnetic fields on the command line, 1 µT, in T.
const micro = 1e-6

// sensor describes a sensor of a recording, for --noise and --bias.
type sensor struct {
	name, unit string
	scale      float64 // from the unit to the one of the option
	option     func(o *drive.Options) *drive.Imperfection
}

// sensors lists the sensors of a recording.
var sensors = []sensor{
	{"accelerometer", "m/s2", 1, func(o *drive.Options) *drive.Imperfection {
		return &o.Accelerometer
	}},
	{"gyroscope", "rad/s", 1, func(o *drive.Options) *drive.Imperfection { return &o.Gyroscope }},
	{"magnetometer", "uT", micro, func(o *drive.Options) *drive.Imperfection {
		return &o.Magnetometer
	}},
	{"barometer", "Pa", 1, func(o *drive.Options) *drive.Imperfection { return &o.Barometer }},
	{"gps", "m", 1, func(o *drive.Options) *drive.Imperfection { return &o.GPS }},
	{"thermometer", "K", 1, func(o *drive.Options) *drive.Imperfection { return &o.Thermometer }},
}

// NoiseUnits lists the sensors with the units of their errors, for the help of --noise.
func NoiseUnits() string {
	var list []string
	for _, s := range sensors {
		list = append(list, s.name+" ("+s.unit+")")
	}
	return strings.Join(list, ", ")
}

func sensorNames() string {
	var list []string
	for _, s := range sensors {
		list = append(list, s.name)
	}
	return strings.Join(list, ", ")
}

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
	set := func(flag string, values map[string]float64, least float64, rest string,
		put func(*drive.Imperfection, float64)) error {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			x := values[name]
			k := slices.IndexFunc(sensors, func(s sensor) bool { return s.name == name })
			if k < 0 {
				return cli.Unexpected(flag, name, "one of "+sensorNames())
			}
			if !allFinite(x) || x < least {
				return cli.Unexpected(flag, fmt.Sprintf("%s=%v", name, x), "a number"+rest)
			}
			put(sensors[k].option(o), x*sensors[k].scale)
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
