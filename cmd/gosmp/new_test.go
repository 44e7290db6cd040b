package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/scaffold"
)

// TestNew runs the scripts in testdata/new: the modules that gosmp new writes must build and pass
// their own tests without a network.
func TestNew(t *testing.T) {
	scripts, err := filepath.Glob("testdata/new/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root(t))
			program, err := exec.LookPath("gosmp") // the test binary, under the name that TestMain gives it
			e.Setenv("GOSMP", program)
			e.Setenv("GOFLAGS", "-mod=mod") // an incomplete go.mod or go.sum would change, which the scripts detect
			e.Setenv("NETWORK", goenv(t, "GOPROXY"))
			for _, v := range offline(t) {
				name, value, _ := strings.Cut(v, "=")
				e.Setenv(name, value)
			}
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"unpack": unpack},
	})
}

// root is the folder of gosmp's module.
func root(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../..")
	require.NoError(t, err)
	return folder
}

// offline returns settings that restrict the go command to local files.
func offline(t *testing.T) []string {
	t.Helper()
	list := []string{"GOPROXY=off", "GOWORK=off"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		list = append(list, name+"="+goenv(t, name))
	}
	return list
}

// goenv returns a setting of the go command.
func goenv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(value))
}

// unpack writes the modelDescription.xml of an FMU into the current folder: unpack FILE.fmu.
func unpack(ts *testscript.TestScript, _ bool, arguments []string) {
	z, err := zip.OpenReader(ts.MkAbs(arguments[0]))
	ts.Check(err)
	defer func() { ts.Check(z.Close()) }()
	f, err := z.Open("modelDescription.xml")
	ts.Check(err)
	text, err := io.ReadAll(f)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("modelDescription.xml"), text, 0o600))
}

func TestQuestionsTakeDefaultsAndAskAgain(t *testing.T) {
	for name, c := range map[string]struct {
		answers string
		given   int
		kind    string
		inputs  int
		output  string
	}{
		"defaults":    {"\n\n", 0, "sensor", 1, "SensorView inputs [1]: "},
		"answers":     {"logical\n4\n", 0, "logical", 4, "SensorData inputs [2]: "},
		"blanks":      {"  plain \n 3 \n", 0, "plain", 3, "Real inputs [1]: "},
		"wrong":       {"radar\nsensor\nmany\n0\n2\n", 0, "sensor", 2, `expected a number from 1 on, found "many"`},
		"hint":        {"radar\n\n\n", 0, "sensor", 1, "[sensor]: expected sensor, logical, environment, traffic, plain\n"},
		"given count": {"traffic\n", 5, "traffic", 5, "TrafficCommand in, TrafficUpdate out"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			r := scaffold.Request{Inputs: c.given}
			require.NoError(t, ask(strings.NewReader(c.answers), &out, &r))
			require.Equal(t, c.kind, r.Kind)
			require.Equal(t, c.inputs, r.Inputs)
			require.Contains(t, out.String(), c.output)
		})
	}
}

// The end of the input does not count as an answer, at any question or after a wrong answer.
func TestQuestionsWithoutAnswersCancel(t *testing.T) {
	for _, answers := range []string{"", "\n", "logical\n", "plain", "radar\n", "sensor\nmany\n"} {
		var out bytes.Buffer
		require.ErrorIs(t, ask(strings.NewReader(answers), &out, &scaffold.Request{}), errCancelled, "%q", answers)
		require.Regexp(t, `: \n$`, out.String(), "the following text starts on a new line")
	}
	require.NoError(t, ask(strings.NewReader("plain\n2"), io.Discard, &scaffold.Request{}), "a line feed may be missing")
}

func TestNullDeviceAndFilesAreNotTerminals(t *testing.T) {
	for _, path := range []string{os.DevNull, "new.go"} {
		f, err := os.Open(path)
		require.NoError(t, err)
		require.False(t, isTerminal(f), path)
		require.NoError(t, f.Close())
	}
}
