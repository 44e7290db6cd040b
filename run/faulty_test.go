//go:build linux && cgo

package run_test

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/internal/finding"
	"gosmp/run"
)

// fault is a fault in the files of examples/braking, with the outputs that must name it: check, and
// either all outputs of a run or the error of a refused run.
type fault struct {
	file, from, to string
	check          string // text of a finding; "" if only a run can detect the fault
	run            string
	// of the run; others would be right only with several faults of the same kind
	code int
}

const (
	exc, bibi, stops, nobody, traffic, road = "braking.exc", "braking.bibi", "stops.scxml",
		"nobody-hit.scxml", "traffic.scxml", "road.xodr"
	misspelt = "did you mean "
)

// faults generates faults from lists of things that can be misspelled, missing or broken.
func faults() (list []fault) {
	add := func(file, from, to, check, run string, code int) {
		list = append(list, fault{file, from, to, check, run, code})
	}
	// missing files
	for _, name := range []string{road, bibi, stops, nobody, traffic} {
		add(exc, `src="`+name, `src="no-`+name, "no-"+name, "no-"+name, 2)
	}
	for _, name := range []string{"OSMPDummySensor.fmu", "OSMPEmergencyBrake.fmu"} {
		add(bibi, name, "no-"+name, "no-"+name, "no-"+name, 2)
		add(bibi, name, bibi, "", "braking.bibi", 2)
	}
	// broken judges and control machines
	for _, name := range []string{stops, nobody, traffic} {
		id := strings.TrimSuffix(name, ".scxml")
		typed := `id="` + id + `" xsi:type="`
		add(exc, typed+"SCXML", typed+"SMACH", "", "did not run", 1)
		add(exc, typed+"SCXMLStateMachine", typed+"Other", "Other", "Other", 2)
		add(exc, ` src="`+name+`"`, "", "neither src", "neither src", 2)
		add(name, "</scxml>", "", "scxml", name, 2)
		add(name, "<scxml ", "<chart ", "chart", name, 2)
	}
	// both ends of connections, start values
	for from, to := range map[string]string{"ego.view": "ego.vieww",
		"sensor.OSMPSensorViewIn":  "sensor.OSMPSensorViewIm",
		"sensor.OSMPSensorDataOut": "sensor.OSMPSensorDataOu",
		"aeb.OSMPSensorDataIn":     "aeb.OSMPSensorDataI", "aeb.brake.request": "aeb.brake.requst",
		"ego.brake": "ego.brak"} {
		_, variable, _ := strings.Cut(to, ".")
		add(bibi, `"`+from+`"`, `"`+to+`"`, fmt.Sprintf("no variable %q", variable), to, 2)
		part, _, _ := strings.Cut(from, ".")
		add(bibi, `"`+from+`"`, `"x`+from+`"`, "x"+part, "x"+part, 2)
	}
	add(bibi, `to="aeb.OSMPSensorDataIn"`, `to="ego.brake"`, "BI0", "ego.brake", 2)
	add(bibi, `from="ego.view"`, `from="ego.speed"`, "BI05", "ego.speed", 2)
	add(bibi, `to="ego.brake"`, `to="ego.speed"`, "ego.speed is not an input", "ego.speed", 2)
	add(bibi, `from="ego.view" to="sensor.OSMPSensorViewIn"`,
		`from="ego.view" to="aeb.OSMPSensorDataIn"`, "BI0", "aeb.OSMPSensorDataIn", 2)
	add(bibi, "replay.enabled", "replay.enabld", misspelt, "replay.enabld", 2)
	add(bibi, `value="false"`, `value="maybe"`, "maybe", "maybe", 2)
	add(bibi, "<timestep>20", "<timestep>soon", "soon", "soon", 2)
	add(bibi, ">car<", ">cart<", "cart", "cart", 2)
	// messages of machines
	for _, event := range []string{"move", "controls", "drive"} {
		add(traffic, `event="`+event+`"`, `event="`+event+`x"`, event+"x", event+"x", 2)
	}
	add(traffic, "name: 'lead', x", "name: 'laed', x", "laed", "laed", 2)
	add(traffic, "throttle: 0.081", "throtle: 0.081", "throtle", "throtle", 2)
	add(stops, "watch.signal", "wach.signal", "wach.signal", "wach.signal", 2)
	add(stops, "'ego.speed'", "'ego.sped'", `no variable "sped"`, `no variable "sped"`, 2)
	add(stops, "above: 0.05", "abov: 0.05", "abov", "abov", 2)
	add(stops, `event="error"`, `event="data.ego.sped"`, `"data.ego.sped" never occurs`,
		"data.ego.sped", 2)
	// runs that never end or that end differently
	add(stops, `id="success"`, `id="succes"`, "success", "stops.scxml", 2)
	add(stops, "signal.crossed\" cond=\"_event.data.name == 'moving' &amp;&amp; !",
		"signal.crosed\" cond=\"_event.data.name == 'moving' &amp;&amp; !", "signal.crosed",
		"stops", 3)
	add(nobody, `event="over" target`, `event="ovre" target`, "ovre", "nobody-hit", 3)
	add(nobody, `delay="20s"`, `delay="200s"`, "", "nobody-hit", 3)
	add(nobody, `delay="20s"`, `delay="soon"`, "soon", "nobody-hit", 2)
	add(stops, "_event.data.name == 'moving' &amp;&amp; _event.data.beyond",
		"_event.data.name = = 'moving'", "SX", "stops", 2)
	add(traffic, "delay=\"5s\"", "delayexpr=\"nothing\"", "", "nothing", 3)
	add(exc, "<timeout>25", "<timeout>5", "", "timeout", 3)
	add(exc, "<timeout>25", "<timeout>soon", "soon", "soon", 2)
	add(exc, `<g:robotPose robotId="lead"`, `<g:robotPose robotId="ego"`, "ego", "ego", 2)
	add(exc, "<rngSeed>1", "<rngSeed>0", "rngSeed", "rngSeed", 2)
	add(exc, "</ExD>", "", "EX01", exc, 2)
	add(road, "</OpenDRIVE>", "", "OpenDRIVE", road, 2)
	return list
}

