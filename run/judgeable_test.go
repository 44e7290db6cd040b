package run_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
	"gosmp/run"
	"gosmp/scenario"
	"gosmp/scenario/play"
)

// TestOpenScenario_JudgesOnlyWithoutErrors: a scenario with an error, although a run could play it,
// is neither judged by requirements nor the world of an experiment, in a sweep either.
func TestOpenScenario_JudgesOnlyWithoutErrors(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`date="2026-11-27T08:00:00" `, ""}: "ccrs.xosc:3:3: FileHeader: not a valid scenario: " +
			"found no attribute date, expected one",
		{`name="crashed" delay="0.5" `, `name="crashed" `}: "found no attribute delay, expected one",
		{`name="stands"`, `name="crashed"`}:                "",
		{"<ParameterDeclarations>", `<ParameterDeclarations><ParameterDeclaration name="Speed" ` +
			`parameterType="double" value="1"/>`}: `found a second ParameterDeclaration "Speed"`,
	} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/ccrs")))
		for _, fmu := range []string{"radar.fmu", "aeb.fmu"} { // never opened
			require.NoError(t, os.WriteFile(filepath.Join(dir, fmu), nil, 0o600))
		}
		file := filepath.Join(dir, "ccrs.xosc")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), change[0])
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), change[0],
			change[1], 1)), 0o600))
		o := run.Defaults(file)
		s, err := run.OpenScenario(o)
		require.NoError(t, err, "without requirements, it plays")
		require.NoError(t, s.Close())

		if want != "" {
			requireCriterionUndecided(t, file, want)
		}

		o.Require = []string{"speed >= 0"}
		o.Trajectories = filepath.Join(t.TempDir(), "older.csv")
		require.NoError(t, os.WriteFile(o.Trajectories, []byte("older"), 0o600))
		s, err = run.OpenScenario(o)
		kept, failed := os.ReadFile(o.Trajectories)
		require.NoError(t, failed)
		require.Equal(t, want != "", string(kept) == "older", "only a run that is refused keeps it")
		_, world := run.OpenExperiment(run.Defaults(filepath.Join(dir, "judged.exc")))
		row := run.Case(t.Context(), run.CaseOptions{File: filepath.Join(dir, "judged.exc")})
		require.Equal(t, run.Faulty, row.Outcome)
		if want == "" {
			require.NoError(t, err)
			require.NoError(t, s.Close())
			require.NotErrorIs(t, world, scenario.ErrDocument)
			continue
		}
		for _, text := range []string{err.Error(), world.Error(), row.Cause} {
			require.Contains(t, text, want)
			require.Contains(t, text, "a scenario with errors can be run, but not judged")
		}
		require.ErrorIs(t, err, scenario.ErrDocument)
		require.Equal(t, 2, run.ExitCode(err))
		require.Equal(t, 2, run.ExitCode(world))
	}
}

// TestOpenExperiment_JudgesItsScenarioWithItsSettings: whether a scenario has errors is decided with
// the values of a run, not with those that the document declares, and the inputs are the files that
// these values name.
func TestOpenExperiment_JudgesItsScenarioWithItsSettings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../examples/ccrs", name))
		require.NoError(t, err)
		return string(text)
	}
	scene := read("ccrs.xosc")
	before, rest, _ := strings.Cut(scene, `<Vehicle name="hatchback"`)
	vehicle, after, found := strings.Cut(rest, "</Vehicle>")
	require.True(t, found)
	scene = before + `<CatalogReference catalogName="cars" entryName="hatchback"/>` + after
	scene = strings.Replace(scene, "<CatalogLocations/>", `<CatalogLocations><VehicleCatalog>`+
		`<Directory path="$Cars"/></VehicleCatalog></CatalogLocations>`, 1)
	const version = `<OpenSCENARIO><FileHeader revMajor="1" revMinor="VERSION" ` +
		`date="2026-11-27T08:00:00" author="gosmp" description="cars"/><Catalog name="cars">` +
		`<Vehicle name="hatchback"`
	for folder, minor := range map[string]string{"good": "3", "bad": "0"} { // 1.0 needs Properties
		write(folder+"/cars.xosc", strings.Replace(version, "VERSION", minor, 1)+vehicle+
			"</Vehicle></Catalog></OpenSCENARIO>")
		write(folder+".xosc", strings.Replace(scene, "<ParameterDeclarations>",
			`<ParameterDeclarations><ParameterDeclaration name="Cars" parameterType="string" `+
				`value="`+folder+`"/>`, 1))
		write(folder+".exc", strings.NewReplacer("ccrs.xosc", folder+".xosc", "judged", "none").
			Replace(read("judged.exc")))
	}
	write("none.bibi", `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI"/>`)
	write("stops.scxml", read("stops.scxml"))
	write("road.xodr", read("road.xodr"))
	for _, declared := range []string{"good", "bad"} {
		file := filepath.Join(dir, declared+".exc")
		for _, set := range []string{"good", "bad", ""} {
			o := run.Defaults(file)
			if set != "" {
				o.Set = []trial.Setting{{Name: "Cars", Value: set}}
			}
			used := cmp.Or(set, declared)
			row := run.Case(t.Context(), run.CaseOptions{File: file, Set: o.Set})
			e, err := run.OpenExperiment(o)
			if used == "bad" {
				require.ErrorContains(t, err, "bad/cars.xosc:1:")
				require.ErrorIs(t, err, scenario.ErrDocument)
				require.Equal(t, run.Faulty, row.Outcome)
				continue
			}
			require.NoError(t, err)
			v, err := e.Run(t.Context())
			require.NoError(t, errors.Join(err, e.Close()))
			require.Equal(t, "failed", v.Outcome, "nothing brakes")
			require.Equal(t, "failed", row.Outcome)
			var files []string
			for _, in := range v.Inputs {
				files = append(files, in.File)
			}
			require.Contains(t, files, "good/cars.xosc")
			require.NotContains(t, files, "bad/cars.xosc")
		}
	}
}

// requireCriterionUndecided requires that a criterion in the document leaves its run undecided.
func requireCriterionUndecided(t *testing.T, file, want string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	const last = "</StopTrigger>"
	require.Contains(t, string(text), last)
	judged := filepath.Join(filepath.Dir(file), "criterion.xosc")
	require.NoError(t, os.WriteFile(judged, []byte(strings.Replace(string(text), last,
		`<ConditionGroup><Condition name="criteria_DrivenDistanceTest" delay="0" conditionEdge="rising">`+
			`<ByValueCondition><ParameterCondition parameterRef="distance_success" `+
			`rule="lessThan" value="1"/>`+
			`</ByValueCondition></Condition></ConditionGroup>`+last, 1)), 0o600))
	s, err := run.OpenScenario(run.Defaults(judged))
	require.NoError(t, err)
	r, err := s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, play.Undecided, r.Outcome)
	require.Equal(t, 1, r.ExitCode)
	require.Contains(t, r.Cause, strings.TrimPrefix(want, "ccrs.xosc:3:3: "))
}
