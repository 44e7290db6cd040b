package run

import (
	"fmt"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/importer/system"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// set sets an option. A plan may only set options that affect what is simulated.
func (o *Options) set(name, value string) error {
	var known []string
	for _, x := range options {
		switch {
		case x.set == nil:
		case x.name != name:
			known = append(known, x.name)
		default:
			if err := x.set(o, value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}
	}
	return fmt.Errorf(
		"%s: found an option that runs of a sweep do not have, expected one of %s",
		name,
		strings.Join(known, ", "),
	)
}

func number(field func(*Options) **float64) func(*Options, string) error {
	return func(o *Options, value string) error {
		x, err := usage.Float(value)
		if err != nil {
			return err
		}
		*field(o) = &x
		return nil
	}
}

// assignment returns a function that adds NAME=VALUE, or a value without a name.
func assignment(field func(*Options) *[]Assignment) func(*Options, string) error {
	return func(o *Options, value string) error {
		*field(o) = append(*field(o), Placed(value))
		return nil
	}
}

// Placed parses ENTITY=MODEL or MODEL. The name of an existing file counts as MODEL, even if it
// contains =.
func Placed(text string) Assignment {
	if IsProgram(text) { // its words may contain =
		return Assignment{"", text}
	}
	entity, file := system.Named(text)
	return Assignment{entity, file}
}

func setConnection(o *Options, value string) error {
	from, to, found := strings.Cut(value, "=")
	if !found {
		return fmt.Errorf("found %q, expected OUTPUT=INPUT", value)
	}
	o.Connections = append(o.Connections, Connection{from, to})
	return nil
}

// seconds is like number, for a time, which may be a quotient such as 10/3.
func seconds(field func(*Options) **float64) func(*Options, string) error {
	return func(o *Options, value string) error {
		x, err := usage.Seconds(value)
		if err != nil {
			return err
		}
		*field(o) = &x
		return nil
	}
}

func boolean(field func(*Options) *bool) func(*Options, string) error {
	return func(o *Options, value string) (err error) {
		if *field(o), err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("found %q, expected true or false", value)
		}
		return nil
	}
}

// setStepSize sets the step size of all FMUs or, with NAME=STEP, of one FMU.
func setStepSize(o *Options, value string) error {
	k := strings.LastIndex(value, "=")
	text := value[k+1:]
	step, err := ParseStep(text)
	if err != nil {
		return err
	}
	if k < 0 {
		o.StepSize = &step
		return nil
	}
	if o.StepSizes == nil {
		o.StepSizes = map[string]float64{}
	}
	o.StepSizes[value[:k]] = step
	return nil
}

// ParseStep parses a step size in seconds, such as 0.02 or 1/60.
func ParseStep(text string) (float64, error) {
	r, err := timebase.ParseSeconds(text)
	if err != nil || timebase.EveryRational(r).IsZero() {
		return 0, fmt.Errorf("found %q, expected seconds such as 0.02 or 1/60, from 1e-9 to 1e9",
			text)
	}
	return r.Seconds(), nil
}

func setAlgorithm(o *Options, value string) error {
	parallel := cosim.Parallel.String()
	if o.Parallel = value == parallel; !o.Parallel && value != cosim.Sequential.String() {
		return fmt.Errorf("found %q, expected %s or %s", value, cosim.Sequential, parallel)
	}
	return nil
}
