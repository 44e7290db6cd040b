package platforms

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/build"
)

const model = "OSMPDummySensor"

// packed returns the FMU under test.
func packed(t *testing.T) string {
	t.Helper()
	path := os.Getenv("GOSMP_FMU_ALL")
	if path == "" {
		path = filepath.Join("..", "..", "dist", "all", model+".fmu")
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no FMU at %s: run `make fmu-all` or set GOSMP_FMU_ALL", path)
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

// unpacked is an FMU in a folder whose name breaks careless programs.
type unpacked struct{ folder, guid string }

func unpack(t *testing.T, path string) unpacked {
	t.Helper()
	u := unpacked{folder: filepath.Join(t.TempDir(), "Prüfstand ÄÖß, 100%20")}
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	require.NoError(t, os.CopyFS(u.folder, z))
	text, err := os.ReadFile(filepath.Join(u.folder, "modelDescription.xml"))
	require.NoError(t, err)
	found := regexp.MustCompile(` guid="([0-9a-f]{32})"`).FindSubmatch(text)
	require.NotNil(t, found)
	u.guid = string(found[1])
	return u
}

func (u unpacked) binaries(p platform) string {
	return filepath.Join(u.folder, "binaries", p.folder)
}

func (u unpacked) loader(p platform) string {
	return filepath.Join(u.binaries(p), model+p.extension())
}

func (u unpacked) core(p platform) string {
	return filepath.Join(u.binaries(p), model+"-core-"+u.guid[:16]+p.extension())
}

// resources returns the URI of the folder in the platform's syntax.
func (u unpacked) resources(p platform) string {
	path := filepath.Join(u.folder, "resources")
	if p.windows() {
		path = "/Z:" + path
	}
	location := url.URL{Scheme: "file", Path: path}
	return location.String()
}

// native returns a path in the platform's syntax: wine shows the root as drive Z.
func (p platform) native(path string) string {
	if p.windows() {
		return "Z:" + strings.ReplaceAll(path, "/", `\`)
	}
	return path
}

// importer is the host on its machine.
type importer struct {
	platform
	*machine
	unpacked
}

// on runs a test on every platform of the FMU that this machine can run, linux64 first.
func on(t *testing.T, test func(t *testing.T, i importer)) {
	u := unpack(t, packed(t))
	for _, p := range platforms {
		if _, err := os.Stat(u.binaries(p)); err != nil {
			continue
		}
		t.Run(p.folder, func(t *testing.T) {
			test(t, importer{p, p.prepare(t), u})
		})
	}
}

// call runs the host.
func (i importer) call(command string, words ...string) (stdout, stderr string, err error) {
	var out, errs strings.Builder
	c := i.process(append([]string{i.host, command, i.guid, i.resources(i.platform)}, words...)...)
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), strings.ReplaceAll(errs.String(), "\r\n",
		"\n"), err
}

func (i importer) succeed(t *testing.T, command string, words ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, err := i.call(command, words...)
	require.NoError(t, err, "%s%s", stdout, stderr)
	return stdout, stderr
}

// copies unpacks the libraries repeatedly, each time into a different folder.
func (i importer) copies(t *testing.T, n int) (libraries []string) {
	t.Helper()
	for k := range n {
		folder := filepath.Join(t.TempDir(), fmt.Sprintf("Kopie № %d", k))
		require.NoError(t, os.CopyFS(folder, os.DirFS(i.binaries(i.platform))))
		libraries = append(libraries, i.native(filepath.Join(folder,
			filepath.Base(i.loader(i.platform)))))
	}
	return libraries
}

// TestLife_EveryPlatformSendsTheSameBytes compares each platform with the first one that runs here,
// which is linux64 where possible.
func TestLife_EveryPlatformSendsTheSameBytes(t *testing.T) {
	var first []byte
	var name string
	on(t, func(t *testing.T, i importer) {
		in, out := filepath.Join(t.TempDir(), "views.osi"), filepath.Join(t.TempDir(), "data.osi")
		require.NoError(t, os.WriteFile(in, views(t), 0o600))
		_, complaints := i.succeed(t, "life", i.native(i.loader(i.platform)), i.native(out),
			i.native(in))
		require.Equal(t, 7, strings.Count(complaints, "\n"),
			"one line for each call that a slave without it refuses: %s", complaints)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Greater(t, len(data), 100_000)
		if first == nil {
			first, name = data, i.platform.folder
		}
		require.True(t, bytes.Equal(first, data), "%s and %s differ from byte %d on", name,
			i.platform.folder, common(first, data))
		t.Logf("%d bytes of SensorData, the same as on %s", len(data), name)
	})
}

// common returns the number of equal bytes at the beginning.
func common(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestDemo_EveryPlatformSendsTheSameBytes plays the bundled drive for a minute, which is longer
// than the drive.
func TestDemo_EveryPlatformSendsTheSameBytes(t *testing.T) {
	var first string
	on(t, func(t *testing.T, i importer) {
		stdout, complaints := i.succeed(t, "run", i.native(i.loader(i.platform)), "3000", "0", "1",
			"2", "20", "21", "22", "23", "24")
		require.Empty(t, complaints)
		if first == "" {
			first = stdout
		}
		require.Equal(t, first, stdout)
	})
}

// TestRounds_FiftyFoldersThatAreRemoved loads the FMU from fifty folders in turn. Windows keeps
// only the file of the core that is mapped, in the first folder.
func TestRounds_FiftyFoldersThatAreRemoved(t *testing.T) {
	on(t, func(t *testing.T, i importer) {
		stdout, complaints := i.succeed(t, "rounds", i.copies(t, 50)...)
		require.Empty(t, complaints)
		var first, last struct{ threads, files, cores, left, of int }
		_, err := fmt.Sscanf(stdout,
			"first: threads %d files %d cores %d\nlast: threads %d files %d cores %d\nleft: "+
				"%d of %d files\n",
			&first.threads, &first.files, &first.cores, &last.threads, &last.files, &last.cores,
			&last.left, &last.of)
		require.NoError(t, err, stdout)
		require.Equal(t, 1, first.cores)
		require.Equal(t, 1, last.cores)
		require.LessOrEqual(t, last.threads, first.threads+3, "threads that a Go runtime may start")
		require.LessOrEqual(t, last.files, first.files+3)
		most := 0
		if i.windows() {
			most = 1
		}
		require.LessOrEqual(t, last.left, most)
		t.Log(strings.ReplaceAll(strings.TrimSpace(stdout), "\n", "; "))
	})
}

// TestResources_AreFoundWithoutALocation plays the bundled drive in a host that passes no resource
// location.
func TestResources_AreFoundWithoutALocation(t *testing.T) {
	on(t, func(t *testing.T, i importer) {
		words := []string{i.native(i.loader(i.platform)), "200", "14", "20", "29"}
		want, complaints := i.succeed(t, "run", words...)
		require.Empty(t, complaints)
		c := i.process(append([]string{i.host, "run", i.guid, "-"}, words...)...)
		found, err := c.Output()
		require.NoError(t, err)
		require.Equal(t, want, strings.ReplaceAll(string(found), "\r\n", "\n"))
	})
}

func TestRace_SixteenThreadsLoadOneCore(t *testing.T) {
	on(t, func(t *testing.T, i importer) {
		copies := i.copies(t, 16)
		for range 3 {
			stdout, complaints := i.succeed(t, "race", copies...)
			require.Empty(t, complaints)
			require.Regexp(t, `^raced: threads \d+ files \d+ cores 1\n$`, stdout)
		}
	})
}

func TestMissingCoreIsNamedWithItsPath(t *testing.T) {
	on(t, func(t *testing.T, i importer) {
		alone := filepath.Join(t.TempDir(), "Ordner für %s")
		require.NoError(t, os.Mkdir(alone, 0o755))
		text, err := os.ReadFile(i.loader(i.platform))
		require.NoError(t, err)
		loader := filepath.Join(alone, filepath.Base(i.loader(i.platform)))
		require.NoError(t, os.WriteFile(loader, text, 0o755))
		_, complaints, err := i.call("run", i.native(loader), "1")
		require.Error(t, err)
		require.Contains(t, complaints, "the core of this FMU cannot be loaded, expected at "+
			i.native(filepath.Join(alone, filepath.Base(i.core(i.platform))))+": ")
		require.Contains(t, complaints, "; unpack the whole .fmu")
		t.Log(strings.SplitN(complaints, "\n", 2)[0])
	})
}

// repack builds the FMU and its twin again.
func repack(t *testing.T, u unpacked, flags ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("packs for all platforms, which takes a minute")
	}
	var list []string
	for _, p := range platforms {
		if _, err := os.Stat(u.binaries(p)); err == nil {
			list = append(list, p.folder)
		}
	}
	to := filepath.Join(t.TempDir(), model+".fmu")
	c := exec.Command("go", append([]string{"run", "./cmd/osmpdummysensor", "pack", "-fmi", "2,3",
		"-o", to, "-zig", zig(t), "-platforms", strings.Join(list, ",")}, flags...)...)
	c.Dir = filepath.Join("..", "..")
	c.Env = append(c.Environ(), "TMPDIR="+t.TempDir())
	// recompiles everything, which takes minutes
	if caches := os.Getenv("GOSMP_FRESH_CACHES"); caches != "" {
		c.Env = append(c.Env, "GOCACHE="+filepath.Join(caches, "go"), "ZIG_GLOBAL_CACHE_DIR="+
			filepath.Join(caches, "zig"))
	}
	output, err := c.CombinedOutput()
	require.NoError(t, err, string(output))
	return to
}

func TestRepeatedPackIsBitIdentical(t *testing.T) {
	fmu := packed(t)
	again := repack(t, unpack(t, fmu))
	requireSame(t, fmu, again)
	requireSame(t, twin(t), twinOf(again))
}

// requireSame requires two FMUs with the same bytes.
func requireSame(t *testing.T, fmu, again string) {
	t.Helper()
	require.Equal(t, digests(t, fmu), digests(t, again),
		"the same sources packed in another folder; have they changed since?")
	first, err := os.ReadFile(fmu)
	require.NoError(t, err)
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, second), "equal files in an unequal zip")
}

// digests returns the checksums of the files in an FMU.
func digests(t *testing.T, path string) map[string]uint32 {
	t.Helper()
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	sums := map[string]uint32{}
	for _, f := range z.File {
		sums[f.Name] = f.CRC32
	}
	return sums
}

func TestPair_TwoFMUsInOneProcess(t *testing.T) {
	other := unpack(t, repack(t, unpack(t, packed(t)), "-start", "sensorId=7"))
	on(t, func(t *testing.T, i importer) {
		require.NotEqual(t, i.guid, other.guid)
		stdout, complaints := i.succeed(t, "pair", i.native(i.loader(i.platform)), other.guid,
			other.resources(i.platform),
			i.native(other.loader(i.platform)))
		require.Empty(t, complaints)
		require.Regexp(t, `paired: threads \d+ files \d+ cores 2\n$`, stdout)
		lines := strings.Split(stdout, "\n")
		require.NotEqual(t, lines[0], lines[1], "they carry different ids")
	})
}

// floors holds the most that a binary may require: the newest glibc version, and libraries.
var floors = map[string]struct {
	glibc string
	needs *regexp.Regexp
}{
	"linux64":       {"2.17", regexp.MustCompile(`^lib(c\.so\.6|dl\.so\.2|pthread\.so\.0)$`)},
	"aarch64-linux": {"2.17", regexp.MustCompile(`^lib(c\.so\.6|dl\.so\.2|pthread\.so\.0)$`)},
	"linux32":       {"2.34", regexp.MustCompile(`^lib(c\.so\.6|dl\.so\.2|pthread\.so\.0)$`)},
	"win64": {"",
		regexp.MustCompile(`^(KERNEL32\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll)$`)},
	"win32": {"",
		regexp.MustCompile(`^(KERNEL32\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll)$`)},
}

func TestFloor_StandsInTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/PLATFORMS.md")
	require.NoError(t, err)
	for name, floor := range floors {
		system := "libc, libdl, libpthread"
		if floor.glibc == "" {
			system = "KERNEL32 and the Universal C Runtime"
		}
		require.Contains(t, string(text), fmt.Sprintf("\n| `%s` | %s | %s |\n", name,
			cmp.Or(floor.glibc, "none"), system))
	}
}

func TestFloor_RequirementsOfTheBinaries(t *testing.T) {
	table := "| library | bytes | exports | newest glibc | needs |\n|---|---|---|---|---|\n"
	for prefix, fmu := range map[string]string{"fmi2": packed(t), "fmi3": twin(t)} {
		info, err := os.Stat(fmu)
		require.NoError(t, err)
		table += fmt.Sprintf("| whole FMU | %d | | | |\n", info.Size())
		u, n := unpacked{folder: t.TempDir()}, 0
		z, err := zip.OpenReader(fmu)
		require.NoError(t, err)
		require.NoError(t, os.CopyFS(u.folder, z))
		require.NoError(t, z.Close())
		for _, p := range platforms {
			binaries := u.binaries(p)
			if prefix == "fmi3" {
				binaries = filepath.Join(u.folder, "binaries", folders3[p.folder])
			}
			libraries, err := filepath.Glob(filepath.Join(binaries, model+"*"))
			require.NoError(t, err)
			for _, path := range libraries {
				table += examine(t, p, prefix, path)
				n++
			}
		}
		require.Positive(t, n)
		require.Zero(t, n%2, "a loader and a core for each platform")
	}
	t.Log("\n" + table)
}

// examine checks one library and returns its row of the table. prefix begins the names of the
// functions that a loader exports.
func examine(t *testing.T, p platform, prefix, path string) string {
	t.Helper()
	l, err := build.Examine(path)
	require.NoError(t, err)
	name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
	if core := strings.Contains(name, "-core-"); !core {
		require.Len(t, l.Exports, map[string]int{"fmi2": 34, "fmi3": 75}[prefix], name)
		for _, export := range l.Exports {
			require.True(t, strings.HasPrefix(export, prefix), "%s exports %s", name, export)
		}
	} else if !p.windows() {
		require.Contains(t, l.Exports, "gosmp_start_runtime", name)
	}
	floor := floors[p.folder]
	require.LessOrEqual(t, number(t, l.Glibc), number(t, floor.glibc), "%s needs glibc %s", name,
		l.Glibc)
	for _, library := range l.Needs {
		require.Regexp(t, floor.needs, library, name)
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, place := range places(t) {
		require.False(t, bytes.Contains(content, []byte(place)), "%s contains %s", name, place)
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %s |\n", hashed.ReplaceAllString(name, "-core"),
		len(content), len(l.Exports), cmp.Or(l.Glibc, "none"),
		strings.Join(l.Needs, " "))
}

var hashed = regexp.MustCompile("-core-[0-9a-f]{16}")

// number converts a version to a comparable number.
func number(t *testing.T, version string) (n int) {
	t.Helper()
	var parts [3]int
	if version != "" {
		_, err := fmt.Sscanf(version+".0.0", "%d.%d.%d", &parts[0], &parts[1], &parts[2])
		require.NoError(t, err)
	}
	return parts[0]*1_000_000 + parts[1]*1000 + parts[2]
}

// places returns folders of this machine whose paths no binary may contain.
func places(t *testing.T) []string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	output, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE", "GOCACHE").Output()
	require.NoError(t, err)
	list := append(strings.Fields(string(output)), root+"/", home+"/", "/go-build", "gosmp-pack-",
		"site-packages/")
	require.Greater(t, len(list), 7)
	return list
}
