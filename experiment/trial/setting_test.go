package trial_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/timebase"
)

// settings parses texts of the form NAME=VALUE.
func settings(t *testing.T, texts ...string) (list []trial.Setting) {
	t.Helper()
	for _, text := range texts {
		s, err := trial.ParseSetting(text)
		require.NoError(t, err)
		list = append(list, s)
	}
	return list
}

// withStrength turns the brake force of the car ahead into a data element of the chart.
var withStrength = []string{
	`initial="waiting">`,
	`initial="waiting" datamodel="ecmascript"><datamodel><data id="strength" expr="0.8"/>` +
		`</datamodel>`,
	`<param name="brake" expr="0.8"/>`, `<param name="brake" expr="strength"/>`,
}

// TestSettings_Apply: a setting has the effect of the same value in the file.
func TestSettings_Apply(t *testing.T) {
	run := func(set []trial.Setting, changes ...string) *trial.Verdict {
		v, err := open(t, files(t, true, changes...), trial.Options{Set: set}).Run(t.Context())
		require.NoError(t, err)
		return v
	}
	original := run(nil, withStrength...)
	for text, change := range map[string][2]string{
		"lead.x=60":            {`robotId="lead" x="50"`, `robotId="lead" x="60"`},
		"traffic.strength=0.5": {`id="strength" expr="0.8"`, `id="strength" expr="0.5"`},
		"timeout=6":            {`simulation">30`, `simulation">6`},
	} {
		byFile := run(nil, append([]string{change[0], change[1]}, withChange(change)...)...)
		bySetting := run(settings(t, text), withStrength...)
		require.NotEqual(t, original.TraceHash, bySetting.TraceHash, text)
		require.Equal(t, byFile.TraceHash, bySetting.TraceHash, text)
		require.Equal(t, byFile.Outcome, bySetting.Outcome, text)
		require.Equal(t, []string{text}, bySetting.Set)
		require.Equal(t, "gosmp run demo.exc --rng-seed 1 --set "+text, bySetting.Command)
	}
}

// withChange returns withStrength with a change in its texts.
func withChange(change [2]string) (list []string) {
	for k, text := range withStrength {
		if k == 1 && change[0] == `id="strength" expr="0.8"` {
			text = `initial="waiting" datamodel="ecmascript"><datamodel>` +
				`<data id="strength" expr="0.5"/></datamodel>`
		}
		list = append(list, text)
	}
	return list
}

// A timeout beyond the largest time never elapses.
func TestSettings_EndlessTimeout(t *testing.T) {
	v, err := open(t, files(t, false), trial.Options{Default: timebase.Second, Set: settings(t,
		"timeout=1e12")}).Run(t.Context())
	require.NoError(t, err)
	short, err := open(t, files(t, false), trial.Options{Set: settings(t, "timeout=3600")}).Run(
		t.Context())
	require.NoError(t, err)
	require.Equal(t, short.TraceHash, v.TraceHash)
}

// TestSettings_StartValues: start values reach the FMU of a BIBI document; if a name is set several
// times, only the last setting does.
func TestSettings_StartValues(t *testing.T) {
	var got []experiment.StartValue
	fmu := func(p experiment.Participant) (trial.Maker, error) {
		got = p.Start
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant,
			error) {
			return newBrake(), nil
		}}, nil
	}
	_, err := open(t, files(t, true), trial.Options{FMU: fmu, Set: settings(t, "aeb.gain=1",
		"aeb.gain=2", "aeb.mode=a=b")}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []experiment.StartValue{{Name: "gain", Value: "2"}, {Name: "mode",
		Value: "a=b"}}, got)
}

func TestSettings_Refused(t *testing.T) {
	for text, expected := range map[string]string{
		"nothing.x=1": `found "nothing.x", which is no parameter of the experiment, expected ego.x, lead.x, ` +
			`aeb.VARIABLE, traffic.strength`,
		"lead.speed=1":         "x, y, z, roll, pitch or yaw of a vehicle",
		"lead.x=far":           "a finite number",
		"lead.x=NaN":           "a finite number",
		"timeout=0":            "seconds above 0",
		"traffic.weakness=0.5": `"weakness", which is not data of the top level of traffic`,
	} {
		m := files(t, true, withStrength...)
		_, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
			Set: settings(t, text)})
		require.ErrorIs(t, err, trial.ErrInvalid, text)
		require.ErrorContains(t, err, expected, text)
		require.ErrorContains(t, err, text)
	}
	for _, text := range []string{"", "x", "=1"} {
		_, err := trial.ParseSetting(text)
		require.ErrorIs(t, err, trial.ErrInvalid)
	}
}

// Names may contain dots: names of vehicles, of FMUs, and of variables in connections and in
// charts.
func TestSettings_NamesWithDots(t *testing.T) {
	dotted := []string{`robotId="lead"`, `robotId="car.1"`, `'lead'`, `'car.1'`, `actors.lead.x`,
		`actors['car.1'].x`, `from="lead.`, `from="car.1.`, `name="aeb"`, `name="car.1.b"`,
		`to="aeb.`, `to="car.1.b.`, `from="aeb.`, `from="car.1.b.`, `robotId="ego"`,
		`robotId="car"`, `'ego'`, `'car'`, `actors.ego.`, `actors.car.`, `"data.ego.speed"`,
		`"data.car.speed"`, `from="ego.`, `from="car.`, `to="ego.`, `to="car.`}
	named := func(changes ...string) fstest.MapFS {
		m := files(t, true)
		for _, f := range m {
			f.Data = []byte(strings.NewReplacer(changes...).Replace(string(f.Data)))
		}
		return m
	}
	var got []experiment.StartValue
	run := func(m fstest.MapFS, texts ...string) *trial.Verdict {
		fmu := func(p experiment.Participant) (trial.Maker, error) {
			got = p.Start
			return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
				return newBrake(), nil
			}}, nil
		}
		v, err := open(t, m, trial.Options{FMU: fmu, Set: settings(t, texts...)}).Run(t.Context())
		require.NoError(t, err)
		return v
	}
	plain, same := run(named()), run(named(dotted...))
	require.Equal(t, plain.Outcome, same.Outcome)
	require.Equal(t, plain.Time, same.Time)
	require.Equal(t, plain.Steps, same.Steps)
	far := run(named(), "lead.x=60")
	require.NotEqual(t, plain.Time, far.Time)
	require.Equal(t, far.Time, run(named(dotted...), "car.1.x=60", "car.1.b.gain.of=2").Time)
	require.Equal(t, []experiment.StartValue{{Name: "gain.of", Value: "2"}}, got)
	m := named(dotted...)
	_, findings := experiment.Check("demo.exc", m["demo.exc"].Data, m, experiment.CheckOptions{})
	for _, f := range findings {
		require.NotEqual(t, "BI04", f.ID, f.Message)
	}
}
