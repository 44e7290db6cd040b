//go:build !fmucore

package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/chost"
)

// headerFolder contains fmi2.h.
const headerFolder = "../export"

// compile runs the C compiler with warnings as errors.
func compile(t *testing.T, arguments ...string) {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	require.NoError(t, err, "these tests need a C compiler: apt-get install gcc libc6-dev")
	text, err := exec.Command(compiler, append([]string{"-Wall", "-Wextra", "-Werror"},
		arguments...)...).CombinedOutput()
	require.NoError(t, err, string(text))
}

// stage is a folder with a loader, the core of the tests in testdata/core.c, and the host of
// testdata/host.c.
type stage struct {
	t            *testing.T
	host, loader string
	flags        []string // additional flags of the C compiler, for all three
	environment  []string // additional variables of the host's environment
}

const stageCore = "X-core-0123456789abcdef.so"

// workshop contains the hosts, loaders and cores, each of which is compiled once. It is empty until
// the first one.
var workshop string

// compiled holds the libraries in the workshop by the arguments of the compiler.
var compiled = map[string]string{}

// compileOnce compiles a library, or copies the library that was compiled with the same arguments
// before. Each stage has files of its own.
func compileOnce(t *testing.T, to string, arguments ...string) {
	t.Helper()
	key := strings.Join(arguments, "\x00")
	from := compiled[key]
	if from == "" {
		from = filepath.Join(workshop, strconv.Itoa(len(compiled))+".so")
		compile(t, append([]string{"-o", from}, arguments...)...)
		compiled[key] = from
	}
	library, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, library, 0o755)) //nolint:gosec // it is a library
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := os.RemoveAll(workshop); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func newStage(t *testing.T, flags ...string) *stage {
	t.Helper()
	return newStageOf(t, fmi.FMI2, flags...)
}

// newStageOf returns a stage with the loader for a version of FMI.
func newStageOf(t *testing.T, v fmi.Version, flags ...string) *stage {
	t.Helper()
	if workshop == "" {
		var err error
		workshop, err = os.MkdirTemp("", "loader-hosts-")
		require.NoError(t, err)
	}
	s := &stage{t: t, loader: filepath.Join(t.TempDir(), "X.so"), flags: flags}
	s.host = chost.Compile(t, workshop, "testdata/host.c", append([]string{"-g"}, flags...)...)
	native := &target{platform: &platforms[0]}
	loader := native.loaderFlags(headerFolder, v, stageCore)
	if len(flags) > 0 { // with a sanitizer the program defines some symbols
		loader = slices.DeleteFunc(loader, func(f string) bool { return f == "-Wl,-z,defs" })
	}
	sources, err := native.sources("loader", v)
	require.NoError(t, err)
	compileOnce(t, s.loader, slices.Concat([]string{"-pedantic"}, loader, flags, sources,
		native.loaderLibraries())...)
	return s
}

// core puts a core next to the loader.
func (s *stage) core(flags ...string) *stage {
	s.t.Helper()
	to := filepath.Join(filepath.Dir(s.loader), stageCore)
	compileOnce(s.t, to, slices.Concat([]string{"-std=gnu11", "-fPIC", "-shared",
		"-Wl,-soname," + stageCore, "-I", headerFolder, "testdata/core.c"}, s.flags, flags)...)
	return s
}

