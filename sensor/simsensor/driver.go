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

// Drivers returns the known drivers by name: one for each sensor, and one for the sensors of an
// inertial measurement unit.
func Drivers() []Driver {
	all := []Driver{{"imu_sim", []Kind{Accelerometer, Gyroscope}}}
	for i, k := range Kinds() {
		all = append(all, Driver{sensors[i].driver, []Kind{k}})
	}
	slices.SortFunc(all, func(a, b Driver) int { return strings.Compare(a.Name, b.Name) })
	return all
}

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
	for _, d := range Drivers() {
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
