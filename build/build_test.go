//go:build !fmucore

package build

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/release"
	"gosmp/osmp"
)

// sample returns a model with a parameter, a binary output and texts with special characters of
// Markdown and HTML.
func sample() *fmu.Definition {
	d := &fmu.Definition{
		ModelName: "Sample", ModelIdentifier: "Sample", Description: "What <b> & | mean.",
		Version: "2.1", Units: []fmi.Unit{{Name: "m/s2", M: 1, S: -2}},
		Experiment:  fmu.Experiment{Stop: 10, Step: 0.02},
		Annotations: []fmi.Annotation{osmp.Mark(osmp.Version030)},
		New:         func(fmu.Host) fmu.Model { return nil },
	}
	low, high := -1.5, 1e6
	for _, b := range []osmp.Binary{
		{Prefix: "In", Causality: fmi.Input, MIMEType: osmp.MIMEType("SensorView"),
			Description: "in"},
		{Prefix: "Out", Causality: fmi.Output, MIMEType: osmp.MIMEType("SensorData"),
			Description: "out"},
	} {
		b.Variability = fmi.Discrete
		if _, err := osmp.Declare(&d.Variables, b); err != nil {
			panic(err)
		}
	}
	d.Variables.Add(fmu.Variable{Name: "gain", Type: fmi.Real, Causality: fmi.Parameter,
		Variability: fmi.Tunable, Initial: fmi.Exact, Start: 0.1,
		Unit: "m/s2", Min: &low, Max: &high, Description: "a|b <i> * _x_ `c`"})
	d.Variables.Add(fmu.Variable{Name: "file", Type: fmi.String, Causality: fmi.Parameter,
		Variability: fmi.Fixed,
		Initial:     fmi.Exact, Start: "", Description: "path"})
	d.Variables.Add(fmu.Variable{Name: "axes", Type: fmi.String, Causality: fmi.Parameter,
		Variability: fmi.Fixed,
		Initial:     fmi.Exact, Start: "FRD", OneOf: []string{"FRD", "FLU"},
		Description: "forward first"})
	return d
}

// drive is a file that sample bundles.
var drive = Bundled{
	Name: "scenario.csv", Flag: "scenario", Help: "`file` to play (default: a round)",
	Sentence: "It carries a round.", Content: func(w io.Writer) error {
		_, err := io.WriteString(w, "a round")
		return err
	},
}

// commandLine runs a command line and returns its output.
func commandLine(words ...string) (out, messages string, err error) {
	var o, m bytes.Buffer
	p := &program{definition: sample, out: &o, messages: &m}
	Bundles(drive)(p)
	err = p.run(context.Background(), words)
	p.report(err)
	return o.String(), m.String(), err
}

