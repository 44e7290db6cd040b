package model_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
)

// mistake makes an author's mistake and returns gosmp's message about it.
type mistake func(t *testing.T) string

// wrongly returns the message of checking a faulty definition.
func wrongly(identifier string, declare func(d *model.Declaration)) mistake {
	return func(*testing.T) string {
		d := model.Definition{Identifier: identifier, New: func(d *model.Declaration) model.Model {
			declare(d)
			return stepper{}
		}}
		return fmt.Sprint(d.FMU().Check())
	}
}

// during returns the lines logged by a rig.
func during(declare func(d *model.Declaration) stepper, run func(r *modeltest.Rig)) mistake {
	return func(t *testing.T) string {
		r := modeltest.New(t, model.Definition{Identifier: "M",
			New: func(d *model.Declaration) model.Model { return declare(d) }})
		run(r)
		return strings.Join(r.Log(), "\n")
	}
}

var charge float64

// declared makes the declarations for the mistakes below.
func declared(d *model.Declaration) stepper {
	d.Input(osmp.SensorDataIn)
	model.Parameter(d, &charge, "capacity", 1, "when full", model.Unit("1"), model.Max(500))
	return stepper{}
}

func outOfRange(t *testing.T) (said string) {
	t.Helper()
	r := modeltest.New(t, model.Definition{Identifier: "M",
		New: func(*model.Declaration) model.Model {
			return stepper{step: func() error {
				none := make([]int, 0)
				_ = none[len(os.Args[0][:3])]
				return nil
			}}
		}})
	r.Start()
	defer func() { // as gosmp/export does
		value := recover()
		_, is := value.(runtime.Error)
		require.True(t, is)
		require.Equal(t, fmi.Fatal, r.Instance().Panicked(fmu.DoStep, value))
		said = strings.Join(r.Log(), "\n")
	}()
	r.TryStep(1)
	return ""
}

func overwritten(t *testing.T) string {
	t.Helper()
	var kept []byte
	steps := 0
	var out *model.Output
	w := &noting{TB: t}
	r := modeltest.New(w, model.Definition{Identifier: "M",
		New: func(d *model.Declaration) model.Model {
			out = d.Output(osmp.SensorDataOut)
			return stepper{step: func() error {
				if steps++; steps == 4 {
					kept[0]++
					return nil
				}
				kept = append(out.Buffer(), 1)
				return out.Publish(kept)
			}}
		}})
	r.Start()
	for range 4 {
		r.Step(1)
	}
	return w.reported
}

// noting is a test whose failures are expected.
type noting struct {
	testing.TB

	reported string
}

func (n *noting) Errorf(text string, a ...any) { n.reported += fmt.Sprintf(text, a...) }

