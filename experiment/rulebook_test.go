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

// rules holds the rules of a description, and for each rule the tests that fail if it is broken:
// functions, script files, or the valid and invalid documents in testdata/rules.txtar with that
// prefix.
var rules = []rulebook.Rule{
	{"EX01", "the root is ExD in its namespace", []string{"EX01-root", "EX01-namespace"}},
	{"EX02", "name, thumbnail, description, environmentModel and bibiConf stand there once",
		[]string{"EX02-name", "EX02-thumbnail", "EX02-description", "EX02-env", "EX02-bibi",
			"EX02-twice"}},
	{"EX03", "configuration elements stand together, all others in any order",
		[]string{"EX03-apart", "TestRead_ChildrenInAnyOrder"}},
	{"EX04", "the thumbnail has a plain name and the ending of a picture", []string{"EX04-blank",
		"EX04-ending"}},
	{"EX05", "a run ends at its timeout, which may be extended", []string{"EX05-text",
		"EX05-negative", "TestRun_Timeout", "experiment_run.txtar"}},
	{"EX06", "configurations have src and type, are reported if missing, and are packed",
		[]string{"EX06-src", "EX06-type", "TestCheck_ReportsMissingFiles",
			"TestPack_CarriesAllFiles"}},
	{"EX07", "maturity is development or production", []string{"EX07"}},
	{"EX08", "environmentModel has src and one robotPose", []string{"EX08-none", "EX08-two",
		"EX08-quaternion", "EX08-number", "TestRead_PublicExperiments"}},
	{"EX09", "visualModel has src, visualPose and perhaps scale", []string{"EX09-src", "EX09-pose",
		"EX09-scale"}},
	{"EX10", "bibiConf has src; processes is 1 unless given", []string{"EX10-src", "EX10-processes",
		"TestRead_ByteOrderMarkAndPrefixes"}},
	{"EX11", "ids are unique in a list, and may be in both", []string{"EX11-twice", "EX11-empty",
		"EX11-id", "TestRead_TheSameIDInBothLists"}},
	{"EX12", "a machine is SMACH or SCXML", []string{"EX12-type", "EX12-other", "EX12-smach",
		"EX12-scxml"}},
	{"EX13", "SCXML machines run, or are ignored if asked", []string{"experiment_rules.txtar",
		"TestRun_PassesWithTheBrakeAndFailsWithoutIt", "TestCheck_ReportsWhatIsNotExecuted"}},
	{"EX14", "a SMACH script assigns its machine to sm or stateMachine",
		[]string{"experiment_rules.txtar", "TestCheck_SMACHVariables",
			"TestCheck_ReportsWhatIsNotExecuted"}},
	{"EX15", "evaluation machines decide", []string{"experiment_rules.txtar",
		"TestRun_PassesWithTheBrakeAndFailsWithoutIt", "experiment_run.txtar", "demo.txtar"}},
	{"EX16", "cameraPose has a position and a point to look at", []string{"EX16-part",
		"EX16-number"}},
	{"EX17", "rosLaunch is ignored, with a warning", []string{"EX17-src",
		"TestCheck_ReportsWhatIsNotExecuted"}},
	{"EX18", "the seed is used by all, and one that is missing is drawn and reported",
		[]string{"EX18-zero", "EX18-text", "TestRun_RepeatsItself", "TestWithExperiment",
			"experiment_run.txtar"}},
	{"EX19", "physicsEngine is ode or opensim, and reaches the FMUs", []string{"EX19",
		"TestWithExperiment"}},
	{"EX20", "elements have the namespace, attributes have none", []string{"EX20-attribute",
		"EX20-element", "TestRead_ByteOrderMarkAndPrefixes"}},
}

// TestRules_EachHasItsTests: each rule has tests, and they exist.
func TestRules_EachHasItsTests(t *testing.T) {
	documents, err := os.ReadFile("testdata/rules.txtar")
	require.NoError(t, err)
	bad, pairs := map[string]bool{}, []string(nil)
	for _, m := range regexp.MustCompile(`(?m)^-- (\S+)/(bad|good)\.exc --$`).FindAllStringSubmatch(
		string(documents), -1) {
		if bad[m[1]] = bad[m[1]] || m[2] == "bad"; bad[m[1]] && m[2] == "good" {
			pairs = append(pairs, m[1])
		}
	}
	require.Len(t, rules, 20)
	rulebook.Check(t, rules, pairs...)
}

// TestRead_ChildrenInAnyOrder tests EX03: all elements except configuration may come in any order.
func TestRead_ChildrenInAnyOrder(t *testing.T) {
	parts := []string{"<name>n</name>", "<thumbnail>a.png</thumbnail>",
		"<description>d</description>",
		`<configuration src="a" type="x"/><configuration src="b" type="y"/>`,
		`<environmentModel src="e"><robotPose x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/>` +
			`</environmentModel>`, `<bibiConf src="b"/>`, "<maturity>development</maturity>"}
	read := func(order []string) experiment.Description {
		d, list := experiment.Read("f", []byte(`<ExD xmlns="`+experiment.Namespace+`">`+
			strings.Join(order, "")+`</ExD>`), experiment.Options{Strict: true})
		require.Empty(t, list)
		return withoutPlaces(d)
	}
	want := read(parts)
	for k := range parts {
		require.Equal(t, want, read(append(append([]string{}, parts[k:]...), parts[:k]...)))
	}
}

// TestRead_TheSameIDInBothLists tests EX11: ids only have to be unique within each list.
func TestRead_TheSameIDInBothLists(t *testing.T) {
	machine := `<stateMachine id="a" xsi:type="SCXMLStateMachine" src="a.scxml"/>`
	d, list := experiment.Read("f", []byte(`<ExD xmlns="`+experiment.Namespace+
		`" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><name>n</name><thumbnail>a.png</thumbnail>
	<description>d</description><environmentModel src="e"><robotPose x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/></environmentModel><bibiConf src="b"/>
	<experimentControl>`+machine+`</experimentControl><experimentEvaluation>`+machine+
		`</experimentEvaluation></ExD>`), experiment.Options{Strict: true})
	require.Empty(t, list)
	require.Equal(t, []string{"a", "a"}, []string{d.Control[0].ID, d.Evaluation[0].ID})
}

// TestCheck_SMACHVariables tests EX14: the machine names that the platform finds and the ones that
// it does not.
func TestCheck_SMACHVariables(t *testing.T) {
	for script, want := range map[string]string{
		"sm = StateMachine()\n":                       "",
		"import smach\nstateMachine = StateMachine()": "",
		"state_machine = StateMachine()\n": "EX14 warning c.exd calls its machine state_machine; " +
			"the platform finds only sm and stateMachine",
		"machine = StateMachine()\n": "EX14 warning c.exd has no global variable sm " +
			"or stateMachine",
		"def f():\n  sm = StateMachine()\n": "EX14 warning c.exd has no global variable sm " +
			"or stateMachine",
		"sm == StateMachine()\n": "EX14 warning c.exd has no global variable sm or stateMachine",
	} {
		files := folder()
		files["c.exd"].Data = []byte(script)
		_, list := experiment.Check("demo.exc", []byte(described), files, experiment.CheckOptions{})
		var lines []string
		for _, line := range found(list) {
			if strings.HasPrefix(line, "EX14") && !strings.Contains(line,
				"gosmp cannot execute") {
				lines = append(lines, line)
			}
		}
		require.Equal(t, want, strings.Join(lines, "\n"), "%q", script)
	}
}