// play makes the host perform an act, and returns the lines that it prints.
func (s *stage) play(act, guid string, loaders ...string) []string {
	s.t.Helper()
	if loaders == nil {
		loaders = []string{s.loader}
	}
	c := exec.Command(s.host, append([]string{act, guid}, loaders...)...)
	c.Dir = filepath.Dir(s.loader)
	c.Env = append(c.Environ(), s.environment...)
	text, err := c.CombinedOutput()
	require.NoError(s.t, err, string(text))
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

const line = "env name fmi2Warning logTest: "

func TestLoaderExportsThe34FunctionsAndNothingElse(t *testing.T) {
	library, err := Examine(newStage(t).loader)
	require.NoError(t, err)
	require.ElementsMatch(t, strings.Fields(`
		fmi2GetTypesPlatform fmi2GetVersion fmi2SetDebugLogging
		fmi2Instantiate fmi2FreeInstance fmi2SetupExperiment fmi2EnterInitializationMode fmi2ExitInitializationMode
		fmi2Terminate fmi2Reset
		fmi2GetReal fmi2GetInteger fmi2GetBoolean fmi2GetString fmi2SetReal fmi2SetInteger fmi2SetBoolean fmi2SetString
		fmi2GetFMUstate fmi2SetFMUstate fmi2FreeFMUstate fmi2SerializedFMUstateSize fmi2SerializeFMUstate
		fmi2DeSerializeFMUstate fmi2GetDirectionalDerivative
		fmi2SetRealInputDerivatives fmi2GetRealOutputDerivatives fmi2DoStep fmi2CancelStep
		fmi2GetStatus fmi2GetRealStatus fmi2GetIntegerStatus fmi2GetBooleanStatus fmi2GetStringStatus`), library.Exports)
}

func TestLoaderAnswersInquiriesWithoutACore(t *testing.T) {
	require.Equal(t, []string{"2.0 default 0"}, newStage(t).play("version", "-"))
	require.Equal(t, []string{"2.0 default 0"}, newStage(t).core().play("version", "-"),
		"the loader loads no core for them")
}

func TestLoaderHandsOnAllFunctionsWithTheirArguments(t *testing.T) {
	want := strings.Split(`fmi2Instantiate name 1 loud file:///nowhere 0 1
fmi2SetDebugLogging 1 2 forty-one
fmi2SetupExperiment 1 1.25 2.25 3 4.25
fmi2EnterInitializationMode 
fmi2ExitInitializationMode 
fmi2Terminate 
fmi2Reset 
fmi2GetReal 11 3 1.5
fmi2GetInteger 11 4 21
fmi2GetBoolean 11 5 31
fmi2GetString 11 6 forty-one
fmi2SetReal 11 7 1.5
fmi2SetInteger 11 8 21
fmi2SetBoolean 11 9 31
fmi2SetString 11 10 forty-one
fmi2GetFMUstate state
fmi2SetFMUstate state
fmi2FreeFMUstate state
fmi2SerializedFMUstateSize state 51
fmi2SerializeFMUstate state bytes 61
fmi2DeSerializeFMUstate bytes 62 state
fmi2GetDirectionalDerivative 11 71 12 72 2.5 1.5
fmi2SetRealInputDerivatives 11 73 21 1.5
fmi2GetRealOutputDerivatives 11 74 21 1.5
fmi2DoStep 5.25 6.25 7
100 % of ##r1##
the third line
fmi2CancelStep 
fmi2GetStatus 0 3
fmi2GetRealStatus 2 1.5
fmi2GetIntegerStatus 1 21
fmi2GetBooleanStatus 3 31
fmi2GetStringStatus 1 forty-one
sum of statuses 60
fmi2FreeInstance: first line
fmi2FreeInstance: second line`, "\n")
	var got []string
	for _, l := range newStage(t).core().play("all", "loud") {
		got = append(got, strings.TrimPrefix(l, line))
	}
	require.Equal(t, want, got)
}

func TestLoaderNamesThePathOfAMissingCore(t *testing.T) {
	s := newStage(t)
	got := s.play("instantiate", "quiet")
	expected := filepath.Join(filepath.Dir(s.loader), stageCore)
	require.Len(t, got, 2)
	require.Equal(t,
		"env name fmi2Error logStatusError: fmi2Instantiate: the core of this FMU cannot be "+
			"loaded, expected at "+
			expected+": "+expected+": cannot open shared object file: No such file or directory; "+
			"unpack the whole .fmu and keep the files of its binaries folder together", got[0])
	require.Equal(t, "NULL", got[1])
}

func TestLoaderEscapesPathsInItsMessages(t *testing.T) {
	s := newStage(t)
	folder := filepath.Join(t.TempDir(), "50%s#r1# ä b")
	require.NoError(t, os.Mkdir(folder, 0o755))
	moved := filepath.Join(folder, "X.so")
	require.NoError(t, os.Rename(s.loader, moved))
	got := s.play("instantiate", "quiet", moved)
	require.Contains(t, got[0], "/50%s##r1## ä b/"+stageCore,
		"%s is printed, and for FMI a double # is one")
}

// Names of folders may contain any bytes, while loggers such as FMPy's require UTF-8. Bytes that
// are not part of a character become U+FFFD.
func TestLoaderLogsPathsInUTF8(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{
		"plain", "ä\u00a2\u20ac\U00010348\ud7ff\ue000\uffff\U0010ffff", "\xffa\xfe\xfdb\x80",
		"ends with \xe2\x82", "\xe2\x82a", "\xf0\x90\x8da",
		"too long \xc0\xafx\xc1\xbfx\xe0\x9f\xbfx\xf0\x8f\xbf\xbfx",
		"surrogates \xed\xa0\x80x\xed\xbf\xbf", "too far \xf4\x90\x80\x80x\xf5\x80\x80\x80",
		"\xc3\xa4\xa4", "\xc3\xc3\xa4", "\xe1\x80\xc3\xa4", "\xf1\x80\x80%\xff#",
		strings.Repeat("\xffa", 100),
	} {
		folder := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(folder, 0o755))
		moved := filepath.Join(folder, "X.so")
		require.NoError(t, os.Link(s.loader, moved))
		got := s.play("instantiate", "quiet", moved)
		want := strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "#", "##")
		require.Contains(t, got[0], "expected at "+filepath.Dir(folder)+"/"+want+"/"+stageCore,
			"%q", name)
		require.True(t, utf8.ValidString(got[0]))
	}
}