// unbroken returns a folder with the experiment and its FMUs.
func unbroken(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/braking")))
	for program, file := range map[string]string{"cmd/osmpdummysensor": "OSMPDummySensor.fmu",
		"examples/aeb": "OSMPEmergencyBrake.fmu"} {
		packFMU(t, program, filepath.Join(dir, file))
	}
	return dir
}

// checked returns the findings of check, as lines, and whether one of them is an error.
func checked(t *testing.T, dir string) (text string, wrong bool) {
	file := filepath.Join(dir, exc)
	document, err := os.ReadFile(file)
	require.NoError(t, err)
	_, list := experiment.Check(exc, document, os.DirFS(dir), experiment.CheckOptions{})
	if list.Count(finding.Error) == 0 {
		more, err := run.ExamineExperiment(file, nil, nil)
		require.NoError(t, err)
		list = append(list, more...)
	}
	var lines []string
	for _, f := range list {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n"), list.Count(finding.Error) > 0
}

// outputs runs the experiment, and returns the exit code and all outputs.
func outputs(t *testing.T, dir string) (code int, texts map[string]string) {
	o := run.Defaults(filepath.Join(dir, exc))
	o.JUnit, o.Report = filepath.Join(dir, "junit.xml"), filepath.Join(dir, "report.html")
	e, err := run.OpenExperiment(o)
	if err != nil {
		return run.ExitCode(err), map[string]string{"error": err.Error()}
	}
	v, err := e.Run(t.Context())
	_ = e.Close() // the verdict contains any failure
	if v.State == trial.Failed {
		return run.ExitCode(err), map[string]string{"error": err.Error()}
	}
	document, e2 := json.Marshal(v)
	require.NoError(t, e2)
	row := run.Case(t.Context(), run.CaseOptions{File: filepath.Join(dir, exc)})
	require.Equal(t, v.Outcome, row.Outcome)
	texts = map[string]string{"json": string(document), "text": v.Summary() + "\n" +
		strings.Join(append(v.Notes(), v.Warnings...), "\n")}
	if !trial.Good(v.Outcome) {
		texts["sweep"] = row.Cause + " " + row.Outcome
	}
	for _, name := range []string{o.JUnit, o.Report} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts[filepath.Base(name)] = html.UnescapeString(string(text))
	}
	return v.ExitCode(), texts
}

// TestFaults_AreNamedAndNeverGreen uses a table of experiments with one fault each. No outcome is
// too positive, check names the faults that can be detected without a run, and all outputs name the
// cause.
func TestFaults_AreNamedAndNeverGreen(t *testing.T) {
	if testing.Short() {
		t.Skip("packs two FMUs, and runs an experiment many times")
	}
	origin := unbroken(t)
	code, _ := outputs(t, origin)
	require.Zero(t, code, "without a fault it passes")
	list := faults()
	require.GreaterOrEqual(t, len(list), 60)
	for k, f := range list {
		t.Run(fmt.Sprintf("%d %s %s", k, f.file, f.to), func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(origin)))
			document, err := os.ReadFile(filepath.Join(dir, f.file))
			require.NoError(t, err)
			require.Contains(t, string(document), f.from)
			broken := strings.Replace(string(document), f.from, f.to, 1)
			require.NoError(t, os.WriteFile(filepath.Join(dir, f.file), []byte(broken), 0o600))
			text, wrong := checked(t, dir)
			require.Contains(t, text, f.check)
			code, texts := outputs(t, dir)
			require.Equal(t, wrong, code == 2, "one judgement: %s %v", text, texts)
			require.Equal(t, f.code, code, "%v", texts)
			for name, text := range texts {
				require.Contains(t, text, f.run, name)
			}
		})
	}
}

// TestExamineExperiment_NamesFaultsOfTheScenario: anything that keeps a scenario from running is a
// finding about the experiment that uses it as its world.
func TestExamineExperiment_NamesFaultsOfTheScenario(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`name="Target"`, `name="Targt"`}:                `found "Target"`,
		{`filepath="road.xodr"`, `filepath="raod.xodr"`}: "raod.xodr",
		{"$Speed/3.6", "$Sped/3.6"}:                      `did you mean "Speed"?`,
		{`entityRef="Target"/></CollisionCondition>`,
			`entityRef="Targt"/></CollisionCondition>`}: `no entity "Targt"`,
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
		list, err := run.ExamineExperiment(filepath.Join(dir, "judged.exc"), nil, nil)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "EX08", list[0].ID)
		require.Contains(t, list[0].String(), want)
		require.Contains(t, list[0].String(), "ccrs.xosc:")
	}
}