func TestProgram_ExplainsMistakes(t *testing.T) {
	folder := t.TempDir()
	empty, full := filepath.Join(folder, "empty.csv"), filepath.Join(folder, "full.csv")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	require.NoError(t, os.WriteFile(full, []byte("x"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "taken.fmu"), 0o755))
	fmuFile := filepath.Join(folder, "Sample.fmu")
	for name, c := range map[string]struct {
		words []string
		kind  error
		text  []string
	}{
		"no command": {nil, ErrUsage, []string{"pack", "describe", "variables"}},
		"unknown command": {[]string{"build"}, ErrUsage,
			[]string{
				"build: wrong usage: found an unknown command, expected pack, describe, " +
					"variables or help"}},
		"unknown flag": {[]string{"pack", "-x"}, ErrUsage, []string{"-x",
			"pack -h lists the flags"}},
		"argument left": {[]string{"pack", "file.csv"}, ErrUsage,
			[]string{`found the argument "file.csv", expected flags only`}},
		"unknown variable": {[]string{"describe", "-start", "gian=1"}, ErrUsage, []string{"gian",
			`"variables" lists`}},
		"start not a pair": {[]string{"describe", "-start", "gain"}, ErrUsage, []string{"gain",
			"name=value"}},
		"start not allowed": {[]string{"describe", "-start", "gain=-2"}, ErrUsage,
			[]string{"below the minimum -1.5"}},
		"start no number": {[]string{"pack", "-o", fmuFile, "-start", "gain=abc"}, ErrUsage,
			[]string{`"abc"`, "gain takes a Real in m/s2, -1.5 to 1e+06"}},
		"start not listed": {[]string{"pack", "-o", fmuFile, "-start", "axes=NED"}, ErrUsage,
			[]string{`"NED" is not one of FRD, FLU`, "axes takes a String, FRD or FLU"}},
		"start of two lines": {[]string{"describe", "-start", "file=a\ngain=3"}, ErrUsage,
			[]string{"line break", "one name=value per flag"}},
		"OSMP version": {[]string{"describe", "-osmp", "2.0.0"}, ErrUsage,
			[]string{`"2.0.0"`, "expected 0.3.0 or 1.6.0"}},
		"output no FMU": {[]string{"pack", "-o", "x.zip"}, ErrUsage, []string{"x.zip",
			"ends in .fmu"}},
		"output is a folder": {[]string{"pack", "-o", filepath.Join(folder, "taken.fmu")}, ErrUsage,
			[]string{"taken.fmu", "folder"}},
		"scenario missing": {[]string{"pack", "-o", fmuFile, "-scenario", folder + "/no.csv"},
			ErrInput,
			[]string{"/no.csv", "no such file",
				"check the path; the file was to be packed as resources/scenario.csv"}},
		"scenario empty": {[]string{"pack", "-o", fmuFile, "-scenario", empty}, ErrInput,
			[]string{"empty.csv", "found an empty file"}},
		"scenario a folder": {[]string{"pack", "-o", fmuFile, "-scenario", folder}, ErrInput,
			[]string{"expected a regular file"}},
		"resource not a pair": {[]string{"pack", "-resource", full}, ErrUsage,
			[]string{"name=path"}},
		"resource without a path": {[]string{"pack", "-resource", "scenario.csv="}, ErrUsage,
			[]string{"name=path"}},
		"resource outside": {[]string{"pack", "-o", fmuFile, "-resource", "../x=" + full}, ErrUsage,
			[]string{"../x", "without .."}},
		"resource backslash": {[]string{"pack", "-o", fmuFile, "-resource", `a\b=` + full},
			ErrUsage,
			[]string{`a\b`, "forward slashes"}},
		"resource twice": {[]string{"pack", "-o", fmuFile, "-scenario", full, "-resource",
			"scenario.csv=" + full}, ErrUsage,
			[]string{"scenario.csv", "two files with this name"}},
		"package unknown": {[]string{"pack", "-o", fmuFile, "-package", ""}, ErrUsage,
			[]string{"-package", "main package"}},
		"package not found": {[]string{"pack", "-o", fmuFile, "-package", release.Module + "/none"},
			ErrBuild, []string{release.Module + "/none", "folder of the main package"}},
		"package not main": {[]string{"pack", "-o", fmuFile, "-package", "gosmp/fmu"}, ErrUsage,
			[]string{"found package fmu, expected package main"}},
		"package without FMU": {[]string{"pack", "-o", fmuFile, "-package", "testdata/plain"},
			ErrUsage,
			[]string{"gosmp/export", "export.Register"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, messages, err := commandLine(c.words...)
			require.ErrorIs(t, err, c.kind)
			for _, text := range c.text {
				require.Contains(t, messages, text)
			}
			require.NoFileExists(t, fmuFile)
		})
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 3, "nothing but what the test has put there")
}

func TestExitCodes(t *testing.T) {
	require.Equal(t, 0, exitCode(nil))
	require.Equal(t, 1, exitCode(errors.New("any")))
	require.Equal(t, 2, exitCode(&Error{Kind: ErrUsage}))
}

func TestProgram_NamesMissingTools(t *testing.T) {
	t.Run("Go", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, messages, err := commandLine("pack", "-o", filepath.Join(t.TempDir(), "Sample.fmu"),
			"-package", ".")
		require.ErrorIs(t, err, ErrTool)
		require.Contains(t, messages, "https://go.dev/dl")
	})
	t.Run("C compiler", func(t *testing.T) {
		t.Setenv("CC", "no-such-compiler -m64")
		_, messages, err := commandLine("pack", "-o", filepath.Join(t.TempDir(), "Sample.fmu"),
			"-package", ".")
		require.ErrorIs(t, err, ErrTool)
		require.Contains(t, messages, "no-such-compiler")
		require.Contains(t, messages, "apt-get install gcc")
	})
	t.Run("platform", func(t *testing.T) {
		t.Setenv("GOOS", "plan9")
		_, messages, err := commandLine("pack", "-o", filepath.Join(t.TempDir(), "Sample.fmu"),
			"-package", ".")
		require.ErrorIs(t, err, ErrUsage)
		require.Contains(t, messages, "plan9/")
	})
}