func TestLoaderFindsItsCoreInAnOddFolder(t *testing.T) {
	s := newStage(t).core()
	folder := filepath.Join(t.TempDir(), "50%s#r1# ä b:c")
	require.NoError(t, os.Rename(filepath.Dir(s.loader), folder))
	s.loader = filepath.Join(folder, "X.so")
	require.Equal(t, "instance", s.play("instantiate", "quiet")[0])

	// dlopen would replace these, so the host changes to this folder
	stranger := filepath.Join(t.TempDir(), "$ORIGIN $LIB ${PLATFORM}")
	require.NoError(t, os.Rename(folder, stranger))
	s.loader = filepath.Join(stranger, "X.so")
	require.Equal(t, "instance", s.play("instantiate", "quiet", "./X.so")[0])
}

func TestLoaderIsUnloadedAndItsCoreIsNot(t *testing.T) {
	got := newStage(t).core().play("unload", "quiet")
	require.Equal(t, "instance", got[0])
	require.Equal(t, "unloaded, 1 core", got[len(got)-1])
}

func TestLoaderBearsAFolderThatIsTooDeep(t *testing.T) {
	got := newStage(t).play("deep", "quiet")
	require.Len(t, got, 2)
	require.Contains(t, got[0], strings.Repeat("/"+strings.Repeat("d", 200), 25)+"/./"+stageCore+
		": ", "as the linker remembers it")
	require.Contains(t, got[0], ": File name too long; unpack the whole .fmu")
	require.Equal(t, "NULL", got[1])
}

