// Package host_test runs the packed OSMPDummySensor in small importers written in C. They load the
// very file that is released: the FMU that GOSMP_FMU names, by default the result of `make fmu`.
// Some tests also run a second one, packed from testfmu, which discards steps, fails and panics on
// request.
//
// The importers are based on the library of internal/chost. host.c simulates and compares, also on
// systems other than Linux (test/platforms). cells.c calls every function in every state. states.c
// saves states and restores them, in another process too. long.c makes long runs and measures their
// use of resources. times.c collects timestamps. speed.c measures steps and start.c starts.
// process.c changes its process as hosts do. script.c executes the test's commands line by line,
// and forks on request.
package host_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi/archive"
	"gosmp/internal/chost"
)

// packed finds the FMU.
func packed(t testing.TB) string {
	path := os.Getenv("GOSMP_FMU")
	if path == "" {
		path = filepath.Join("..", "..", "dist", "OSMPDummySensor.fmu")
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no FMU at %s: run `make fmu` or set GOSMP_FMU", path)
	}
	return path
}

// description is the FMU's own model description, read as an importer reads it.
type description struct{ *archive.ModelDescription }

// kind returns the first letter of a variable's type, as the programs spell it.
func kind(v *archive.Variable) string { return v.Type.String()[:1] }

func reference(v *archive.Variable) string {
	return strconv.FormatUint(uint64(v.ValueReference), 10)
}

// reals returns the references of the Real outputs.
func (d description) reals() (references []string) {
	for k := range d.Variables {
		if v := &d.Variables[k]; kind(v) == "R" && v.Causality == "output" {
			references = append(references, reference(v))
		}
	}
	return references
}

// importer is the compiled host with an unpacked FMU.
type importer struct {
	program, folder string
	limit           string // of the host, in the syntax of ulimit; empty for none
	description
}

func newImporter(t testing.TB) importer { return unpack(t, packed(t)) }

// newTestImporter packs the FMU that misbehaves on request, see internal/fmitest.
func newTestImporter(t *testing.T) importer {
	output := filepath.Join(t.TempDir(), "Probe.fmu")
	c := exec.Command("go", "run", "./test/host/testfmu", "pack", "-o", output)
	c.Dir = filepath.Join("..", "..")
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	return unpack(t, output)
}

// unpack unpacks an FMU into a folder with a difficult name, and compiles the host.
func unpack(t testing.TB, fmu string) importer {
	i := importer{folder: filepath.Join(t.TempDir(), "a folder, ünïcode 100%20")}
	z, err := zip.OpenReader(fmu)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	require.NoError(t, os.CopyFS(i.folder, z))
	text, err := os.ReadFile(filepath.Join(i.folder, "modelDescription.xml"))
	require.NoError(t, err)
	i.ModelDescription, err = archive.Parse(bytes.NewReader(text))
	require.NoError(t, err)
	i.program = compile(t, "host.c")
	return i
}

// workshop holds the programs that have been compiled.
var workshop string

