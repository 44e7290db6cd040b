package main

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
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
			// the test binary, under the name that TestMain gives it
			program, err := exec.LookPath("gosmp")
			e.Setenv("GOSMP", program)
			// an incomplete go.mod or go.sum would change, which the scripts detect
			e.Setenv("GOFLAGS", "-mod=mod")
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

// root returns the folder of gosmp's module.
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
