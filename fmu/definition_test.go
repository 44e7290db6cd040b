package fmu_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
)

func TestCheck_AcceptsTheTestFMU(t *testing.T) {
	require.NoError(t, testDefinition(newCart).Check())
}

func TestCheck_FindsEachMistakeOfTheWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(d *fmu.Definition)
		want  string
	}{
		{"identifier empty", func(d *fmu.Definition) { d.ModelIdentifier = "" },
			`modelIdentifier "" is not a C identifier`},
		{"identifier", func(d *fmu.Definition) { d.ModelIdentifier = "a-b" },
			`modelIdentifier "a-b" is not a C identifier`},
		{"identifier digit", func(d *fmu.Definition) { d.ModelIdentifier = "1a" },
			`modelIdentifier "1a"`},
		{"no name", func(d *fmu.Definition) { d.ModelName = "" }, "modelName is empty"},
		{"no model", func(d *fmu.Definition) { d.New = nil }, "New is nil"},
		{"no step", func(d *fmu.Definition) { d.Experiment.Step = 0 }, "step > 0"},
		{"step NaN", func(d *fmu.Definition) { d.Experiment.Step = math.NaN() }, "finite numbers"},
		{"step infinite", func(d *fmu.Definition) { d.Experiment.Step = math.Inf(1) },
			"finite numbers"},
		{"stop at start", func(d *fmu.Definition) { d.Experiment.Start = 10 }, "stop > start"},
		{"stop infinite", func(d *fmu.Definition) { d.Experiment.Stop = math.Inf(1) },
			"finite numbers"},
		{"start infinite", func(d *fmu.Definition) { d.Experiment.Start = math.Inf(-1) },
			"finite numbers"},
		{"tolerance NaN", func(d *fmu.Definition) { d.Experiment.Tolerance = math.NaN() },
			"finite numbers"},
		{"unit twice", func(d *fmu.Definition) { d.Units = append(d.Units, d.Units[0]) },
			`unit "m/s" is declared twice`},
		{"category twice", func(d *fmu.Definition) {
			d.LogCategories = append(d.LogCategories, fmi.LogCategory{Name: "logAll"})
		}, `log category "logAll" is declared twice`},
		{"found while filling", func(d *fmu.Definition) { d.Variables.Fail(errTest) },
			errTest.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := testDefinition(newCart)
			c.spoil(d)
			require.ErrorContains(t, d.Check(), c.want)
		})
	}
}

