// Package compliance checks the packed OSMPDummySensor as the FMU Compliance Checker used to:
// compliance.c loads and simulates it and compares the results with the model description; the
// other tests check the description alone. The FMU under test is the one that GOSMP_FMU names, by
// default the result of `make fmu`.
package compliance_test

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/chost"
	"gosmp/internal/packed"
)

// unpacked is the FMU in a folder, with the compiled checker.
type unpacked struct {
	folder, program string
	description
}

func unpack(t *testing.T) unpacked {
	t.Helper()
	path := os.Getenv("GOSMP_FMU")
	if path == "" {
		path = filepath.Join("..", "..", "dist", "OSMPDummySensor.fmu")
	}
	if _, err := os.Stat(path); os.IsNotExist(err) {
		t.Skipf("no FMU at %s: run `make fmu` or set GOSMP_FMU", path)
	}
	return unpackFile(t, path)
}

func unpackFile(t *testing.T, path string) unpacked {
	t.Helper()
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	u := unpacked{folder: filepath.Join(t.TempDir(), "an FMU"), program: chost.Compile(t,
		t.TempDir(), "compliance.c")}
	require.NoError(t, os.CopyFS(u.folder, archive))
	text, err := os.ReadFile(filepath.Join(u.folder, "modelDescription.xml"))
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(text, &u.description))
	return u
}

// check runs the checker with a description, either the FMU's own or another one.
func (u unpacked) check(lines []string, options ...string) (string, error) {
	library := filepath.Join(u.folder, "binaries", "linux64", u.CoSimulation.ModelIdentifier+".so")
	resources := url.URL{Scheme: "file", Path: filepath.Join(u.folder, "resources")}
	c := exec.Command(u.program, append([]string{library, resources.String()}, options...)...)
	c.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	output, err := c.CombinedOutput()
	return string(output), err
}

func TestTheFMUIsCompliant(t *testing.T) { requireCompliant(t, unpack(t)) }

func TestTheExamplesAreCompliant(t *testing.T) {
	for name, options := range map[string][]string{"source": nil, "fog": nil, "fusion": nil,
		"imu": {"noisy"}} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "imu" {
				t.Skip("with -short, only the example that is least like the sensor is packed")
			}
			path, err := packed.FMU(t.TempDir(), "examples/"+name)
			require.NoError(t, err)
			requireCompliant(t, unpackFile(t, path), options...)
		})
	}
}

func requireCompliant(t *testing.T, u unpacked, options ...string) {
	t.Helper()
	output, err := u.check(u.lines(), options...)
	require.NoError(t, err, output)
	require.NotContains(t, output, "FAILED")
	t.Log("\n" + output)
	require.Regexp(t, `(?m)^(\d+) of (\d+) checks$`, output)
	found := regexp.MustCompile(`(\d+) of (\d+) checks`).FindStringSubmatch(output)
	require.Equal(t, found[1], found[2])
}

// The checker must be able to fail: it has to detect a false description.
func TestFalseDescriptionIsDetected(t *testing.T) {
	u := unpack(t)
	for _, lie := range []struct{ name, old, new, found string }{
		{"guid", "guid\t" + u.GUID, "guid\t0123", "two instances are made"},
		{"start value", "\tnominalrange\t135\t", "\tnominalrange\t1e400\t",
			"start values can be set"},
		{"category", "category\tlogStatusError", "category\tlogSomething",
			"a category that is not declared"},
		{"range", "\tbarometer.pressure\t-\t-\t-", "\tbarometer.pressure\t-\t-\t1000",
			"outside of [-, 1000]"},
		{"reference", "variable\tR\t20\toutput", "variable\tR\t9999\toutput", "cannot be read"},
	} {
		t.Run(lie.name, func(t *testing.T) {
			truth := strings.Join(u.lines(), "\n")
			require.Contains(t, truth, lie.old)
			output, err := u.check(strings.Split(strings.Replace(truth, lie.old, lie.new, 1), "\n"))
			require.Error(t, err, output)
			require.Contains(t, output, "FAILED")
			require.Contains(t, output, lie.found)
		})
	}
}

func TestMissingFunctionsAreNamed(t *testing.T) {
	u := unpack(t)
	empty := filepath.Join(u.folder, "binaries", "linux64", u.CoSimulation.ModelIdentifier+".so")
	source := filepath.Join(t.TempDir(), "empty.c")
	require.NoError(t, os.WriteFile(source,
		[]byte("const char *fmi2GetVersion(void) { return \"2.0\"; }\n"), 0o600))
	require.NoError(t, os.Remove(empty))
	require.NoError(t, exec.Command("cc", "-shared", "-fPIC", "-o", empty, source).Run())
	output, err := u.check(u.lines())
	require.Error(t, err)
	require.Contains(t, output, "fmi2GetTypesPlatform is missing")
}

func TestDescription_NothingThatToolsWarnAbout(t *testing.T) {
	u := unpack(t)
	for name, text := range map[string]string{
		"description": u.Description, "version": u.Version, "generationTool": u.GenerationTool,
		"guid":                     u.GUID,
		"variableNamingConvention": u.NamingConvention,
		"startTime":                u.Experiment.Start, "stopTime": u.Experiment.Stop,
		"tolerance": u.Experiment.Tolerance, "stepSize": u.Experiment.Step,
	} {
		require.NotEmpty(t, text, "attribute %s", name)
	}
	require.NotContains(t, u.GUID, "{", "some importers name folders after the guid")
	require.NotEmpty(t, u.Categories)
	units, used, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, unit := range u.Units {
		units[unit.Name] = true
	}
	for _, v := range u.Variables {
		require.NotEmpty(t, v.Description, v.Name)
		require.Falsef(t, names[v.Name], "%s occurs twice", v.Name)
		names[v.Name] = true
		if unit := v.value().Unit; unit != "" {
			used[unit] = true
		}
	}
	require.Equal(t, units, used, "declared units and used ones")
}

func TestDescription_ReferencesAreUniquePerType(t *testing.T) {
	seen := map[string]string{}
	for _, v := range unpack(t).Variables {
		key := fmt.Sprint(v.kind(), v.Reference)
		require.Emptyf(t, seen[key], "%s has the reference of %s", v.Name, seen[key])
		seen[key] = v.Name
	}
}