func TestInterruptedPackLeavesNothing(t *testing.T) {
	temporary, folder := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Pack(ctx, sample(), Config{Output: filepath.Join(folder, "Sample.fmu"), Package: "."})
	require.ErrorIs(t, err, context.Canceled)
	for _, place := range []string{temporary, folder} {
		left, err := os.ReadDir(place)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// The test binary is the program that packs; a slow go command keeps it busy.
func TestTerminatedPackLeavesNothing(t *testing.T) {
	if output := os.Getenv("GOSMP_TEST_PACK"); output != "" {
		os.Args = []string{"sample", "pack", "-o", output, "-package", "."}
		Main(sample)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the go command is a shell script here")
	}
	temporary, folder, tools := t.TempDir(), t.TempDir(), t.TempDir()
	called := filepath.Join(tools, "called")
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\n: >'"+called+
		"'\nexec sleep 60\n"), 0o700))
	c := exec.Command(os.Args[0], "-test.run=^TestTerminatedPackLeavesNothing$")
	c.Env = append(os.Environ(), "GOSMP_TEST_PACK="+filepath.Join(folder, "Sample.fmu"),
		"TMPDIR="+temporary,
		"PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	var messages bytes.Buffer
	c.Stderr = &messages
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(called); return err == nil }, time.Minute,
		10*time.Millisecond)
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	require.Error(t, c.Wait())
	require.Equal(t, 1, c.ProcessState.ExitCode())
	require.Equal(t, "interrupted; nothing was written\n", messages.String())
	for _, place := range []string{temporary, folder} {
		left, err := os.ReadDir(place)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestExamination_RefusesResources(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "drive.csv")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	refused := errors.New("no such road")
	var out, messages bytes.Buffer
	p := &program{definition: sample, out: &out, messages: &messages}
	Bundles(drive)(p)
	Examination(func(d *fmu.Definition, resources []Resource, warn func(string)) error {
		require.Equal(t, 7.5, d.Variables.Named("gain").Start, "the start value that was chosen")
		require.Equal(t, []Resource{{Name: "scenario.csv", Path: file}}, resources)
		warn("100 % odd")
		return refused
	})(p)
	words := []string{"pack", "-o", filepath.Join(folder, "Sample.fmu"), "-package",
		release.Module + "/none", "-start", "gain=7.5", "-scenario", file}
	require.ErrorIs(t, p.run(context.Background(), words), refused,
		"refused before anything is built")
	require.Equal(t, "warning: 100 % odd\n", messages.String())
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)

	p.examiner = func(*fmu.Definition, []Resource, func(string)) error { return nil }
	require.ErrorIs(t, p.run(context.Background(), words), ErrBuild, "packing continued")
}

// The bundled file is the model's own, another file that the user has chosen, or none.
func TestBundles_CanBeReplacedAndLeftOut(t *testing.T) {
	other := filepath.Join(t.TempDir(), "drive.csv")
	require.NoError(t, os.WriteFile(other, []byte("another drive"), 0o600))
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"its own":              {nil, "a round"},
		"another":              {[]string{"-scenario", other}, "another drive"},
		"another, as resource": {[]string{"-resource", "scenario.csv=" + other}, "another drive"},
		"none":                 {[]string{"-scenario", ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			stop, got := errors.New("seen enough"), ""
			p := &program{definition: sample, out: io.Discard, messages: io.Discard}
			Bundles(drive)(p)
			p.examiner = func(_ *fmu.Definition, resources []Resource, _ func(string)) error {
				for _, r := range resources {
					require.Equal(t, "scenario.csv", r.Name)
					content, err := os.ReadFile(r.Path)
					require.NoError(t, err)
					got += string(content)
				}
				return stop
			}
			words := append([]string{"pack", "-o", filepath.Join(t.TempDir(), "Sample.fmu"),
				"-package", "."}, c.flags...)
			require.ErrorIs(t, p.run(context.Background(), words), stop)
			require.Equal(t, c.want, got)
		})
	}
}