func TestCheck_FindsEachMistakeOfAVariable(t *testing.T) {
	parameter := func(change func(v *fmu.Variable)) fmu.Variable {
		v := fmu.Variable{Name: "x", Type: fmi.Real, Causality: fmi.Parameter,
			Variability: fmi.Fixed, Initial: fmi.Exact, Start: 1.0}
		change(&v)
		return v
	}
	for _, c := range []struct {
		name string
		v    fmu.Variable
		want string
	}{
		{"good", parameter(func(*fmu.Variable) {}), ""},
		{"limits", parameter(func(v *fmu.Variable) { v.Min, v.Max = limit(2), limit(1) }),
			"minimum 2 is above maximum 1"},
		{"limit NaN", parameter(func(v *fmu.Variable) {
			v.Min, v.Max = limit(math.NaN()), limit(1)
		}), "limit NaN is not finite"},
		{"limit infinite", parameter(func(v *fmu.Variable) { v.Max = limit(math.Inf(1)) }),
			"limit +Inf is not finite"},
		{"limit of an Integer", parameter(func(v *fmu.Variable) {
			v.Type, v.Start, v.Max = fmi.Integer, int32(1), limit(1.5)
		}),
			"limit 1.5 is not a 32-bit integer"},
		{"limit above all Integers", parameter(func(v *fmu.Variable) {
			v.Type, v.Start, v.Max = fmi.Integer, int32(1), limit(1<<31)
		}),
			"limit 2.147483648e+09 is not a 32-bit integer"},
		{"limit of a Boolean", parameter(func(v *fmu.Variable) {
			v.Type, v.Start, v.Max = fmi.Boolean, true, limit(1)
		}),
			"Boolean cannot have a minimum or a maximum"},
		{"texts of a Real", parameter(func(v *fmu.Variable) { v.OneOf = []string{"a"} }),
			"Real cannot have a list of allowed texts"},
		{"no name", parameter(func(v *fmu.Variable) { v.Name = "" }),
			`variable "": not a structured name (FMI 2.0, 2.2.9)`},
		{"blank in the name", parameter(func(v *fmu.Variable) { v.Name = "a b" }),
			`variable "a b": not a structured name`},
		{"index 0", parameter(func(v *fmu.Variable) { v.Name = "a[0]" }), ""},
		{"index below 0", parameter(func(v *fmu.Variable) { v.Name = "a[-1]" }),
			"not a structured name"},
		{"two indices", parameter(func(v *fmu.Variable) { v.Name = "a[1,2].b_3[10]" }), ""},
		{"index left open", parameter(func(v *fmu.Variable) { v.Name = "a[1" }),
			"not a structured name"},
		{"index closed twice", parameter(func(v *fmu.Variable) { v.Name = "a[1]]" }),
			"not a structured name"},
		{"dot at the end", parameter(func(v *fmu.Variable) { v.Name = "a." }),
			"not a structured name"},
		{"newline at the end", parameter(func(v *fmu.Variable) { v.Name = "a\n" }),
			"not a structured name"},
		{"twice", parameter(func(v *fmu.Variable) { v.Name = "gain" }),
			`two variables are named "gain"`},
		{"55 characters", parameter(func(v *fmu.Variable) { v.Name = strings.Repeat("n", 55) }),
			""},
		{"56 characters", parameter(func(v *fmu.Variable) { v.Name = strings.Repeat("n", 56) }),
			"56 characters, Simulink imports"},
		{"Integer continuous", parameter(func(v *fmu.Variable) {
			v.Type, v.Causality, v.Variability, v.Initial, v.Start = fmi.Integer, fmi.Input,
				fmi.Continuous, "", int32(0)
		}), "Integer cannot be continuous"},
		{"unknown unit", parameter(func(v *fmu.Variable) { v.Unit = "furlong" }),
			`unit "furlong" is not declared`},
		{"known unit", parameter(func(v *fmu.Variable) { v.Unit = "m/s" }), ""},
		{"Integer with unit", parameter(func(v *fmu.Variable) {
			v.Type, v.Start, v.Unit = fmi.Integer, int32(0), "m/s"
		}),
			"Integer cannot have a unit"},
		{"depends on nothing", parameter(func(v *fmu.Variable) {
			v.DependsOn = []string{"gain", "nobody"}
		}),
			`depends on unknown variable "nobody"`},
		{"no start", parameter(func(v *fmu.Variable) { v.Start = nil }), "start value missing"},
		{"start of a calculated one", parameter(func(v *fmu.Variable) {
			v.Causality, v.Initial = fmi.Output, fmi.Calculated
			v.Variability = fmi.Discrete
		}),
			"a calculated variable cannot have a start value"},
		{"start of another type", parameter(func(v *fmu.Variable) { v.Start = 1 }),
			"start value 1 (int) is not of type Real"},
		{"start Integer for Real", parameter(func(v *fmu.Variable) { v.Start = int32(1) }),
			"start value 1 (int32) is not of type Real"},
		{"start Real for String", parameter(func(v *fmu.Variable) { v.Type = fmi.String }),
			"start value 1 (float64) is not of type String"},
		{"start String for Boolean", parameter(func(v *fmu.Variable) {
			v.Type, v.Start = fmi.Boolean, "true"
		}),
			"start value true (string) is not of type Boolean"},
		{"start Boolean for Integer", parameter(func(v *fmu.Variable) {
			v.Type, v.Start = fmi.Integer, true
		}),
			"start value true (bool) is not of type Integer"},
		{"start NaN", parameter(func(v *fmu.Variable) { v.Start = math.NaN() }),
			"NaN is not finite"},
		{"start below", parameter(func(v *fmu.Variable) { v.Min = limit(2) }),
			"1 is below the minimum 2"},
		{"start above", parameter(func(v *fmu.Variable) { v.Max = limit(0.5) }),
			"1 is above the maximum 0.5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := testDefinition(newCart)
			d.Variables.Add(c.v)
			err := d.Check()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, fmu.ErrDefinition)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, fmt.Sprintf("%q", c.v.Name))
		})
	}
}

