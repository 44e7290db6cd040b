package run

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
)

// kinds returns a run of each kind, with a name.
func kinds() map[string]Options {
	all := map[string]Options{"FMUs": Defaults("a.fmu", "b.fmu"), "map": Defaults("a.xodr"),
		"both": Defaults("a.xodr", "b.fmu"), "chart": Defaults("a.scxml"),
		"experiment": Defaults("a.exc"), "scenario": Defaults("a.xosc")}
	for name, model := range map[string]string{"FMU": "a.fmu", "program": "exec:driver"} {
		o := Defaults("a.xosc")
		o.SUT = []Assignment{{"ego", model}}
		all["scenario with an "+name] = o
	}
	recorded := Defaults("a.xosc")
	recorded.Record = "a.mcap"
	all["recorded scenario"] = recorded
	return all
}

// TestCheck_OptionsWithoutEffect: each option is accepted only by the kinds of runs on which it has
// an effect, and the error names the option.
func TestCheck_OptionsWithoutEffect(t *testing.T) {
	everything := map[string]bool{}
	for name, base := range kinds() {
		require.NoError(t, base.Check(), name)
		used := base.users()
		for _, field := range reflect.VisibleFields(reflect.TypeFor[Options]()) {
			value, is := samples()[field.Type]
			if !is {
				continue
			}
			o := base
			reflect.ValueOf(&o).Elem().FieldByName(field.Name).Set(reflect.ValueOf(value))
			o.OutputFile, o.Trajectories = base.OutputFile, base.Trajectories
			for _, x := range options {
				if !x.given(&o) || x.given(&base) || o.users() != used {
					continue // or the option changes the kind of run
				}
				everything[x.name] = true
				if err := o.Check(); x.users&used == 0 {
					require.ErrorContains(t, err, x.name, name)
				} else if err != nil { // the sample may be no valid value, or need another option
					require.ErrorContains(t, err, x.name, name)
				}
			}
		}
	}
	require.Greater(t, len(everything), len(options)-15)
}

// TestCheck_Dependent: an option that has an effect only together with another one is refused
// without it, in each kind of run that has both.
func TestCheck_Dependent(t *testing.T) {
	half := 0.5
	set := map[string]func(*Options){
		"--output-format":         func(o *Options) { o.OutputFormat = "csv" },
		"--array-columns":         func(o *Options) { o.ArrayColumns = true },
		"--output-interval":       func(o *Options) { o.OutputInterval = &half },
		"--output-variable":       func(o *Options) { o.OutputVariables = []string{"x"} },
		"--record-only":           func(o *Options) { o.RecordOnly = []string{"x"} },
		"--log-category":          func(o *Options) { o.LogCategories = []string{"x"} },
		"--allow-origin":          func(o *Options) { o.Access.Origins = []string{"x"} },
		"--allow-driving-from":    func(o *Options) { o.Access.Driving = []string{"x"} },
		"--token":                 func(o *Options) { o.Access.Token = "x" },
		"--tls-cert":              func(o *Options) { o.Access.Certificate = "x" },
		"--tls-key":               func(o *Options) { o.Access.Key = "x" },
		"--set-input-derivatives": func(o *Options) { o.InputDerivatives = true },
		"--start-from":            func(o *Options) { o.StartFrom = StartFromFMU },
		"--dismissed":             func(o *Options) { o.Dismissed = DismissedFail },

		"--output-file":  func(o *Options) { o.OutputFile = "a.csv" },
		"--trajectories": func(o *Options) { o.Trajectories = "a.csv" },
		"--record":       func(o *Options) { o.Record = "a.mcap" },
		"--logging-on":   func(o *Options) { o.LoggingOn = true },
		"--bridge":       func(o *Options) { o.Bridge = "a.json" },
		"--input-file":   func(o *Options) { o.InputFile = "a.csv" },
		"--drive":        func(o *Options) { o.Drive = []Assignment{{"ego", "a.fmu"}} },
		"--sut":          func(o *Options) { o.SUT = []Assignment{{"ego", "a.fmu"}} },
	}
	tried := 0
	for kind, base := range kinds() {
		for _, d := range dependent {
			for _, name := range d.options {
				o := base
				set[name](&o)
				usable := o.usable()
				_, has := usable[name]
				satisfied := slices.ContainsFunc(d.others, func(other string) bool {
					return slices.Contains(base.given(func(users) bool { return true }), other)
				})
				if !has || d.of&o.users() == 0 || satisfied {
					continue
				}
				tried++
				require.ErrorContains(t, o.Check(), name+": found no --", kind)
				for _, other := range d.others {
					if _, has := usable[other]; has {
						both := o
						set[other](&both)
						require.NoError(t, both.Check(), "%s: %s %s", kind, name, other)
					}
				}
			}
		}
	}
	require.Greater(t, tried, 50)
}

// TestCheck_StepOfFMU: a scenario without models has no FMU that could have a step of its own.
func TestCheck_StepOfFMU(t *testing.T) {
	o := Defaults("a.xosc")
	o.StepSizes = map[string]float64{"x": 0.1}
	require.EqualError(t, o.Check(), "--step-size: found the step of an FMU and a.xosc, a scenario "+
		"without a model, expected the step of the scenario, such as 0.01")
	o.SUT = []Assignment{{"ego", "a.fmu"}}
	require.NoError(t, o.Check())
	require.Equal(t, "gosmp run a.xosc --sut ego=a.fmu --step-size x=0.1", o.repetition())
}

// TestCheck_HalveWithBridge: the messages of the second run must not follow those of the first one.
func TestCheck_HalveWithBridge(t *testing.T) {
	o := Defaults("a.xosc")
	o.Halve, o.Bridge = true, "a.json"
	require.EqualError(t, o.Check(), "--halve: found --bridge, expected one of them: the second "+
		"run would send its messages, too")
	o.Bridge = ""
	require.NoError(t, o.Check())
}

// TestCase_RefusesOptionsWithoutEffect: a run of a sweep does not accept an option, such as a
// requirement, that would be ignored.
func TestCase_RefusesOptionsWithoutEffect(t *testing.T) {
	for file, list := range map[string][]trial.Setting{
		"a.fmu": {{Name: "--require", Value: "no collision"}, {Name: "--map", Value: "a.xodr"},
			{Name: "--duration", Value: "1"}, {Name: "--drive", Value: "ego=b.fmu"}},
		"a.xosc": {{Name: "--stop-time", Value: "1"}, {Name: "--rollback", Value: "true"},
			{Name: "--step-size", Value: "x=1"}, {Name: "--tolerance", Value: "1"}},
	} {
		for _, x := range list {
			c := CaseOptions{File: filepath.Join(t.TempDir(), file), Set: []trial.Setting{x}}
			require.ErrorContains(t, TryCase(c), x.Name+": found ", file)
			row := Case(t.Context(), c)
			require.Equal(t, Faulty, row.Outcome)
			require.Contains(t, row.Cause, x.Name+": found ")
		}
	}
}
