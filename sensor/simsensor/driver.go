package simsensor

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// Driver is a simulated driver of Phoenix-RTOS: a name, and the sensors whose rows it publishes. It
// skips all other rows, so that several drivers can share a file.
type Driver struct {
	Name  string
	Kinds []Kind
}

// drivers are the names of the sensor hub, with the suffix that marks simulated ones.
var drivers = [...]Driver{
	{"accel_sim", []Kind{Accelerometer}},
	{"baro_sim", []Kind{Barometer}},
	{"gps_sim", []Kind{GPS}},
	{"gyro_sim", []Kind{Gyroscope}},
	{"imu_sim", []Kind{Accelerometer, Gyroscope}},
	{"mag_sim", []Kind{Magnetometer}},
	{"temp_sim", []Kind{Thermometer}},
}

// Drivers returns the known drivers by name.
func Drivers() []Driver { return slices.Clone(drivers[:]) }

// ParseDriver splits the argument of the option -s of the program sensors,
// "baro_sim:path/to/file.csv", at its first colon: the path may contain others. The error is a
// [*Problem] with cause [ErrDriver].
func ParseDriver(argument string) (d Driver, file string, err error) {
	name, file, found := strings.Cut(argument, ":")
	if !found || file == "" {
		return Driver{}, "", fault.New(ErrDriver, fault.Place{}, quote([]byte(argument)),
			"name:file").WithHint("such as baro_sim:./measurements.csv")
	}
	var names []string
	for _, d := range drivers {
		if d.Name == name {
			return d, file, nil
		}
		names = append(names, d.Name)
	}
	hint := ""
	if slices.Contains(names, name+"_sim") {
		hint = fmt.Sprintf("write %s_sim:%s", name, file)
	}
	return Driver{}, "", fault.New(ErrDriver, fault.Place{}, quote([]byte(name)), "one of "+
		strings.Join(names, ", ")).WithHint(hint)
}

// Publishes reports whether d publishes rows of that sensor.
func (d Driver) Publishes(k Kind) bool { return slices.Contains(d.Kinds, k) }
