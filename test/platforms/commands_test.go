package platforms

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withoutFMUs holds command lines that start no FMU. Files that some of them write are inputs of
// later ones.
var withoutFMUs = []string{
	"simulate motorway.xodr --actors=5 --lane-changes --duration=2 --seed=3 --trace=drive.mcap" +
		" --recording=drive.csv --picture=scene.svg --page=scene.html --json",
	"check drive.mcap drive.csv motorway.xodr waiting.exc judge.scxml ccrs.xosc sensor.fmu --json",
	"inspect drive.mcap --json",
	"inspect sensor.fmu --json",
	"inspect motorway.xodr",
	"convert drive.mcap -o views.osi",
	"convert drive.mcap --to objects -o objects.csv",
	"convert views.osi --type sv -o again.jsonl",
	"convert drive.mcap --to foxglove -o scenes.mcap",
	"repair shuffled.csv -o mended.csv",
	"repair cut.mcap -o mended.mcap",
	"repair motorway.xodr -o mended.xodr",
	"report drive.mcap -o drive.html",
	"draw drive.mcap -o drive.png",
	"draw motorway.xodr -o map.svg",
	"draw judge.scxml -o judge.svg",
	"plot drive.csv -o plot.svg",
	"metrics drive.mcap -o metrics.csv",
	"metrics drive.mcap --json",
	"run judge.scxml",
	"run waiting.exc --rng-seed 1 --report waiting.html --junit waiting.xml --json",
	"run late.exc --rng-seed 1 --json",
	"run ccrs.xosc --require 'no collision' -o ccrs.csv --json",
	"run motorway.xodr --stop-time 1 -o traffic.csv --record traffic.mcap",
	"sensors drive.csv",
	"explain EX01",
	"run cut.mcap",
}

// inputs writes the files with which the command lines start.
func inputs(t *testing.T, folder string) {
	t.Helper()
	examples := filepath.Join("..", "..", "examples")
	for name, path := range map[string]string{
		"motorway.xodr": filepath.Join(examples, "maps", "motorway.xodr"),
		"road.xodr":     filepath.Join(examples, "braking", "road.xodr"),
		"ccrs.xosc":     filepath.Join(examples, "ccrs", "ccrs.xosc"),
		"sensor.fmu":    packed(t),
	} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	for name, text := range map[string]string{
		"judge.scxml": waitingChart, "world.bibi": waitingWorld, "waiting.exc": waiting,
		"late.exc": strings.Replace(waiting, ">10<", ">0.5<", 1),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
}

const (
	waitingChart = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"
datamodel="ecmascript">
<datamodel><data id="limit" expr="1"/></datamodel>
<state id="a"><onentry><send event="done" delay="1s"/></onentry>
<transition event="done" cond="limit &lt; 2" target="success"/>
<transition event="done" target="failure"/></state>
<final id="success"/><final id="failure"/></scxml>`
	waitingWorld = `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI">
<bodyModel robotId="ego">car</bodyModel><timestep>20</timestep></bibi>`
	waiting = `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig"
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><name>waiting</name>
<description>waits</description><timeout time="simulation">10</timeout>
<environmentModel src="road.xodr">
<robotPose robotId="ego" x="60" y="-1.75" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>
<bibiConf src="world.bibi"/><experimentEvaluation>
<stateMachine id="judge" xsi:type="SCXMLStateMachine" src="judge.scxml"/>
</experimentEvaluation></ExD>`
)

// TestCommand_DoesTheSameOnWindows executes each command line on both systems: exit codes, output
// and written files are the same.
func TestCommand_DoesTheSameOnWindows(t *testing.T) {
	k := slices.IndexFunc(platforms, func(p platform) bool { return p.folder == "win64" })
	windows := platforms[k].prepare(t)
	programs := t.TempDir()
	native, foreign := filepath.Join(programs, "gosmp"), filepath.Join(programs, "gosmp.exe")
	buildCommand(t, native)
	buildCommand(t, foreign, "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	here, there := t.TempDir(), t.TempDir()
	inputs(t, here)
	inputs(t, there)
	for _, line := range withoutFMUs {
		t.Run(line, func(t *testing.T) {
			words := split(line)
			damage(t, here)
			damage(t, there)
			want, code := execute(t, exec.Command(native, words...), here)
			c := windows.process(append([]string{foreign}, words...)...)
			got, status := execute(t, c, there)
			require.Equal(t, code, status, "%s", got)
			require.Equal(t, want, got)
			written(t, here, there)
		})
	}
}

// split divides a line at blanks outside quotes.
func split(line string) (words []string) {
	quoted := false
	for part := range strings.SplitSeq(line, "'") {
		if quoted {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
		quoted = !quoted
	}
	return words
}

// damage creates inputs for repair from files that simulate has written.
func damage(t *testing.T, folder string) {
	t.Helper()
	trace, err := os.ReadFile(filepath.Join(folder, "drive.mcap"))
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "cut.mcap"), trace[:len(trace)/2], 0o600))
	recording, err := os.ReadFile(filepath.Join(folder, "drive.csv"))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(recording), "\n")
	lines[5], lines[6] = lines[6], lines[5]
	require.NoError(t, os.WriteFile(filepath.Join(folder, "shuffled.csv"),
		[]byte(strings.Join(lines, "")), 0o600))
}

func execute(t *testing.T, c *exec.Cmd, folder string) (output string, code int) {
	t.Helper()
	c.Dir = folder
	text, err := c.CombinedOutput()
	if err != nil {
		require.IsType(t, new(exec.ExitError), err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n"), c.ProcessState.ExitCode()
}

// written compares the written files in two folders.
func written(t *testing.T, here, there string) {
	t.Helper()
	var want, got []string
	for folder, list := range map[string]*[]string{here: &want, there: &got} {
		require.NoError(t, fs.WalkDir(os.DirFS(folder), ".",
			func(path string, d fs.DirEntry, err error) error {
				*list = append(*list, path)
				return err
			}))
	}
	require.Equal(t, want, got)
	for _, name := range want {
		first, err := os.ReadFile(filepath.Join(here, name))
		if err != nil {
			continue // a folder
		}
		second, err := os.ReadFile(filepath.Join(there, name))
		require.NoError(t, err)
		require.True(t, string(first) == string(second), "%s: the files differ from byte %d on",
			name, common(first, second))
	}
}