func TestProgram_HelpOnStandardOutput(t *testing.T) {
	out, messages, err := commandLine("help")
	require.NoError(t, err)
	require.Empty(t, messages)
	require.Contains(t, out, "variables")
	out, messages, err = commandLine("pack", "-h")
	require.NoError(t, err)
	require.Empty(t, messages)
	for _, flag := range []string{"-o file", "-package folder", "-scenario file",
		"-resource name=path", "-start name=value",
		"-osmp version", "-license file", "-v", "dist/Sample.fmu"} {
		require.Contains(t, out, flag)
	}
}

func TestDescribeShowsChangedStartValuesAndOSMPVersion(t *testing.T) {
	out, _, err := commandLine("describe", "-start", "gain=7.25", "-osmp", "1.6.0")
	require.NoError(t, err)
	require.Contains(t, out, `start="7.25"`)
	require.Contains(t, out, ` version="1.6.0" osi-version=`)
	require.NotContains(t, out, "0.3.0")
}

func TestOSMPVersionNeedsAModelThatDeclaresOne(t *testing.T) {
	d := sample()
	d.Annotations = nil
	require.ErrorIs(t, declareOSMP(d, osmp.Version160), ErrUsage)
}

func TestVariablesInMarkdown(t *testing.T) {
	out, _, err := commandLine("variables")
	require.NoError(t, err)
	require.Contains(t, out, "# Variables of Sample\n")
	require.Contains(t, out,
		"| `gain` | Real | 0 | m/s2 | 0.1 | -1.5 to 1e+06 | tunable | a\\|b &lt;i> \\* "+
			"\\_x\\_ \\`c\\` |\n")
	require.Contains(t, out, "| `file` | String | 0 |  | \"\" |  | fixed | path |\n")
	require.Contains(t, out, "| `Out.size` | Integer | 5 |  | 0 |")
	require.Less(t, strings.Index(out, "## Parameters"), strings.Index(out, "## Outputs"))
	require.NotContains(t, out, "Local variables", "the model has none")
}

func TestDocumentationMatchesTheDefinition(t *testing.T) {
	p := &packing{definition: sample(), guid: strings.Repeat("0", 32), Config: Config{
		Documentation: "<h2>Columns</h2>", Resources: []Resource{{Name: "scenario.csv"},
			{Name: "a&b.txt"}},
		Bundled: []Bundled{drive, {Name: "absent.txt", Sentence: "It carries nothing."}},
	}, program: &source{targets: []*target{{platform: &platforms[0], glibc: "2.34"},
		{platform: &platforms[2]}}}}
	html, err := p.documentation(&edition{version: fmi.FMI2, definition: p.definition},
		licences{{Part: "Sample", File: "license.txt"}})
	require.NoError(t, err)
	text := string(html)
	for _, part := range []string{
		"What &lt;b&gt; &amp; | mean.", "Version 2.1", "<h2>Columns</h2>", "resources/a&amp;b.txt",
		"glibc 2.34 or newer",
		"recorder.fmu.getInteger([3, 4, 5])", "binaries/linux64", "Sample-core-0000000000000000.so",
		`href="licenses/license.txt"`,
		"<td>3, 4, 5</td>", "steps of 0.02 s. It carries a round.</p>", "-1.5 to 1e&#43;06",
		"runs on 64-bit Linux on x86 and 64-bit Windows on x86 without", "binaries/win64",
		"Sample-core-0000000000000000.dll",
		"Windows 10 or newer", "does not allow the file of the copy",
		"FMU Import), on 64-bit Linux on x86 and 64-bit Windows on x86, and",
		"the child can create new instances", "outputs become buses",
		"saves, restores and serializes its state",
	} {
		require.Contains(t, text, part)
	}
	for _, v := range p.definition.Variables.All() {
		require.Contains(t, text, "<code>"+v.Name+"</code>")
	}
	for _, foreign := range []string{"<script", "http://", "https://", "<link"} {
		require.NotContains(t, text, foreign, "the page needs nothing from elsewhere")
	}
	require.NotContains(t, text, "carries nothing")
}

func TestDocumentationOfAModelWithoutMessagesAndStates(t *testing.T) {
	d := sample()
	d.WithoutState = true
	d.Variables = fmu.Variables{}
	d.Variables.Add(fmu.Variable{Name: "p", Type: fmi.Real, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: 0.0})
	p := &packing{definition: d, program: &source{}}
	html, err := p.documentation(&edition{version: fmi.FMI2, definition: d}, nil)
	require.NoError(t, err)
	for _, absent := range []string{"Binary messages", "ctypes", "scenario", "Outputs", "Windows",
		"its state"} {
		require.NotContains(t, string(html), absent)
	}
}

