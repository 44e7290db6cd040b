// Package scripts tests the Makefile and its scripts without a network: they create virtual
// environments only when necessary, refuse contradictory options before anything is built, and name
// the failures of a test run.
package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkout returns a copy of the scripts whose requirements are empty, so that nothing has to be
// downloaded.
func checkout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, "scripts"), os.DirFS("../../scripts")))
	for _, name := range []string{"requirements.txt", "requirements-test.txt", "constraints.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "scripts", name), nil, 0o600))
	}
	return root
}

// setUp runs setup.sh as in a shell with the given active virtual environment, or none, and returns
// its output.
func setUp(t *testing.T, root, active string) string {
	t.Helper()
	c := exec.Command(filepath.Join(root, "scripts", "setup.sh"), "run")
	c.Env = append(c.Environ(), "PYTHON=python3", "PIP_NO_INDEX=1")
	if active != "" {
		c.Env = append(c.Env, "VIRTUAL_ENV="+active, "PATH="+filepath.Join(active, "bin")+
			string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	return string(text)
}

// python runs an interpreter and returns its output.
func python(t *testing.T, path string, words ...string) string {
	t.Helper()
	text, err := exec.Command(path, words...).CombinedOutput()
	require.NoError(t, err, string(text))
	return strings.TrimSpace(string(text))
}

func TestSetupIsQuietWhileAnEnvironmentIsActive(t *testing.T) {
	if testing.Short() {
		t.Skip("makes virtual environments, which takes a while")
	}
	root, other := checkout(t), filepath.Join(t.TempDir(), "other")
	python(t, "python3", "-m", "venv", "--without-pip", other)
	require.Contains(t, setUp(t, root, ""), "making .venv")
	venv := filepath.Join(root, ".venv")
	kept := filepath.Join(venv, "kept")
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	for _, active := range []string{"", venv, other} {
		require.Empty(t, setUp(t, root, active), "nothing has changed, and %q is active", active)
		require.FileExists(t, kept, "the environment has been made anew")
	}
}

func TestEnvironmentsAreMadeFromTheInterpreterBehindTheActiveOne(t *testing.T) {
	if testing.Short() {
		t.Skip("makes virtual environments, which takes a while")
	}
	root, other := checkout(t), filepath.Join(t.TempDir(), "other")
	python(t, "python3", "-m", "venv", "--without-pip", other)
	require.Contains(t, setUp(t, root, other), "making .venv")
	require.NoError(t, os.RemoveAll(other))
	const base = "import sys; print(sys.base_prefix)"
	require.Equal(t, python(t, "python3", "-c", base), python(t, filepath.Join(root, ".venv", "bin",
		"python"), "-c", base))
}

// double writes a shell script that stands in for a program.
func double(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.RemoveAll(path)) // do not write through a link of a virtual environment
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
}

func TestFullDiskIsNamedBeforeAnEnvironmentIsMade(t *testing.T) {
	root := checkout(t)
	double(t, filepath.Join(root, "bin", "df"),
		"echo Filesystem; echo '/dev/vda 1000000 900000 100000 90% /'\n")
	c := exec.Command(filepath.Join(root, "scripts", "setup.sh"), "run")
	c.Env = append(c.Environ(), "PYTHON=python3", "PATH="+filepath.Join(root, "bin")+
		string(os.PathListSeparator)+os.Getenv("PATH"))
	text, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(text),
		"the disk is full: .venv needs 500 MB, and 97 MB are left in "+root)
	require.NoDirExists(t, filepath.Join(root, ".venv"))
}

func TestFullDiskIsNotMistakenForAMissingPackageIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a virtual environment, which takes a while")
	}
	root := checkout(t)
	setUp(t, root, "")
	for said, wanted := range map[string]string{
		"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device": "the disk is full",
		"ERROR: Could not find a version that satisfies the requirement fmpy==0.3.32":             "Is a package index reachable?",
	} {
		double(t, filepath.Join(root, ".venv", "bin", "python"), `case "$*" in *pip*) echo '`+said+
			`' >&2; exit 1 ;; esac`)
		c := exec.Command(filepath.Join(root, "scripts", "setup.sh"), "test")
		c.Env = append(c.Environ(), "PYTHON=python3")
		text, err := c.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(text), said)
		require.Contains(t, string(text), wanted)
	}
}

// toolless returns a PATH whose go command prints its version, compiler and flags, and creates the
// file note when it is called for anything else.
func toolless(t *testing.T) (env []string, note string) {
	t.Helper()
	folder := t.TempDir()
	note = filepath.Join(folder, "called")
	double(t, filepath.Join(folder, "go"), `case "$*" in
    'env GOVERSION') echo go1.99 ;;
    'env CC') echo cc ;;
    'env GOFLAGS') ;;
    *) : >"`+note+`"; exit 1 ;;
esac
`)
	return append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"),
		"MAKEFLAGS="), note
}

func TestOptionsOfRunAreCheckedBeforeAnythingIsBuilt(t *testing.T) {
	for option, wanted := range map[string]string{
		"STOP=abc": "found 'abc', expected a number of seconds above 0", "STOP=-1": "found '-1'",
		"STOP=0.0": "found '0.0'",
		"STOP=inf": "found 'inf'", "STOP=1 2": "found '1 2'", "UNIT=min": "'min'",
		"UNIT=MS": "'MS'", "SCENARIO=gone.csv": "there is no scenario at gone.csv",
	} {
		t.Run(option, func(t *testing.T) {
			env, note := toolless(t)
			c := exec.Command("make", "-C", "../..", "run", option,
				"VENV="+filepath.Join(t.TempDir(), "venv"))
			c.Env = env
			text, err := c.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(text), wanted)
			require.NoFileExists(t, note, "something was built before")
			require.NotContains(t, string(text), "Python environment",
				"something was installed before")
		})
	}
}

