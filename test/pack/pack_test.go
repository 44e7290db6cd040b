// Package pack tests packed FMUs as files and from C: the layout of the zip, what the libraries
// export, and how loader and core behave in a host process. The FMU is packed from the command
// probe next to this package.
package pack

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/chost"
)

// fixture is shared by all tests: the program that packs itself, an FMU built by it, and a folder
// for a host written in C.
type fixture struct {
	folder, program, fmu string
}

var shared = sync.OnceValues(func() (f fixture, err error) {
	if f.folder, err = os.MkdirTemp("", "gosmp-test-pack-"); err != nil {
		return f, err
	}
	f.program, f.fmu = filepath.Join(f.folder, "probe"), filepath.Join(f.folder, "Probe.fmu")
	for _, words := range [][]string{
		{"go", "build", "-o", f.program, "./probe"},
		{f.program, "pack", "-o", f.fmu},
	} {
		if text, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			return f, fmt.Errorf("%v: %w\n%s", words, err, text)
		}
	}
	return f, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if f, _ := shared(); f.folder != "" {
		if err := os.RemoveAll(f.folder); err != nil {
			code = 1
		}
	}
	os.Exit(code)
}

func setUp(t *testing.T) fixture {
	t.Helper()
	f, err := shared()
	require.NoError(t, err)
	return f
}

// pack builds another FMU of the probe.
func (f fixture) pack(t *testing.T, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Probe.fmu")
	text, err := exec.Command(f.program, append([]string{"pack", "-o", path},
		flags...)...).CombinedOutput()
	require.NoError(t, err, string(text))
	return path
}

// unpack writes the FMU into a folder of its own and returns the path of the loader.
func unpack(t *testing.T, path string) string {
	t.Helper()
	folder := t.TempDir()
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	require.NoError(t, os.CopyFS(folder, z))
	return filepath.Join(folder, "binaries", "linux64", "Probe.so")
}

