package host_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/timebase"
)

// views writes SensorViews of motorway traffic, each preceded by its size, for programs that feed
// the FMU.
func views(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	for k := range n {
		message, err := proto.MarshalOptions{Deterministic: true}.Marshal(scene.Motorway(
			timebase.Time(k * 20_000_000)))
		require.NoError(t, err)
		require.NoError(t, binary.Write(&b, binary.LittleEndian, uint32(len(message))))
		b.Write(message)
	}
	path := filepath.Join(t.TempDir(), "views.osi")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// excerpt writes rows of the bundled recording without an end row: it is played in a loop.
func (i importer) excerpt(t *testing.T, first, rows int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(i.folder, "resources", "scenario.csv"))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	path := filepath.Join(t.TempDir(), "excerpt.csv")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[first:first+rows], "")), 0o600))
	return path
}

// outputs lists everything that can be read after a step, except addresses, in the format that
// states.c reads.
func (d description) outputs() string {
	var b strings.Builder
	for k := range d.Variables {
		v := &d.Variables[k]
		if (v.Causality == "output" || v.Causality == "calculatedParameter") &&
			!strings.Contains(v.Name, ".base.") {
			b.WriteString(kind(v) + " " + reference(v) + "\n")
		}
	}
	return b.String()
}

// TestStates_SameFutureFromEverywhere saves a state in each state of the slave: in the middle of
// the third round of a recording, with a SensorView connected and both output buffers live, and
// elsewhere. It restores it from every state in the same instance, in another one and in another
// process, and requires the same bytes of every output in every following step.
func TestStates_SameFutureFromEverywhere(t *testing.T) {
	i := newImporter(t)
	program, folder := compile(t, "states.c"), t.TempDir()
	// a bit less than two seconds, so that 230 steps end in the third round
	recording := i.excerpt(t, 0, 400)
	words := []string{i.InstantiationToken, i.resources(), i.library(i.binaries()), recording,
		i.excerpt(t, 3000, 700), views(t, 60), folder}
	for _, part := range []struct {
		command string
		all     string
	}{
		// 5 states x (at once + 5 + 5), and once the addresses of the messages
		{"save", "56 of 56"},
		{"load", "30 of 30"},
	} {
		c := exec.Command(program, append([]string{part.command}, words...)...)
		c.Stdin = strings.NewReader(i.outputs())
		output, err := c.CombinedOutput()
		require.NoError(t, err, string(output))
		require.Regexp(t, "(?m)^"+part.all+"$", string(output))
		require.NotContains(t, string(output), "DIFFERENT")
		t.Log(part.command + ": " + part.all)
	}
	text, err := os.ReadFile(filepath.Join(folder, "C.future"))
	require.NoError(t, err)
	require.Greater(t, len(text), 200_000)
	s := i.script(t).new("rounds", true).set("replay.scenarioFile", recording).initialize().steps(
		0, 230)
	answers := s.get("replay.loops").good(t)
	require.Equal(t, "ok 2", answers[len(answers)-1].text, "rounds before the state is taken")
}

// TestStates_DamagedAndForeignOnesAreRefused truncates a serialized state at every length and flips
// a bit in every byte; it also passes a state of another FMU. Each is refused with one line, and
// afterwards the valid one can be restored.
func TestStates_DamagedAndForeignOnesAreRefused(t *testing.T) {
	i, other := newImporter(t), newTestImporter(t)
	good, foreign := filepath.Join(t.TempDir(), "good"), filepath.Join(t.TempDir(), "foreign")
	saved := i.script(t).new("source", true).initialize().steps(0, 90).call("save",
		good).call("message").good(t)
	other.script(t).new("other", true).initialize().call("save", foreign).good(t)
	size, err := strconv.Atoi(strings.Fields(saved[len(saved)-2].text)[1])
	require.NoError(t, err)

	s := i.script(t).new("target", true)
	for n := range size {
		s.call("load", good, n, -1).call("load", good, -1, 8*n+n%8)
	}
	s.call("load", foreign, -1, -1).call("load", "/dev/null", -1, -1)
	answers := s.play(t)[1:]
	require.Len(t, answers, 2*size+2)
	for _, a := range answers {
		require.Equal(t, "error", a.text, a.call)
		require.Len(t, a.log, 1, a.call)
		require.Contains(t, a.log[0].text, "unusable state", a.call)
	}
	require.Contains(t, answers[2*size].log[0].text, other.InstantiationToken)
	s.call("load", good, -1, -1).call("message")
	answers = s.play(t)
	require.Equal(t, saved[len(saved)-1].text, answers[len(answers)-1].text)
	t.Logf("%d damaged states of %d bytes", 2*size, size)
}

// TestStates_WhileTheHostIsSettingAnInput saves a state and reads an output, which reads the
// configuration, while the three integers of an input form an invalid address because the host sets
// them one by one. Neither call follows the address.
func TestStates_WhileTheHostIsSettingAnInput(t *testing.T) {
	i := newImporter(t)
	file := filepath.Join(t.TempDir(), "state")
	s := i.script(t).new("halfway", true).call("setup", 0, "-").call("enter")
	for _, name := range []string{"OSMPSensorViewInConfig", "OSMPSensorViewIn"} {
		s.set(name+".size", 100_000).set(name+".base.lo", 4096).call("save",
			file).get("gps.latitude").set(name+".base.hi", 1<<30)
		s.call("save", file).get("gps.latitude").set(name+".base.lo", 0).set(name+".base.hi",
			0).set(name+".size", 0)
	}
	s.set("OSMPSensorViewIn.size", 100_000).set("OSMPSensorViewIn.base.lo", 4096).call("save",
		file).call("exit")
	s.call("load", file, -1, -1).call("exit").steps(0, 10).call("message")
	want := i.script(t).new("alone", true).initialize().steps(0, 10).call("message").good(t)
	answers := s.play(t)
	for _, a := range answers[:len(answers)-11] {
		require.Regexp(t, "^ok", a.text, a.call)
		require.Empty(t, a.log, a.call)
	}
	require.Equal(t, want[len(want)-1].text, answers[len(answers)-1].text)
}

// The program must be able to fail: it has to detect a changed future.
func TestStates_DifferencesAreFoundOut(t *testing.T) {
	i := newImporter(t)
	program, folder, recording := compile(t, "states.c"), t.TempDir(), i.excerpt(t, 0, 400)
	run := func(command string) (string, error) {
		c := exec.Command(program, command, i.InstantiationToken, i.resources(),
			i.library(i.binaries()), recording, recording, views(t, 60), folder)
		c.Stdin = strings.NewReader(i.outputs())
		output, err := c.CombinedOutput()
		return string(output), err
	}
	output, err := run("save")
	require.NoError(t, err, output)
	path := filepath.Join(folder, "M.future")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text[len(text)/2] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	output, err = run("load")
	require.Error(t, err)
	require.Len(t, regexp.MustCompile("(?m)^DIFFERENT: state M").FindAllString(output, -1), 6,
		output)
	require.Regexp(t, "(?m)^24 of 30$", output)
}