// The loader serves integers itself only if the core allows it. It forwards all other calls without
// having changed anything. Each call of the core is a turn, and so is each attempt to set integers.
func TestLoaderServesIntegersOfACoreThatSharesThem(t *testing.T) {
	got := newStage(t).core("-DSHARED").play("integers", "quiet")
	forwarded := func(k string) []string {
		return []string{line + "fmi2SetInteger 0 1 1" + k, line + "fmi2GetInteger 0 3 -1",
			"set 2 get 2 -1 -1 -1"}
	}
	require.Equal(t, slices.Concat(
		[]string{line + "turns 1, changed 0, set 000, values 1 2 3", "-- allowed 3, owner 1",
			"set 0 get 0 10 2 3"},
		[]string{line + "turns 5, changed 1, set 100, values 10 2 3", "-- allowed 1, owner 1",
			line + "fmi2SetInteger 0 1 11", "set 2 get 0 10 2 3"},
		[]string{line + "turns 7, changed 0, set 000, values 10 2 3",
			"-- allowed 0, owner 1"}, forwarded("2"),
		[]string{line + "turns 9, changed 0, set 000, values 10 2 3",
			"-- allowed 3, owner 0"}, forwarded("3"),
		[]string{line + "turns 9, changed 0, set 000, values 10 2 3",
			"-- allowed 0, owner 0"}, forwarded("4"),
		[]string{
			line + "turns 9, changed 0, set 000, values 10 2 3",
			line + "fmi2SetInteger 0 2 40", "not settable 2", line + "fmi2SetInteger 0 2 40",
			"unknown 2",
			line + "fmi2GetInteger 0 2 -1", "unknown 2", "untouched -1",
			line + "turns 13, changed 0, set 000, values 10 2 3",
			line + "fmi2FreeInstance: first line", line + "fmi2FreeInstance: second line",
		}), got)
}

func TestLoaderReportsACoreWithoutAFunction(t *testing.T) {
	got := newStage(t).core("-DINCOMPLETE").play("instantiate", "quiet")
	require.Equal(t, []string{"env name fmi2Error logStatusError: fmi2Instantiate: the core " +
		stageCore +
		" has no function fmi2DoStep; pack the FMU again", "NULL"}, got)
}

func TestLoaderReportsACoreThatIsNotALibrary(t *testing.T) {
	s := newStage(t)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(s.loader), stageCore),
		[]byte("text"), 0o644))
	require.Contains(t, s.play("instantiate", "quiet")[0], stageCore+": file too short")
}

func TestLoaderDeliversTheReasonOfARefusal(t *testing.T) {
	require.Equal(t, []string{
		line + "fmi2Instantiate name 1 refused file:///nowhere 0 1",
		line + "refused for two reasons: one", line + "refused for two reasons: two", "NULL",
	}, newStage(t).core().play("instantiate", "refused"))
}

func TestLoaderDeliversTheLinesOfInstantiationAtOnce(t *testing.T) {
	require.Equal(t, []string{
		line + "fmi2Instantiate name 1 loud file:///nowhere 0 1", "instance",
		line + "fmi2FreeInstance: first line", line + "fmi2FreeInstance: second line",
	}, newStage(t).core().play("instantiate", "loud"))
}

// unpacked moves a stage to its place in an unpacked FMU, and returns the folder of the FMU.
func (s *stage) unpacked() (root string) {
	root = s.t.TempDir()
	platform := filepath.Join(root, "binaries", "linux64")
	require.NoError(s.t, os.Mkdir(filepath.Dir(platform), 0o755))
	require.NoError(s.t, os.Rename(filepath.Dir(s.loader), platform))
	s.loader = filepath.Join(platform, "X.so")
	return root
}

func TestLoaderNamesTheResourcesOfItsFMU(t *testing.T) {
	s := newStage(t).core()
	root := s.unpacked()
	for _, found := range []bool{false, true} {
		missing := []string{"(null)", ""} // as passed by the host
		if found {
			folder, err := filepath.EvalSymlinks(root)
			require.NoError(t, err)
			folder = filepath.Join(folder, "resources")
			require.NoError(t, os.Mkdir(folder, 0o755))
			missing = []string{folder, folder}
		}
		var want []string
		for _, location := range append(missing, "file:///elsewhere") {
			want = append(want, line+"fmi2Instantiate name 1 loud "+location+" 0 1", "instance",
				line+"fmi2FreeInstance: first line", line+"fmi2FreeInstance: second line")
		}
		require.Equal(t, want, s.play("lost", "loud"))
	}
}