// On a machine without Python, make run reports this before anything is built, together with
// everything else that is missing.
func TestRunAsksForEverythingAtOnce(t *testing.T) {
	env, note := toolless(t)
	c := exec.Command("make", "-C", "../..", "run", "PYTHON=no-such-python")
	c.Env = env
	c.Env = append(c.Env, "CC=no-such-compiler")
	text, err := c.CombinedOutput()
	require.Error(t, err)
	for _, wanted := range []string{"no-such-compiler was not found",
		"no-such-python was not found", "apt-get install -y gcc libc6-dev python3"} {
		require.Contains(t, string(text), wanted)
	}
	require.NoFileExists(t, note, "something was built before")
}

// TestPlatformsAreCheckedBeforeACompilerIsInstalled calls make fmu-all where an installation would
// leave a trace.
func TestPlatformsAreCheckedBeforeACompilerIsInstalled(t *testing.T) {
	for _, c := range []struct{ option, wanted string }{
		{"PLATFORMS=linux64 win46", "found the platform win46, expected some of linux64"},
		{"UNIT=min", `found "min"`},
		{"OSMP=9.9", `found version "9.9"`},
	} {
		folder := t.TempDir()
		note := filepath.Join(folder, "called")
		double(t, filepath.Join(folder, "python3"), ": >'"+note+"'; exit 1\n")
		make := exec.Command("make", "-C", "../..", "fmu-all", c.option,
			"PYTHON="+filepath.Join(folder, "python3"))
		make.Env = append(os.Environ(), "MAKEFLAGS=")
		text, err := make.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(text), c.wanted)
		require.NoFileExists(t, note, "something was installed before")
	}
}

// TestLargeScenariosAreNotPacked checks what make run would do with a file of 21 MB.
func TestLargeScenariosAreNotPacked(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.csv")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 21<<20))
	for flag, packed := range map[string]bool{"PACK=": false, "PACK=1": true} {
		c := exec.Command("make", "-C", "../..", "--dry-run", "run", "UNIT=us", "SCENARIO="+large,
			flag)
		c.Env = append(os.Environ(), "MAKEFLAGS=")
		text, err := c.CombinedOutput()
		require.NoError(t, err, "%s", text)
		require.Equal(t, packed, strings.Contains(string(text), ` -scenario "`+large), "%s", text)
		require.Equal(t, packed, strings.Contains(string(text), "replay.timeUnit=us"), "%s", text)
		require.Equal(t, !packed, strings.Contains(string(text), "more than 20 MB"))
		require.Contains(t, string(text), `--scenario "`+large+`"  --unit "us"`)
	}
}

// TestEveryFailedStageIsNamedAtTheEnd runs test.sh with doubles of go and Python: two of the stages
// fail, each in a different way. Tests can be interrupted, also if Ctrl-C is ignored, as in the
// background.
func TestEveryFailedStageIsNamedAtTheEnd(t *testing.T) {
	root := checkout(t)
	double(t, filepath.Join(root, "bin", "go"), `case "$*" in
'list ./...') echo gosmp/outer; exit ;;
list*) echo gosmp/warned; exit ;;
*-race*) cat <<'LOG'
# gosmp/warned
ld: warning: only a warning
ok  	gosmp/warned	1.0s
--- FAIL: TestOuter (0.00s)
    --- FAIL: TestOuter/inner (0.10s)
        outer_test.go:7: expected 1, found 2
    --- FAIL: TestOuter/second (0.10s)
        outer_test.go:9: not the first error
exit status 1
FAIL	gosmp/outer	0.2s
LOG
exit 1 ;; esac
sh -c 'kill -INT $$; echo not interrupted' || echo interrupted
`)
	double(t, filepath.Join(root, ".venv", "bin", "python"), `case "$*" in *SIGINT*)
exec python3 "$@" ;; *pytest*)
echo 'FAILED test/fmpy/test_a.py::test_a - assert 1 == 2'; echo 'FAILED test/fmpy/test_b.py::test_b - KeyError'
exit 1 ;; esac
`)
	c := exec.Command("sh", "-c", `trap '' INT; exec "$0"`, filepath.Join(root, "scripts", "test.sh"))
	c.Env = append(c.Environ(), "GOSMP_INTERRUPTIBLE=", "STAGES=", "PATH="+filepath.Join(root, "bin")+
		string(os.PathListSeparator)+os.Getenv("PATH"))
	text, err := c.CombinedOutput()
	require.Error(t, err)
	_, block, found := strings.Cut(string(text), "\n== make test FAILED\n")
	require.True(t, found, "%s", text)
	require.Equal(t, `
Go tests under the race detector: FAILED, see dist/test/race.log
      --- FAIL: TestOuter/inner (0.10s)
          outer_test.go:7: expected 1, found 2

the packed FMU in fmpy: FAILED, see dist/test/fmpy.log
  FAILED test/fmpy/test_a.py::test_a - assert 1 == 2
`, block)
	require.Contains(t, string(text), "\ninterrupted\n")
	require.Equal(t, 3, strings.Count(string(text), " min "),
		"a failed stage does not stop the others, and the time of each is printed")
}