// allowedAttributes is the table of FMI 2.0, 2.2.7, limited to the causalities that gosmp uses: the
// permitted values of "initial".
const allowedAttributes = `
parameter            constant    -
parameter            fixed       exact
parameter            tunable     exact
parameter            discrete    -
parameter            continuous  -
calculatedParameter  constant    -
calculatedParameter  fixed       calculated approx
calculatedParameter  tunable     calculated approx
calculatedParameter  discrete    -
calculatedParameter  continuous  -
input                constant    -
input                fixed       -
input                tunable     -
input                discrete    none
input                continuous  none
output               constant    exact
output               fixed       -
output               tunable     -
output               discrete    calculated exact approx
output               continuous  calculated exact approx
local                constant    exact
local                fixed       calculated approx
local                tunable     calculated approx
local                discrete    calculated exact approx
local                continuous  calculated exact approx
`

func TestCheck_CombinationsOfAttributes(t *testing.T) {
	for _, row := range strings.Split(strings.TrimSpace(allowedAttributes), "\n") {
		cells := strings.Fields(row)
		for _, initial := range []string{"none", "exact", "approx", "calculated"} {
			v := fmu.Variable{Name: "x", Type: fmi.Real, Causality: fmi.Causality(cells[0]),
				Variability: fmi.Variability(cells[1])}
			if initial != "none" {
				v.Initial = fmi.Initial(initial)
			}
			if v.Initial != fmi.Calculated {
				v.Start = 0.0
			}
			d := testDefinition(newCart)
			d.Variables.Add(v)
			if strings.Contains(strings.Join(cells[2:], " "), initial) {
				require.NoError(t, d.Check(), "%s %s %s", cells[0], cells[1], initial)
				continue
			}
			require.ErrorContains(t, d.Check(),
				fmt.Sprintf("causality %q, variability %q and initial %q cannot be combined",
					cells[0], cells[1], string(v.Initial)))
		}
	}
}

func TestCheck_ReportsAllMistakesAtOnce(t *testing.T) {
	d := testDefinition(newCart)
	d.ModelName = ""
	for _, name := range []string{"first one", "second one"} {
		d.Variables.Add(fmu.Variable{Name: name})
	}
	err := d.Check()
	for _, want := range []string{"modelName", "first one", "second one"} {
		require.ErrorContains(t, err, want)
	}
}

func TestVariables_ReferencesCountUpPerType(t *testing.T) {
	table := &testDefinition(newCart).Variables
	next := map[fmi.Type]fmi.ValueReference{}
	for k, v := range table.All() {
		require.Equal(t, next[v.Type], v.Reference(fmi.FMI2), v.Name)
		require.Same(t, v, table.OfType(v.Type)[v.Index])
		require.Same(t, v, table.Referenced(fmi.FMI2, v.Type)[v.Reference(fmi.FMI2)])
		require.Same(t, v, table.Referenced(fmi.FMI3, v.Type)[v.Reference(fmi.FMI3)])
		require.Same(t, v, table.Named(v.Name))
		require.Equal(t, k, v.Position)
		next[v.Type]++
	}
	require.Nil(t, table.Named("nobody"))
}

func TestOverrideStart(t *testing.T) {
	d := testDefinition(newCart)
	require.NoError(t, d.OverrideStart(""))
	require.NoError(t, d.OverrideStart("gain=3.5\noffset=-4\nenabled=false\nlabel=a=b, c\n"))
	for name, want := range map[string]any{"gain": 3.5, "offset": int32(-4), "enabled": false,
		"label": "a=b, c"} {
		require.Equal(t, want, d.Variables.Named(name).Start)
	}
	require.NoError(t, d.OverrideStart("label="))
	require.Equal(t, "", d.Variables.Named("label").Start)
	require.NoError(t, d.Check())
}