func TestLoaderKeepsNothingOfFailures(t *testing.T) {
	require.Equal(t, []string{"0 made, +0 threads, +0 files, address space steady"},
		newStage(t).play("tries", "quiet"))
}

func TestLoaderMovesHandlersAndNothingElse(t *testing.T) {
	require.Equal(t, []string{
		"SIGUSR1: ours siginfo restart onstack masks", "SIGUSR2: ours onstack masks blocked",
		"SIGRTMAX: ours onstack masks",
		"SIGHUP: ours onstack masks", "SIGPIPE: ignored restart", "SIGTERM: default",
	}, newStage(t).core().play("handlers", "quiet"))
	require.Equal(t, []string{
		"SIGUSR1: ours siginfo restart masks", "SIGUSR2: ours masks blocked",
		"SIGRTMAX: ours masks", "SIGHUP: ours masks",
		"SIGPIPE: ignored restart", "SIGTERM: default",
	}, newStage(t).play("handlers", "quiet"), "without a core there is no need to")
}

func TestLoaderKeepsNoPlaceForRefusedInstances(t *testing.T) {
	require.Equal(t, []string{"0 made, then an instance", line + "fmi2FreeInstance: first line",
		line + "fmi2FreeInstance: second line"},
		newStage(t).core().play("refusals", "refused"))
}

func TestLoaderIsFirstUsedByManyThreads(t *testing.T) {
	s := newStage(t).core()
	for range 20 {
		require.Equal(t, []string{"64 of 64, 1 core"}, s.play("race", "quiet",
			slices.Repeat([]string{s.loader}, 64)...))
	}
}

// A log line stays valid until the host's next call with the instance.
func TestLoaderKeepsTheNewestLine(t *testing.T) {
	require.Equal(t, []string{"the third line"}, newStage(t).core().play("later", "quiet"))
}

// TestLoaderWorksWithoutMemory makes one allocation of the loader after another fail: the host
// survives, and never gets an incomplete line.
func TestLoaderWorksWithoutMemory(t *testing.T) {
	hungry := filepath.Join(t.TempDir(), "hungry.so")
	compile(t, "-std=gnu11", "-fPIC", "-shared", "-o", hungry, "testdata/hungry.c", "-ldl")
	s, alone := newStage(t).core("-DFORKS"), newStage(t)
	for _, act := range []struct {
		stage      *stage
		name, guid string
		processes  int
		blocks     int // minimum number of allocations of the loader
	}{
		{s, "instantiate", "loud", 1, 5}, {s, "instantiate", "refused", 1, 5}, {s, "steps", "quiet",
			1, 8},
		{s, "lost", "quiet", 1, 10}, {s, "fork", "quiet", 7, 15}, {alone, "instantiate", "quiet",
			1, 5},
	} {
		for n := 1; ; n++ {
			act.stage.environment = []string{"LD_PRELOAD=" + hungry, "HUNGRY=" + strconv.Itoa(n)}
			lines := act.stage.play(act.name, act.guid)
			if strings.Count(strings.Join(lines, "\n"), "had all") == act.processes {
				require.Greater(t, n, act.blocks, "%s %s", act.name, act.guid)
				break
			}
			require.Less(t, n, 100)
			for _, l := range lines {
				if act.name != "lost" { // here the core may set a field to NULL
					require.NotContains(t, l, "(null)", "%s %s without block %d", act.name,
						act.guid, n)
				}
			}
		}
	}
}

func TestLoaderRunsWithoutCallbacksOrLogger(t *testing.T) {
	require.Equal(t, []string{"silent"}, newStage(t).core().play("silent", "loud"))
	require.Equal(t, []string{"silent"}, newStage(t).play("silent", "loud"), "even without a core")
}