// mistakes holds the mistakes by the message that docs/AUTHORS.md documents for each.
var mistakes = map[string]mistake{
	`variable "width": a Real needs a unit; model.Unit("1") makes it dimensionless`: wrongly(
		"M", func(d *model.Declaration) {
			model.Parameter(d, &charge, "width", 0, "")
		}),
	`variable "height": unit "cm" is not declared`: wrongly("M", func(d *model.Declaration) {
		model.Parameter(d, &charge, "height", 0, "", model.Unit("cm"))
	}),
	`OSMPSensorDataOut has causality "output" and cannot be declared as input`: wrongly("M",
		func(d *model.Declaration) {
			d.Input(osmp.SensorDataOut)
		}),
	`two variables are named "gain"`: wrongly("M", func(d *model.Declaration) {
		model.Parameter(d, &charge, "gain", 0, "", model.Unit("1"))
		model.PlainInput(d, &charge, "gain", 0, "", model.Unit("1"))
	}),
	`two variables are named "OSMPSensorDataIn.base.lo"`: wrongly("M", func(d *model.Declaration) {
		d.Input(osmp.SensorDataIn)
		d.Input(osmp.SensorDataIn)
	}),
	`variable "gain": 3 is above the maximum 2`: wrongly("M", func(d *model.Declaration) {
		model.Parameter(d, &charge, "gain", 3, "", model.Unit("1"), model.Max(2))
	}),
	`modelIdentifier "my-sensor" is not a C identifier`: wrongly("my-sensor",
		func(*model.Declaration) {}),
	`New declares Real "b" where it declared Real "a" before; it must do the same each time`: func(t *testing.T) string {
		calls := 0
		r := modeltest.New(t, model.Definition{Identifier: "M",
			New: func(d *model.Declaration) model.Model {
				model.Parameter(d, &charge, []string{"a", "b"}[min(calls, 1)], 0, "",
					model.Unit("1"))
				calls++
				return stepper{}
			}})
		r.TryStart(0)
		return strings.Join(r.Log(), "\n")
	},

	`output "charge" has been set in Setup; declare it with model.Calculated()`: during(
		func(d *model.Declaration) stepper {
			model.PlainOutput(d, &charge, "charge", "", model.Unit("1"))
			return stepper{setup: func() error { charge = 1; return nil }}
		}, func(r *modeltest.Rig) { r.TryStart(0) }),
	`OSMPSensorDataOut: published by Setup, but there is no data before the first step`: during(
		func(d *model.Declaration) stepper {
			out := d.Output(osmp.SensorDataOut)
			return stepper{setup: func() error { return out.Publish([]byte{1}) }}
		}, func(r *modeltest.Rig) { r.TryStart(0) }),
	`a configuration request is declared, but Setup has not called Negotiate`: during(
		func(d *model.Declaration) stepper {
			d.ConfigRequest(d.Input(osmp.SensorViewIn))
			return stepper{}
		}, func(r *modeltest.Rig) { r.TryStart(0) }),
	`OSMPSensorDataIn: the address was set for an earlier step and is not read again, because ` +
		`its buffer may be gone`: during(declared,
		func(r *modeltest.Rig) {
			r.Start()
			r.Write("OSMPSensorDataIn", []byte{1})
			r.Step(1)
			r.Step(1)
		}),
	`OSMPSensorDataIn: address and size contradict each other: found address 0x0, size 5, which ` +
		`counts as no data`: during(declared,
		func(r *modeltest.Rig) {
			r.Start()
			r.Set("OSMPSensorDataIn.size", 5)
			r.Step(1)
		}),
	`capacity: 1000 is above the maximum 500`: during(declared,
		func(r *modeltest.Rig) { r.TrySet("capacity", 1000) }),
	`capacity is fixed parameter; state is "step complete", settable in "instantiated", ` +
		`"initialization mode"`: during(declared,
		func(r *modeltest.Rig) {
			r.Start()
			r.Step(1)
			r.TrySet("capacity", 2)
		}),
	`canGetAndSetFMUstate is false: the model cannot save its state; fmi2Reset starts over`: func(
		t *testing.T) string {
		r := modeltest.New(t, model.Definition{Identifier: "M",
			New: func(*model.Declaration) model.Model {
				return struct{ model.Model }{stepper{}}
			}})
		_, status := r.Instance().GetFMUstate(nil)
		require.Equal(t, fmi.Error, status)
		return strings.Join(r.Log(), "\n")
	},
	`internal error: runtime error: index out of range [3] with length 0; this instance is lost, ` +
		`others are not`: outOfRange,

	`OSMPSensorDataOut: bytes published by a step changed before the ` +
		`second step after it`: overwritten,
}

// TestAuthorsMistakes makes every mistake that docs/AUTHORS.md lists, and no other.
func TestAuthorsMistakes(t *testing.T) {
	page, err := os.ReadFile("../docs/AUTHORS.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "## Common mistakes")
	require.True(t, found)
	rows := regexp.MustCompile("(?m)^\\| .* \\| `(.*)` \\|$").FindAllStringSubmatch(section, -1)
	require.Len(t, rows, len(mistakes))
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			require.NotNil(t, mistakes[row[1]], "no test makes this mistake")
			require.Contains(t, mistakes[row[1]](t), row[1])
		})
	}
}
