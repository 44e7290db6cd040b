package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
	"gosmp/scenario"
	"gosmp/scenario/play"
)

// edited writes a scenario with texts replaced; pairs are old and new texts.
func edited(t *testing.T, replaced ...string) string {
	t.Helper()
	name := scenarioFile(t, hide)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	changed := strings.NewReplacer(replaced...).Replace(string(text))
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(name, []byte(changed), 0o600))
	return name
}

func played(t *testing.T, o Options) *play.Result {
	t.Helper()
	s, err := OpenScenario(o)
	require.NoError(t, err)
	r, err := s.Run(context.Background())
	require.NoError(t, err)
	return r
}

// TestScenarioMap: a map that the document names without an extension is found next to the document
// or in the folder of the option, and another file may replace it. The error for a map that does
// not exist points to the attribute.
func TestScenarioMap(t *testing.T) {
	name := edited(t, "<RoadNetwork/>", `<RoadNetwork><LogicFile filepath="Town99"/></RoadNetwork>`)
	roads, err := os.ReadFile("../examples/ccrs/road.xodr")
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "Town99.xodr")
	require.NoError(t, os.WriteFile(other, roads, 0o600))
	folder := filepath.Dir(name)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "Town99"), 0o700))

	o := Defaults(name)
	_, err = OpenScenario(o)
	require.ErrorIs(t, err, scenario.ErrMap)
	e := (*fault.Error)(nil)
	require.ErrorAs(t, err, &e)
	require.Equal(t, "LogicFile.filepath", e.Place.Object)
	require.Positive(t, e.Place.Column)
	require.Contains(t, err.Error(), "--map")
	d, err := scenario.Open(name)
	require.NoError(t, err)
	list := CheckScenario(d)
	require.Len(t, list, 1)
	require.Contains(t, list[0].Message, "map not found")

	for _, given := range []string{other, filepath.Dir(other)} {
		o.Map = given
		require.Equal(t, other, played(t, o).Map)
		d.Map = given
		require.Empty(t, CheckScenario(d))
	}
	o.Map = filepath.Join(folder, "no.xodr")
	_, err = OpenScenario(o)
	require.ErrorIs(t, err, scenario.ErrMap)

	beside := filepath.Join(folder, "Town99.xodr")
	require.NoError(t, os.WriteFile(beside, roads, 0o600))
	o.Map = ""
	require.Equal(t, beside, played(t, o).Map)
}

// TestScenarioMap_OfPlane: a scenario without a map uses the map of the option.
func TestScenarioMap_OfPlane(t *testing.T) {
	o := Defaults(scenarioFile(t, hide))
	o.Map = "../examples/ccrs/road.xodr"
	require.Equal(t, o.Map, played(t, o).Map)
	o.Map = "../examples/ccrs" // a folder requires the name of a map
	require.Empty(t, played(t, o).Map)
}

// TestScenario_AxesOfCARLA: positions in documents for CARLA are left-handed. Criteria in their
// StopTrigger are requirements, and do not end the run.
func TestScenario_AxesOfCARLA(t *testing.T) {
	criteria := `<StopTrigger><ConditionGroup>`
	for _, c := range [][3]string{{"criteria_CollisionTest", "", ""},
		{"criteria_DrivenDistanceTest", "distance_success", "1.5"},
		{"criteria_KeepLaneTest", "", ""}} {
		criteria += `<Condition name="` + c[0] + `" delay="0" conditionEdge="rising">` +
			`<ByValueCondition><ParameterCondition parameterRef="` + c[1] + `" value="` + c[2] +
			`" rule="lessThan"/></ByValueCondition></Condition>`
	}
	criteria += `</ConditionGroup>`
	name := edited(t, `description=""`, `description="CARLA:Walk"`, `<WorldPosition x="0" y="0"/>`,
		`<WorldPosition x="3" y="2" h="0.5"/>`, `<StopTrigger>`, criteria)
	o := Defaults(name)
	s, err := OpenScenario(o)
	require.NoError(t, err)
	require.NoError(t, s.Board().Start())
	at := s.world.State(0)
	require.InDelta(t, -2, at.Y, 1e-9)
	require.InDelta(t, -0.5, at.H-6.283185307179586, 1e-9)

	r := played(t, o)
	require.Equal(t, play.Undecided, r.Outcome) // a criterion is not judged
	require.Equal(t, 1, r.ExitCode)
	require.InDelta(t, 2, r.Time, 1e-9)
	require.Len(t, r.Verdicts, 3)
	require.Equal(t, "no collision", r.Verdicts[0].Requirement)
	require.Equal(t, "final traveled >= 1.5 m", r.Verdicts[1].Requirement)
	require.Equal(t, "criteria_KeepLaneTest", r.Verdicts[2].Requirement)
	require.True(t, r.Verdicts[2].Undecided)
	require.Regexp(t, `\.xosc:\d+:\d+: criteria_KeepLaneTest: gosmp does not judge`, r.Cause)
	d, err := scenario.Open(name)
	require.NoError(t, err)
	list := CheckScenario(d)
	require.Len(t, list, 1)
	require.Contains(t, list[0].Message, "criteria_KeepLaneTest")

	o.Set = settings("v", "0.5") // 1 m in 2 s
	require.Equal(t, play.Failed, played(t, o).Outcome)

	text, err := os.ReadFile(name)
	require.NoError(t, err)
	from := bytes.LastIndex(text, []byte("<Condition name=\"criteria_KeepLaneTest\""))
	to := from + bytes.Index(text[from:], []byte("</Condition>")) + len("</Condition>")
	require.NoError(t, os.WriteFile(name, slices.Concat(text[:from], text[to:]), 0o600))
	o.Set = nil
	require.Equal(t, play.Passed, played(t, o).Outcome)
}

// TestScenario_CriteriaAlone: a StopTrigger with only criteria counts as having no conditions.
func TestScenario_CriteriaAlone(t *testing.T) {
	name := edited(t, `<SimulationTimeCondition rule="greaterOrEqual" value="2"/>`,
		`<ParameterCondition parameterRef="" value="" rule="lessThan"/>`, `name="end"`,
		`name="criteria_OnSidewalkTest"`)
	r := played(t, Defaults(name))
	require.Equal(t, "all stories are complete", r.EndedBy)
	declared := edited(t, `<SimulationTimeCondition rule="greaterOrEqual" value="2"/>`,
		`<ParameterCondition parameterRef="v" value="2" rule="lessThan"/>`, `name="end"`,
		`name="criteria_v"`)
	require.Equal(t, "StopTrigger", played(t, Defaults(declared)).EndedBy)
}