func TestLoaderSurvivesALoggerThatJumps(t *testing.T) {
	require.Equal(t, []string{
		line + "fmi2SetupExperiment 0 0 0 0 0", line + "fmi2EnterInitializationMode ",
		line + "fmi2ExitInitializationMode ",
		line + "fmi2DoStep 0 1 0", "jumped",
		line + "100 %% of ##r1##", "jumped",
		line + "the third line", "jumped",
		line + "fmi2DoStep 1 1 0", line + "100 %% of ##r1##", line + "the third line",
		line + "fmi2DoStep 2 1 0", line + "100 %% of ##r1##", line + "the third line",
		line + "fmi2Reset ", "returned fmi2Discard",
		line + "fmi2FreeInstance: first line", line + "fmi2FreeInstance: second line",
	}, newStage(t).core().play("jump", "quiet"))
}

func TestLoaderForgetsAnInstanceWhoseLoggerJumpsOutOfFree(t *testing.T) {
	require.Equal(t, []string{line + "fmi2FreeInstance: first line", "afterwards fmi2Error",
		"another instance"},
		newStage(t).core().play("leave", "quiet"))
}

func TestLoaderBearsALoggerThatCallsBack(t *testing.T) {
	require.Equal(t, []string{
		line + "0 fmi2DoStep 0 1 0", line + "1 100 %% of ##r1##", line + "1 the third line",
		line + "1 fmi2Reset ",
		line + "0 fmi2FreeInstance: first line", line + "0 fmi2FreeInstance: second line",
	}, newStage(t).core().play("reentrant", "quiet"))
}

func TestLoaderBearsALoggerThatFreesItsInstance(t *testing.T) {
	require.Equal(t, []string{
		line + "fmi2DoStep 0 1 0", line + "100 %% of ##r1##", line + "the third line",
		line + "fmi2FreeInstance: first line", line + "fmi2FreeInstance: second line",
		"returned fmi2Discard", "afterwards fmi2Error",
	}, newStage(t).core().play("part", "quiet"))
}

func TestLoaderRefusesHandlesThatAreNotItsOwn(t *testing.T) {
	require.Equal(t, []string{"stale fmi2Error", "foreign fmi2Error", "NULL fmi2Error",
		"beside fmi2Error", "valid accepted",
		"reused 0, accepted 0"}, newStage(t).core().play("handles", "quiet"))
}

func TestLoaderLogsWhenAllSlotsAreTaken(t *testing.T) {
	require.Equal(t, []string{
		"env name fmi2Error logStatusError: fmi2Instantiate: 4096 instances exist, which is the " +
			"limit; free some of them first",
		"4096 instances", "after one was freed: instance", "after one was freed: instance",
	}, newStage(t).core().play("limit", "quiet"))
}

// forks returns the output of a process that forks repeatedly: the loader reports to each child
// that its parent's instance is lost; the child can free it, and creates one in a core of its own.
func forks() (lines []string) {
	const generations = 6
	for range generations {
		lines = append(lines,
			"env name fmi2Error logStatusError: fmi2Reset: this process was forked after the "+
				"instance had been made, "+
				"and its core has not come along; free it, and make instances after the fork or "+
				"in processes that are started afresh "+
				"(Python: the spawn start method)",
			"old fmi2Error", "stale fmi2Error", line+"fmi2Reset ", "new fmi2Discard")
	}
	farewell := []string{line + "fmi2FreeInstance: first line",
		line + "fmi2FreeInstance: second line"}
	lines = append(lines, farewell...)
	for depth := generations - 1; depth >= 0; depth-- {
		lines = append(append(lines, strconv.Itoa(depth)+": child well"), farewell...)
	}
	return lines
}

func TestLoaderGivesAForkedChildACoreOfItsOwn(t *testing.T) {
	require.Equal(t, forks(), newStage(t).core("-DFORKS").play("fork", "quiet"))
}

// Whichever loader a forked child calls first, and even if it calls all of them at once, the child
// gets only one core in addition to its parent's.
func TestLoaderGivesAForkedChildOneCore(t *testing.T) {
	s := newStage(t).core("-DFORKS")
	loaders := []string{s.loader}
	bytes, err := os.ReadFile(s.loader)
	require.NoError(t, err)
	for _, name := range strings.Fields("A.so B.so C.so D.so E.so F.so G.so") {
		loaders = append(loaders, filepath.Join(filepath.Dir(s.loader), name))
		require.NoError(t, os.WriteFile(loaders[len(loaders)-1], bytes, 0o755))
	}
	require.Equal(t, []string{"8 of 8, 2 core", "+0 files"}, s.play("heirs", "quiet", loaders...))
}