func TestMain(m *testing.M) {
	var err error
	if workshop, err = os.MkdirTemp("", "gosmp-host-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(workshop); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// compile compiles a program in C, once, and returns its path.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	return chost.Compile(t, workshop, source, flags...)
}

func (i importer) resources() string {
	u := url.URL{Scheme: "file", Path: filepath.Join(i.folder, "resources")}
	return u.String()
}

func (i importer) binaries() string { return filepath.Join(i.folder, "binaries", "linux64") }

func (i importer) library(folder string) string {
	return filepath.Join(folder, i.ModelIdentifiers()[0]+".so")
}

// copies unpacks the libraries repeatedly, each time into a different folder.
func (i importer) copies(t *testing.T, n int) (libraries []string) {
	for range n {
		folder := t.TempDir()
		require.NoError(t, os.CopyFS(folder, os.DirFS(i.binaries())))
		libraries = append(libraries, i.library(folder))
	}
	return libraries
}

// call runs the host. If it fails, its stderr is returned.
func (i importer) call(command, guid string, words ...string) (stdout, stderr string, err error) {
	var out, errs strings.Builder
	c := exec.Command(i.program, append([]string{command, guid, i.resources()}, words...)...)
	if i.limit != "" {
		c = exec.Command("sh", append([]string{"-c", "ulimit " + i.limit + `; exec "$@"`, "sh"},
			c.Args...)...)
	}
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}

func (i importer) succeed(t *testing.T, command string, words ...string) string {
	stdout, stderr, err := i.call(command, i.InstantiationToken, words...)
	require.NoError(t, err, stderr)
	require.Empty(t, stderr, "lines of the logger")
	return stdout
}

func TestRun_TwoProcessesGiveTheSameBytes(t *testing.T) {
	i := newImporter(t)
	const steps = 3000
	words := append([]string{i.library(i.binaries()), strconv.Itoa(steps)}, i.reals()...)
	require.Greater(t, len(words), 30, "Real outputs in the model description")
	first := i.succeed(t, "run", words...)
	require.Equal(t, first, i.succeed(t, "run", words...))

	lines := strings.Split(strings.TrimSpace(first), "\n")
	require.Len(t, lines, steps+1)
	messages, values := map[string]bool{}, map[string]bool{}
	for _, line := range lines[:steps] {
		fields := strings.Fields(line)
		require.Len(t, fields, 4, line)
		messages[fields[2]], values[fields[3]] = true, true
	}
	require.Len(t, messages, steps, "every SensorData carries its own time")
	require.Greater(t, len(values), steps/2, "the outputs follow the recording")
	t.Logf("%d steps, %d distinct sets of %d Real outputs, %s", steps, len(values), len(words)-2,
		lines[steps])
}

// holdings holds the resources of a process, as the host prints them.
type holdings struct{ threads, files, cores int }

func readHoldings(t *testing.T, output, when string) (h holdings) {
	for line := range strings.Lines(output) {
		if rest, found := strings.CutPrefix(line, when+": "); found {
			_, err := fmt.Sscanf(rest, "threads %d files %d cores %d", &h.threads, &h.files,
				&h.cores)
			require.NoError(t, err, line)
			return h
		}
	}
	require.Fail(t, "not printed", "%s in %q", when, output)
	return h
}

// someThreads is the number of threads that a Go runtime may start or stop on its own.
const someThreads = 3

func TestCopies_FiftyInOneProcessStayFlat(t *testing.T) {
	i := newImporter(t)
	output := i.succeed(t, "copies", i.copies(t, 50)...)
	first, last := readHoldings(t, output, "first"), readHoldings(t, output, "last")
	require.Equal(t, 1, first.cores)
	require.Equal(t, 1, last.cores)
	require.LessOrEqual(t, last.threads, first.threads+someThreads)
	require.LessOrEqual(t, last.files, first.files)
	t.Logf("after the first copy %+v, after the 50th %+v", first, last)
}

func TestRace_SixteenFirstUsesLoadOneCore(t *testing.T) {
	i := newImporter(t)
	libraries := i.copies(t, 16)
	for range 5 {
		h := readHoldings(t, i.succeed(t, "race", libraries...), "raced")
		require.Equal(t, 1, h.cores)
		t.Logf("after 16 threads %+v", h)
	}
}

// TestRace_SixteenFirstUsesNeedRoomForOne gives the process less address space than sixteen Go
// runtimes would need.
func TestRace_SixteenFirstUsesNeedRoomForOne(t *testing.T) {
	i := newImporter(t)
	libraries := i.copies(t, 16)
	i.limit = "-v 4000000"
	for range 5 {
		require.Equal(t, 1, readHoldings(t, i.succeed(t, "race", libraries...), "raced").cores)
	}
}

func TestRun_RefusalsAreClear(t *testing.T) {
	i := newImporter(t)
	_, stderr, err := i.call("run", "0123", i.library(i.binaries()))
	require.Error(t, err)
	require.Contains(t, stderr, `fmuGUID: wrong argument: found "0123", expected "`+
		i.InstantiationToken+`"`)

	alone := t.TempDir()
	text, err := os.ReadFile(i.library(i.binaries()))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(i.library(alone), text, 0o755))
	_, stderr, err = i.call("run", i.InstantiationToken, i.library(alone))
	require.Error(t, err)
	require.Contains(t, stderr, "the core of this FMU cannot be loaded, expected at "+alone)
}