func TestLicencesOfAllParts(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("go/LICENSE", "go text")
	write("go/PATENTS", "go patents")
	write("dep/License.md", "dep text")
	write("dep/licenses/sub", "a folder is not a licence file")
	write("bare/main.go", "no licence")
	write("own/README", "none either")
	write("chosen", "chosen text")
	var messages bytes.Buffer
	p := &packing{definition: sample(), Config: Config{Messages: &messages}, program: &source{
		env: environment{GOROOT: folder + "/go", GOVERSION: "go1.99"},
		modules: []module{{Path: "example.org/bare", Version: "v1.0.0", Dir: folder + "/bare"},
			{Path: "example.org/dep", Version: "v2.0.0", Dir: folder + "/dep"},
			{Path: "own", Dir: folder + "/own", Main: true}},
	}}
	list, err := p.licences()
	require.NoError(t, err)
	texts := map[string]string{}
	for _, e := range list.entries() {
		texts[e.name] = string(e.data)
	}
	const place = "documentation/licenses/"
	require.Len(t, texts, 4)
	require.Contains(t, texts[place+"license.txt"], "The owner of Sample has not chosen a licence.")
	require.Equal(t, "example.org/dep v2.0.0\n\ndep text\n", texts[place+"example.org_dep.txt"])
	require.Contains(t, texts[place+"example.org_bare.txt"], "carries no licence file")
	require.Equal(t, "Go standard library and runtime go1.99\n\ngo text\ngo patents\n",
		texts[place+"Go_standard_library_and_runtime.txt"])
	require.Equal(t,
		"warning: no licence file in example.org/bare v1.0.0, which is linked in: its owner has "+
			"to choose a licence; "+
			"the licence of your model is a separate matter\n", messages.String())

	write("zig/LICENSE", "zig text")
	write("zig/lib/libc/mingw/COPYING", "mingw text")
	p.zigHome, p.zigVersion = folder+"/zig", "9.9"
	p.program.targets = []*target{{platform: &platforms[0]}}
	list, err = p.licences()
	require.NoError(t, err)
	require.Len(t, list.entries(), 5)
	require.Contains(t, string(list[4].text), "zig compiler runtime 9.9\n\nzig text")
	p.program.targets = append(p.program.targets, &target{platform: &platforms[2]})
	list, err = p.licences()
	require.NoError(t, err)
	require.Len(t, list.entries(), 6, "Windows brings start files of its own")
	require.Contains(t, string(list[5].text), "mingw text")

	write("own/COPYING", "own text")
	list, err = p.licences()
	require.NoError(t, err)
	require.Equal(t, "own text\n", string(list[0].text), "the licence of the module")
	p.License = filepath.Join(folder, "chosen")
	list, err = p.licences()
	require.NoError(t, err)
	require.Equal(t, "chosen text", string(list[0].text), "the file that was named")
	p.License = filepath.Join(folder, "none")
	_, err = p.licences()
	require.ErrorIs(t, err, ErrInput)
}

func TestIconIsASquarePicture(t *testing.T) {
	first, err := drawIcon()
	require.NoError(t, err)
	second, err := drawIcon()
	require.NoError(t, err)
	require.Equal(t, first, second)
	icon, err := png.Decode(bytes.NewReader(first))
	require.NoError(t, err)
	require.Equal(t, iconSize, icon.Bounds().Dx())
	require.Equal(t, iconSize, icon.Bounds().Dy())
	seen := map[any]bool{}
	for y := range iconSize {
		for x := range iconSize {
			seen[icon.At(x, y)] = true
		}
	}
	for _, c := range []any{sky, ground, paint, wave, sensor} {
		require.Contains(t, seen, c)
	}
}

func TestWriteZip_IsAtomic(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "new", "X.fmu")
	size, err := writeZip(context.Background(), path, []entry{{name: "b", data: []byte("2")},
		{name: "a", data: []byte("1")}})
	require.NoError(t, err)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, before, int(size))
	z, err := zip.NewReader(bytes.NewReader(before), size)
	require.NoError(t, err)
	require.Equal(t, "a", z.File[0].Name)

	_, err = writeZip(context.Background(), path, []entry{{name: "a", data: []byte("new")},
		{name: "z", path: filepath.Join(folder, "missing")}})
	require.ErrorIs(t, err, ErrInput)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after, "the old file is untouched")
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "no other file remains")
}