// The core parses the overridden values that the packer formats without changing a bit.
func TestSetStart_RepeatsWhatWasFormatted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := testDefinition(newCart)
		for name, value := range map[string]any{
			"gain": rapid.Float64Range(0, 10).Draw(t, "gain"), "offset": rapid.Int32Range(-5,
				5).Draw(t, "offset"),
			"enabled": rapid.Bool().Draw(t, "enabled"), "label": rapid.String().Draw(t, "label"),
		} {
			require.NoError(t, d.SetStart(name, fmi.FormatValue(value)))
			require.Equal(t, value, d.Variables.Named(name).Start)
		}
		require.NoError(t, d.Check())
	})
}

func TestOverrideStart_Refusals(t *testing.T) {
	for lines, want := range map[string]string{
		"gain":                `start value "gain", expected name=value`,
		"gain=1\n\n":          `expected name=value`,
		"nobody=1":            `unknown variable "nobody"`,
		"gain=many":           `start value of gain: strconv.ParseFloat: parsing "many"`,
		"gain=NaN":            "start value of gain: NaN is not finite",
		"gain=11":             "start value of gain: 11 is above the maximum 10",
		"offset=6":            "start value of offset: 6 is above the maximum 5",
		"offset=3000000000":   "start value of offset: strconv.ParseInt",
		"enabled=yes":         "start value of enabled: strconv.ParseBool",
		"speed=1":             "start value of speed: this variable has none",
		"label=ok\ngain=-0.1": "start value of gain: -0.1 is below the minimum 0",
	} {
		err := testDefinition(newCart).OverrideStart(lines)
		require.ErrorIs(t, err, fmu.ErrDefinition, lines)
		require.ErrorContains(t, err, want)
	}
}

func TestResourcePath(t *testing.T) {
	for location, want := range map[string]string{
		"":                                      "",
		"file:///tmp/fmu/resources":             "/tmp/fmu/resources",
		"file:/tmp/fmu/resources":               "/tmp/fmu/resources",
		"file://localhost/tmp/fmu":              "/tmp/fmu",
		"FILE:///tmp/a%20b/%C3%BC%23%25":        "/tmp/a b/ü#%",
		"file:///tmp/a+b":                       "/tmp/a+b",
		"file:///tmp/100%/x":                    "/tmp/100%/x",
		"/tmp/a%20b":                            "/tmp/a%20b",
		"/tmp/a:b":                              "/tmp/a:b",
		`C:\fmu\resources`:                      `C:\fmu\resources`,
		"resources":                             "resources",
		"file:////tmp/fmu":                      "//tmp/fmu",
		"file:///tmp/" + strings.Repeat("a", 9): "/tmp/aaaaaaaaa",
	} {
		path, err := fmu.ResourcePath(location)
		require.NoError(t, err, location)
		require.Equal(t, want, path, location)
	}
	for _, location := range []string{"http://example.org/fmu", "fmu:/resources"} {
		_, err := fmu.ResourcePath(location)
		require.ErrorIs(t, err, fmu.ErrArgument)
		require.ErrorContains(t, err,
			fmt.Sprintf("fmuResourceLocation: wrong argument: found %q, expected a file URI",
				location))
	}
}

func TestTextOutsideItsListIsRefused(t *testing.T) {
	d := &fmu.Definition{}
	ref := d.Variables.Add(fmu.Variable{
		Name: "axes", Type: fmi.String, Causality: fmi.Parameter, Variability: fmi.Fixed,
		Initial: fmi.Exact, Start: "FRD", OneOf: []string{"FRD", "FLU"},
	})
	require.Zero(t, ref)
	require.NoError(t, d.OverrideStart("axes=FLU"))
	require.ErrorContains(t, d.OverrideStart("axes=NED"),
		`start value of axes: "NED" is not one of FRD, FLU`)
}