func TestLoaderLogsWhyAForkedChildGetsNoCore(t *testing.T) {
	s := newStage(t).core("-DFORKS", "-DREMOVED")
	got := strings.Join(s.play("fork", "quiet"), "\n")
	require.Contains(t, got,
		"env name fmi2Error logStatusError: fmi2Instantiate: the core of this FMU cannot be "+
			"loaded, expected at "+
			filepath.Join(filepath.Dir(s.loader), stageCore)+
			": No such file or directory; this process was forked from one that has "+
			"loaded it and needs a copy of its own; load the FMU after the fork only, or start "+
			"processes afresh (Python: the spawn start method)")
	require.Contains(t, got, "new NULL")
	require.Contains(t, got, "0: child well")
}

func TestLoaderLogsWhatAForkedChildLacks(t *testing.T) {
	s := newStage(t).core("-DFORKS")
	const hint = "this process was forked from one that has loaded it and needs a copy of its " +
		"own; load the FMU after the fork only, " +
		"or start processes afresh (Python: the spawn start method)"
	failure := "env name fmi2Error logStatusError: fmi2Instantiate: the core of this FMU cannot " +
		"be loaded, expected at " +
		filepath.Join(filepath.Dir(s.loader), stageCore) + ": "
	require.Equal(t, []string{
		failure + "File too large; " + hint, "NULL", failure + "File too large; " + hint, "NULL",
		"+0 files",
		failure +
			"this process cannot open the files that Go's runtime needs; close other files, or " +
			"raise the limit on open files (ulimit -n)", "NULL",
		"child well",
	}, s.play("scarce", "quiet"))
}

// TestLoaderKeepsNoMemory repeats the acts with host, loader and core under the sanitizers for
// addresses, leaks and undefined behaviour. The address sanitizer wraps dlopen, so here the core is
// found by its path.
func TestLoaderKeepsNoMemory(t *testing.T) {
	probe := filepath.Join(t.TempDir(), "probe")
	text, err := exec.Command("cc", "-fsanitize=address,undefined", "-shared", "-x", "c", "-o",
		probe, "/dev/null").
		CombinedOutput()
	if err != nil {
		t.Skipf("the C compiler has no sanitizers: %s", text)
	}
	s := newStage(t, "-fsanitize=address,undefined", "-fno-sanitize-recover=all").core("-DFORKS")
	for _, act := range []string{"version", "instantiate", "silent", "steps", "jump", "reentrant",
		"part", "handles", "limit", "all", "fork",
		"lost", "later", "deep"} {
		t.Run(act, func(t *testing.T) { require.NotEmpty(t, s.play(act, "quiet")) })
	}
	require.NotEmpty(t, s.play("instantiate", "refused"))
	require.NoError(t, os.Mkdir(filepath.Join(s.unpacked(), "resources"), 0o755))
	require.NotEmpty(t, s.play("lost", "quiet"))
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(s.loader), stageCore)))
	require.Equal(t, "NULL", s.play("instantiate", "quiet")[1])
	folder := filepath.Join(t.TempDir(), strings.Repeat("%#", 100)) // the message doubles them
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, os.Rename(s.loader, filepath.Join(folder, "X.so")))
	require.Equal(t, "NULL", s.play("instantiate", "quiet", filepath.Join(folder, "X.so"))[1])
	broken := filepath.Join(t.TempDir(), strings.Repeat("\xffa", 100)) // these get even longer
	require.NoError(t, os.Rename(folder, broken))
	require.Equal(t, "NULL", s.play("instantiate", "quiet", filepath.Join(broken, "X.so"))[1])
}
