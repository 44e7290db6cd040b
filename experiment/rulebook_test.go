package experiment_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/internal/rulebook"
)

// rules holds the rules of a description, and the tests that fail if one is broken: functions,
// files of command lines, or the documents in testdata/rules.txtar with that prefix, each bad and
// good.
var rules = []rulebook.Rule{
	{"N1", "the root is ExD in its namespace", []string{"N1-root", "N1-namespace"}},
	{"N2", "name, thumbnail, description, environmentModel and bibiConf stand there once",
		[]string{"N2-name", "N2-thumbnail", "N2-description", "N2-env", "N2-bibi", "N2-twice"}},
	{"N3", "configuration elements stand together, all others in any order", []string{"N3-apart", "TestRead_ChildrenInAnyOrder"}},
	{"N4", "the thumbnail has a plain name and the ending of a picture", []string{"N4-blank", "N4-ending"}},
	{"N5", "a run ends at its timeout, which may be extended", []string{"N5-text", "N5-negative", "TestRun_Timeout", "experiment_run.txtar"}},
	{"N6", "configurations have src and type, are reported if missing, and are packed",
		[]string{"N6-src", "N6-type", "TestCheck_ReportsMissingFiles", "TestPack_CarriesAllFiles"}},
	{"N7", "maturity is development or production", []string{"N7"}},
	{"N8", "environmentModel has src and one robotPose", []string{"N8-none", "N8-two", "N8-quaternion", "N8-number", "TestRead_PublicExperiments"}},
	{"N9", "visualModel has src, visualPose and perhaps scale", []string{"N9-src", "N9-pose", "N9-scale"}},
	{"N10", "bibiConf has src; processes is 1 unless given", []string{"N10-src", "N10-processes", "TestRead_ByteOrderMarkAndPrefixes"}},
	{"N11", "ids are unique in a list, and may be in both", []string{"N11-twice", "N11-empty", "N11-id", "TestRead_TheSameIDInBothLists"}},
	{"N12", "a machine is SMACH or SCXML", []string{"N12-type", "N12-other", "N12-smach", "N12-scxml"}},
	{"N13", "SCXML machines run, or are ignored if asked", []string{"experiment_rules.txtar", "TestRun_PassesWithTheBrakeAndFailsWithoutIt", "TestCheck_ReportsWhatIsNotExecuted"}},
	{"N14", "a SMACH script assigns its machine to sm or stateMachine", []string{"experiment_rules.txtar", "TestCheck_SMACHVariables", "TestCheck_ReportsWhatIsNotExecuted"}},
	{"N15", "evaluation machines decide", []string{"experiment_rules.txtar", "TestRun_PassesWithTheBrakeAndFailsWithoutIt", "experiment_run.txtar", "demo.txtar"}},
	{"N16", "cameraPose has a position and a point to look at", []string{"N16-part", "N16-number"}},
	{"N17", "rosLaunch is ignored, with a warning", []string{"N17-src", "TestCheck_ReportsWhatIsNotExecuted"}},
	{"N18", "the seed is used by all, and one that is missing is drawn and reported",
		[]string{"N18-zero", "N18-text", "TestRun_RepeatsItself", "TestWithExperiment", "experiment_run.txtar"}},
	{"N19", "physicsEngine is ode or opensim, and reaches the FMUs", []string{"N19", "TestWithExperiment"}},
	{"N20", "elements have the namespace, attributes have none", []string{"N20-attribute", "N20-element", "TestRead_ByteOrderMarkAndPrefixes"}},
}

// TestRules_EachHasItsTests: each rule has tests, and these exist.
func TestRules_EachHasItsTests(t *testing.T) {
	documents, err := os.ReadFile("testdata/rules.txtar")
	require.NoError(t, err)
	bad, pairs := map[string]bool{}, []string(nil)
	for _, m := range regexp.MustCompile(`(?m)^-- (\S+)/(bad|good)\.exc --$`).FindAllStringSubmatch(string(documents), -1) {
		if bad[m[1]] = bad[m[1]] || m[2] == "bad"; bad[m[1]] && m[2] == "good" {
			pairs = append(pairs, m[1])
		}
	}
	require.Len(t, rules, 20)
	rulebook.Check(t, rules, pairs...)
}

// TestRead_ChildrenInAnyOrder is N3: the order of all elements but configuration is free.
func TestRead_ChildrenInAnyOrder(t *testing.T) {
	parts := []string{"<name>n</name>", "<thumbnail>a.png</thumbnail>", "<description>d</description>", `<configuration src="a" type="x"/><configuration src="b" type="y"/>`,
		`<environmentModel src="e"><robotPose x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>`, `<bibiConf src="b"/>`, "<maturity>development</maturity>"}
	read := func(order []string) experiment.Description {
		d, list := experiment.Read("f", []byte(`<ExD xmlns="`+experiment.Namespace+`">`+strings.Join(order, "")+`</ExD>`), experiment.Options{Strict: true})
		require.Empty(t, list)
		return withoutPlaces(d)
	}
	want := read(parts)
	for k := range parts {
		require.Equal(t, want, read(append(append([]string{}, parts[k:]...), parts[:k]...)))
	}
}

// TestRead_TheSameIDInBothLists is N11: ids have to be unique inside each list only.
func TestRead_TheSameIDInBothLists(t *testing.T) {
	machine := `<stateMachine id="a" xsi:type="SCXMLStateMachine" src="a.scxml"/>`
	d, list := experiment.Read("f", []byte(`<ExD xmlns="`+experiment.Namespace+`" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><name>n</name><thumbnail>a.png</thumbnail>
	<description>d</description><environmentModel src="e"><robotPose x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/></environmentModel><bibiConf src="b"/>
	<experimentControl>`+machine+`</experimentControl><experimentEvaluation>`+machine+`</experimentEvaluation></ExD>`), experiment.Options{Strict: true})
	require.Empty(t, list)
	require.Equal(t, []string{"a", "a"}, []string{d.Control[0].ID, d.Evaluation[0].ID})
}

// TestCheck_SMACHVariables is N14: the names of a machine that the platform finds, and those that it
// does not find.
func TestCheck_SMACHVariables(t *testing.T) {
	for script, want := range map[string]string{
		"sm = StateMachine()\n":                       "",
		"import smach\nstateMachine = StateMachine()": "",
		"state_machine = StateMachine()\n":            "N14 warning c.exd calls its machine state_machine; the platform finds sm and stateMachine only",
		"machine = StateMachine()\n":                  "N14 warning c.exd has no global variable sm or stateMachine",
		"def f():\n  sm = StateMachine()\n":           "N14 warning c.exd has no global variable sm or stateMachine",
		"sm == StateMachine()\n":                      "N14 warning c.exd has no global variable sm or stateMachine",
	} {
		files := folder()
		files["c.exd"].Data = []byte(script)
		_, list := experiment.Check("demo.exc", []byte(described), files, experiment.CheckOptions{})
		var lines []string
		for _, line := range found(list) {
			if strings.HasPrefix(line, "N14") && !strings.Contains(line, "cannot be executed here") {
				lines = append(lines, line)
			}
		}
		require.Equal(t, want, strings.Join(lines, "\n"), "%q", script)
	}
}