// read returns the content of one file of the FMU.
func read(t *testing.T, path, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	f, err := z.Open(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	content, err := io.ReadAll(f)
	require.NoError(t, err)
	return content
}

var guidAttribute = regexp.MustCompile(` guid="([0-9a-f]{32})"`)

func guidOf(t *testing.T, path string) string {
	t.Helper()
	found := guidAttribute.FindSubmatch(read(t, path, "modelDescription.xml"))
	require.NotNil(t, found)
	return string(found[1])
}

// play makes the host play an act and returns its output.
func (f fixture) play(t *testing.T, act, guid string, loaders ...string) []string {
	t.Helper()
	text, err := exec.Command(chost.Compile(t, f.folder, "../../build/testdata/host.c"),
		append([]string{act, guid}, loaders...)...).CombinedOutput()
	require.NoError(t, err, string(text))
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestZipKeepsToWhatFMIAllows(t *testing.T) {
	f := setUp(t)
	z, err := zip.OpenReader(f.fmu)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	guid := guidOf(t, f.fmu)
	var names []string
	for _, file := range z.File {
		names = append(names, file.Name)
		require.Equal(t, zip.Deflate, file.Method, file.Name)
		require.LessOrEqual(t, file.ReaderVersion, uint16(20), file.Name)
		require.Zero(t, file.Flags&^uint16(1<<3), "only bit 3, which goes with deflate: %s",
			file.Name)
		require.Empty(t, file.Extra, file.Name)
		require.Empty(t, file.Comment, file.Name)
		require.Equal(t, uint16(1<<5|1), file.ModifiedDate, file.Name)
		require.Zero(t, file.ModifiedTime, file.Name)
		mode := os.FileMode(0o644)
		if strings.HasPrefix(file.Name, "binaries/") {
			mode = 0o755
		}
		require.Equal(t, mode, file.Mode(), file.Name)
	}
	require.Equal(t, []string{
		"binaries/linux64/Probe-core-" + guid[:16] + ".so",
		"binaries/linux64/Probe.so",
		"documentation/index.html",
		"documentation/licenses/Go_standard_library_and_runtime.txt",
		"documentation/licenses/license.txt",
		"model.png",
		"modelDescription.xml",
	}, names, "all of them, sorted")
}

func TestTwoPacksAreBitIdentical(t *testing.T) {
	f := setUp(t)
	first, err := os.ReadFile(f.fmu)
	require.NoError(t, err)
	folder, err := filepath.Abs("probe")
	require.NoError(t, err)
	elsewhere := t.TempDir()
	c := exec.Command(f.program, "pack", "-package", folder, "-o", "again/Probe.fmu")
	c.Dir = elsewhere
	c.Env = append(c.Environ(), "TMPDIR="+elsewhere)
	if !testing.Short() { // recompiles the standard library
		c.Env = append(c.Env, "GOCACHE="+t.TempDir())
	}
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	second, err := os.ReadFile(filepath.Join(elsewhere, "again", "Probe.fmu"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, second),
		"the same program packed in another folder, with another cache")
	left, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file is left behind")
}

func TestLibrariesAreLinkedAsTheLoaderNeedsIt(t *testing.T) {
	f := setUp(t)
	loader := unpack(t, f.fmu)
	name := "Probe-core-" + guidOf(t, f.fmu)[:16] + ".so"
	l, err := elf.Open(loader)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	origin, err := l.DynString(elf.DT_RUNPATH)
	require.NoError(t, err)
	require.Equal(t, []string{"$ORIGIN"}, origin)
	needed, err := l.ImportedLibraries()
	require.NoError(t, err)
	require.NotContains(t, needed, name,
		"the core is found at run time, so that its absence can be reported")
	for _, p := range l.Progs {
		require.NotEqual(t, elf.PT_TLS, p.Type, "no thread-local storage")
	}
	for _, tag := range []elf.DynTag{elf.DT_INIT, elf.DT_FINI, elf.DT_INIT_ARRAY,
		elf.DT_FINI_ARRAY} {
		values, err := l.DynValue(tag)
		require.NoError(t, err)
		require.Empty(t, values, "no constructor or destructor: %v", tag)
	}
	c, err := elf.Open(filepath.Join(filepath.Dir(loader), name))
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	soname, err := c.DynString(elf.DT_SONAME)
	require.NoError(t, err)
	require.Equal(t, []string{name}, soname)
	for _, library := range []*elf.File{l, c} {
		require.Nil(t, library.Section(".note.gnu.build-id"))
		require.Nil(t, library.Section(".symtab"))
		require.Nil(t, library.Section(".debug_info"))
	}
}

func TestCoreHoldsNeitherTextsOfThePackerNorPlaces(t *testing.T) {
	f := setUp(t)
	const marker = "kingfisher at the millpond"
	require.Contains(t, string(read(t, f.fmu, "documentation/index.html")), marker)
	core := read(t, f.fmu, "binaries/linux64/Probe-core-"+guidOf(t, f.fmu)[:16]+".so")
	folder, err := os.Getwd()
	require.NoError(t, err)
	for _, text := range []string{marker, folder, f.folder, "gosmp-pack-", "text/template.",
		"gosmp/build.drawIcon"} {
		require.False(t, bytes.Contains(core, []byte(text)), "the core contains %q", text)
	}
}

func TestCoreAnswersThroughTheLoader(t *testing.T) {
	f := setUp(t)
	require.Equal(t, []string{"env name fmi2OK logProbe: step 1: 100 % of ##r1##", "fmi2OK 11"},
		introduced(t, f.play(t, "steps", guidOf(t, f.fmu), unpack(t, f.fmu))))
}

// introduced returns what a host logged after the line in which the FMU names its release.
func introduced(t *testing.T, lines []string) []string {
	t.Helper()
	require.NotEmpty(t, lines)
	require.Regexp(t,
		`^env name fmi2OK logAll: Probe 1\.0, made with gosmp \S+ \(go\S+\) for OSI 3\.8\.0, `+
			`guid [0-9a-f]{32}$`, lines[0])
	return lines[1:]
}

func TestWrongGUIDIsRefused(t *testing.T) {
	f := setUp(t)
	got := f.play(t, "instantiate", "0123", unpack(t, f.fmu))
	require.Equal(t, "NULL", got[len(got)-1])
	require.Contains(t, got[0], "env name fmi2Error logStatusError: ")
	require.Contains(t, got[0], guidOf(t, f.fmu), "the error contains the expected GUID")
}

func TestStartValuesReachModelDescriptionAndCore(t *testing.T) {
	f := setUp(t)
	odd := `50 % 'q' "d" a=b&c <ü> $HOME \ +`
	path := f.pack(t, "-start", "gain=2.5", "-start", "log.text="+odd)
	require.NotEqual(t, guidOf(t, f.fmu), guidOf(t, path))
	xml := string(read(t, path, "modelDescription.xml"))
	require.Contains(t, xml, `start="2.5"`)
	require.Contains(t, xml, `start="50 % &#39;q&#39; &#34;d&#34; a=b&amp;c &lt;ü&gt; $HOME \ +"`)
	require.Equal(t, []string{"env name fmi2OK logProbe: step 1: " + odd, "fmi2OK 12.5"},
		introduced(t, f.play(t, "steps", guidOf(t, path), unpack(t, path))))
}

func TestResourcesArePackedAndDecideTheGUID(t *testing.T) {
	f := setUp(t)
	file := filepath.Join(t.TempDir(), "drive.csv")
	var guids []string
	for _, content := range []string{"1,2\n", "1,3\n"} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		path := f.pack(t, "-resource", "drive.csv="+file, "-resource", "maps/a b.txt="+file)
		require.Equal(t, content, string(read(t, path, "resources/drive.csv")))
		require.Equal(t, content, string(read(t, path, "resources/maps/a b.txt")))
		guids = append(guids, guidOf(t, path))
	}
	require.NotEqual(t, guids[0], guids[1])
	require.NotContains(t, guids, guidOf(t, f.fmu))
}

func TestOneCoreForManyCopiesThatLoadAtOnce(t *testing.T) {
	f := setUp(t)
	var loaders []string
	for range 16 {
		loaders = append(loaders, unpack(t, f.fmu))
	}
	require.Equal(t, []string{"16 of 16, 1 core"}, f.play(t, "race", guidOf(t, f.fmu), loaders...))
	rounds := f.play(t, "rounds", guidOf(t, f.fmu), loaders...)
	require.Len(t, rounds, 1)
	// A Go runtime starts and stops a few threads on its own when the machine is busy.
	require.Regexp(t, `^1 core, [+-][0-3] threads, \+0 files, memory steady$`, rounds[0])
}

func TestDifferentFMUsKeepDifferentCores(t *testing.T) {
	f := setUp(t)
	other := f.pack(t, "-start", "gain=3")
	got := f.play(t, "race", guidOf(t, f.fmu), unpack(t, f.fmu), unpack(t, other))
	require.Equal(t, []string{"1 of 2, 2 core"}, got,
		"the other one has another guid and refuses this one")
}

func TestMissingCoreIsReported(t *testing.T) {
	f := setUp(t)
	loader := unpack(t, f.fmu)
	core := filepath.Join(filepath.Dir(loader), "Probe-core-"+guidOf(t, f.fmu)[:16]+".so")
	require.NoError(t, os.Remove(core))
	got := f.play(t, "instantiate", guidOf(t, f.fmu), loader)
	require.Equal(t, "NULL", got[len(got)-1])
	require.Contains(t, got[0], "expected at "+core)
}

func TestLoggerThatJumpsUnwindsNoGoFrames(t *testing.T) {
	f := setUp(t)
	require.Equal(t, []string{
		"env name fmi2OK logProbe: step 1: 100 %% of ##r1##", "jumped",
		"env name fmi2OK logProbe: step 2: 100 %% of ##r1##", "jumped",
		"env name fmi2OK logProbe: step 3: 100 %% of ##r1##", "jumped",
		"returned fmi2OK",
	}, introduced(t, f.play(t, "jump", guidOf(t, f.fmu), unpack(t, f.fmu))))
}

func TestHandlesAndSilenceWithTheRealCore(t *testing.T) {
	f := setUp(t)
	loader, guid := unpack(t, f.fmu), guidOf(t, f.fmu)
	require.Equal(t, []string{"stale fmi2Error", "foreign fmi2Error", "NULL fmi2Error",
		"beside fmi2Error", "valid accepted",
		"reused 0, accepted 0"}, f.play(t, "handles", guid, loader))
	require.Equal(t, []string{"silent"}, f.play(t, "silent", guid, loader))
}
