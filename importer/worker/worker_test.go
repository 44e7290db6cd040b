//go:build linux && cgo

package worker_test

import (
	"archive/zip"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer/worker"
	"gosmp/internal/testfmu"
)

const limit = 2 * time.Minute

// unpack unpacks an FMU and returns the path of its library.
func unpack(t testing.TB, path string) string {
	t.Helper()
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { _ = z.Close() }()
	folder, library := t.TempDir(), ""
	for _, f := range z.File {
		name := filepath.Join(folder, f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, content, 0o700))
		if strings.HasSuffix(name, ".so") {
			library = name
		}
	}
	return library
}

// rig is a worker process with an instance of the test FMU.
type rig struct {
	t       testing.TB
	p       *worker.Process
	major   int
	library string
	mu      sync.Mutex
	records []worker.Record
	printed []string
}

func start(t testing.TB, r testfmu.Recipe, o worker.Options) *rig {
	t.Helper()
	g := &rig{t: t, major: max(r.Version, 2), library: unpack(t, testfmu.Build(t, r))}
	o.Log = func(r worker.Record) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.records = append(g.records, r)
	}
	o.Print = func(line string) { g.printed = append(g.printed, line) }
	p, err := worker.Start(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	g.p = p
	return g
}

// kept returns the records received so far, which come from another goroutine.
func (g *rig) kept() []worker.Record {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.records
}

// forget discards the records received so far.
func (g *rig) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.records = nil
}

func (g *rig) do(o worker.Operation, a worker.Arguments) worker.Reply {
	g.t.Helper()
	r, err := g.p.Do(o, &a, limit)
	require.NoError(g.t, err)
	return r
}

func (g *rig) load() worker.Reply {
	g.t.Helper()
	return g.do(worker.Load, worker.Arguments{Major: g.major, Texts: []string{g.library}})
}

// initialized initializes the instance of the rig.
func (g *rig) initialized() *rig {
	g.t.Helper()
	require.Zero(g.t, g.load().Status)
	r := g.do(worker.Instantiate, worker.Arguments{Texts: []string{"unruly", "unruly-token", ""}})
	require.Zero(g.t, r.Status, r.Reason)
	require.NotZero(g.t, r.Address)
	require.Zero(g.t, g.do(worker.Initialize, worker.Arguments{Stop: 1,
		Flags: worker.HasStopTime}).Status)
	require.Zero(g.t, g.do(worker.LeaveInitialization, worker.Arguments{}).Status)
	return g
}

func (g *rig) plan(groups ...worker.Group) *worker.Plan {
	g.t.Helper()
	p, err := g.p.NewPlan(groups)
	require.NoError(g.t, err)
	return p
}

func TestDo_StepSetsStepsAndGetsInOneRoundTrip(t *testing.T) {
	for _, version := range []int{2, 3} {
		g := start(t, testfmu.Recipe{Version: version}, worker.Options{}).initialized()
		in := g.plan(worker.Group{Kind: cosim.Float64, References: []uint32{0}, Values: 1})
		out := g.plan(worker.Group{Kind: cosim.Float64, References: []uint32{1, 3}, Values: 2})
		for k := range 100 {
			in.Cells()[0] = math.Float64bits(float64(k))
			r := g.do(worker.Step, worker.Arguments{In: in, Out: out, Time: float64(k), Step: 1})
			require.Zero(t, r.Status)
			require.Equal(t, []float64{float64(k), float64(k + 1)},
				[]float64{math.Float64frombits(out.Cells()[0]),
					math.Float64frombits(out.Cells()[1])})
		}
		require.Zero(t, g.do(worker.Terminate, worker.Arguments{}).Status)
		require.Zero(t, g.do(worker.Free, worker.Arguments{}).Status)
	}
}

// batch creates a batch of two steps of the instance: the second step receives the output of the
// first.
func (g *rig) batch() (b *worker.Batch, clock func() float64) {
	g.t.Helper()
	b, err := g.p.NewBatch(2)
	require.NoError(g.t, err)
	in := g.plan(worker.Group{Kind: cosim.Float64, References: []uint32{0}, Values: 1})
	out := g.plan(worker.Group{Kind: cosim.Float64, References: []uint32{1, 3}, Values: 2})
	b.Wire(1, out, 1, in, 0, 1, false)
	require.NoError(g.t, b.Lay())
	in.Cells()[0] = math.Float64bits(9)
	for k := range 2 {
		b.Set(k, &worker.Arguments{In: in, Out: out, Time: float64(k), Step: 1})
	}
	return b, func() float64 { return math.Float64frombits(out.Cells()[0]) }
}

func TestBatch_CarriesValuesFromStepToStep(t *testing.T) {
	for _, version := range []int{2, 3} {
		g := start(t, testfmu.Recipe{Version: version}, worker.Options{}).initialized()
		b, out := g.batch()
		r, err := b.Do(1, limit, nil)
		require.NoError(t, err)
		require.Len(t, r, 1)
		require.Equal(t, 9.0, out())
		r, err = b.Do(2, limit, r[:0])
		require.NoError(t, err)
		require.Len(t, r, 2)
		require.Equal(t, 1.0, out(), "the time that the first step has reached")
	}
}

func TestBatch_EndsWithTheStepThatFails(t *testing.T) {
	for _, version := range []int{2, 3} {
		for order, want := range map[string]int{"DoStep error 0 1": 1, "DoStep roundup 0 1": 1,
			"DoStep error 0 2": 2} {
			g := start(t, testfmu.Recipe{Version: version, Orders: []string{order}},
				worker.Options{}).initialized()
			b, _ := g.batch()
			r, err := b.Do(2, limit, nil)
			require.NoError(t, err)
			require.Len(t, r, want)
		}
		g := start(t, testfmu.Recipe{Version: version, Orders: []string{"DoStep crash 0 2"}},
			worker.Options{}).initialized()
		b, _ := g.batch()
		r, err := b.Do(2, limit, nil)
		var death *worker.DeathError
		require.ErrorAs(t, err, &death)
		require.Equal(t, "SIGSEGV", death.Signal)
		require.Len(t, r, 1)
	}
}

func TestDo_AllTypesOfFMI3KeepTheirLimits(t *testing.T) {
	g := start(t, testfmu.Recipe{Version: 3}, worker.Options{}).initialized()
	integers := []cosim.Kind{cosim.Int8, cosim.UInt8, cosim.Int16, cosim.UInt16, cosim.Int32,
		cosim.UInt32, cosim.Int64, cosim.UInt64}
	highest := []int64{math.MaxInt8, math.MaxUint8, math.MaxInt16, math.MaxUint16, math.MaxInt32,
		math.MaxUint32, math.MaxInt64, math.MaxInt64}
	lowest := []int64{math.MinInt8, 0, math.MinInt16, 0, math.MinInt32, 0, math.MinInt64, 0}
	var ins, outs []worker.Group
	for k, kind := range integers {
		ins = append(ins, worker.Group{Kind: kind, References: []uint32{uint32(40 + k)}, Values: 1})
		outs = append(outs, worker.Group{Kind: kind, References: []uint32{uint32(60 + k)},
			Values: 1})
	}
	ins = append(ins, worker.Group{Kind: cosim.Float32, References: []uint32{4}, Values: 1},
		worker.Group{Kind: cosim.Boolean, References: []uint32{50}, Values: 1},
		worker.Group{Kind: cosim.String, References: []uint32{54}, Values: 1},
		worker.Group{Kind: cosim.Binary, References: []uint32{57}, Values: 1})
	outs = append(outs, worker.Group{Kind: cosim.Float32, References: []uint32{5}, Values: 1},
		worker.Group{Kind: cosim.Boolean, References: []uint32{51}, Values: 1},
		worker.Group{Kind: cosim.String, References: []uint32{55}, Values: 1},
		worker.Group{Kind: cosim.Binary, References: []uint32{58}, Values: 1})
	in, out := g.plan(ins...), g.plan(outs...)
	for round, values := range [][]int64{highest, lowest} {
		for k, v := range values {
			in.Cells()[k] = uint64(v)
		}
		in.Cells()[8], in.Cells()[9] = uint64(math.Float32bits(math.MaxFloat32)), uint64(1-round)
		text, message := strings.Repeat("é", round*900), make([]byte, round*100_000)
		require.NoError(t, in.SetBlob(0, []byte(text)))
		require.NoError(t, in.SetBlob(1, message))
		require.Zero(t, g.do(worker.Step, worker.Arguments{In: in, Out: out, Step: 1}).Status)
		require.Equal(t, in.Cells(), out.Cells())
		for k, want := range [][]byte{[]byte(text), message} {
			got, err := out.Blob(k)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		}
	}
}

func TestDo_BytesOfAStepStayWhileTheNextOneRuns(t *testing.T) {
	g := start(t, testfmu.Recipe{Version: 2, OSMP: true}, worker.Options{}).initialized()
	in := g.plan(worker.Group{Kind: worker.OSMP, References: []uint32{20, 21, 22}, Values: 1})
	out := g.plan(worker.Group{Kind: worker.OSMP, References: []uint32{23, 24, 25}, Values: 1})
	var before []byte
	for k := range 20 {
		message := []byte(strings.Repeat(string(rune('a'+k)), 10*k*k))
		require.NoError(t, in.SetBlob(0, message))
		require.Zero(t, g.do(worker.Step, worker.Arguments{In: in, Out: out, Time: float64(k),
			Step: 1}).Status)
		got, err := out.Blob(0)
		require.NoError(t, err)
		require.Equal(t, string(message), string(got))
		if k > 0 {
			require.Equal(t, strings.Repeat(string(rune('a'+k-1)), 10*(k-1)*(k-1)), string(before))
		}
		before = got
	}
}

func TestDo_EndOfAWorkerNamesSignalAndFunction(t *testing.T) {
	for order, want := range map[string]string{
		"DoStep crash 0 3": "SIGSEGV in fmi%dDoStep", "DoStep abort 0 3": "SIGABRT in fmi%dDoStep",
		"DoStep overflow 0 3": "SIGSEGV in fmi%dDoStep",
		"DoStep exit 7 3":     "exit(7) in fmi%dDoStep",
		"DoStep _exit 0 3":    "exit(0) in fmi%dDoStep", "DoStep kill 8 3": "SIGFPE in fmi%dDoStep",
		"DoStep hang 0 3": "no answer within 50ms in fmi%dDoStep",
		"DoStep busy 0 3": "no answer within 50ms in fmi%dDoStep",
	} {
		for _, version := range []int{2, 3} {
			want := strings.ReplaceAll(want, "%d", string(rune('0'+version)))
			t.Run(want, func(t *testing.T) {
				g := start(t, testfmu.Recipe{Version: version, Orders: []string{order}},
					worker.Options{}).initialized()
				after := limit
				if strings.Contains(want, "50ms") {
					after = 50 * time.Millisecond
				}
				g.do(worker.Step, worker.Arguments{Step: 1})
				g.do(worker.Step, worker.Arguments{Step: 1, Time: 1})
				_, err := g.p.Do(worker.Step, &worker.Arguments{Step: 1, Time: 2}, after)
				var death *worker.DeathError
				require.ErrorAs(t, err, &death)
				require.Equal(t, want, death.Error())
				_, err = g.p.Do(worker.Step, &worker.Arguments{Step: 1}, limit)
				require.ErrorAs(t, err, &death, "every later call fails at once")
			})
		}
	}
}

func TestDo_LastLinesThatWerePrintedComeWithTheEnd(t *testing.T) {
	g := start(t, testfmu.Recipe{Orders: []string{"DoStep print 100000 1", "DoStep crash 0 2"}},
		worker.Options{}).initialized()
	g.do(worker.Step, worker.Arguments{Step: 1})
	_, err := g.p.Do(worker.Step, &worker.Arguments{Step: 1}, limit)
	var death *worker.DeathError
	require.ErrorAs(t, err, &death)
	require.Len(t, death.Printed, 11)
	all := strings.Join(death.Printed, "\n")
	require.Contains(t, all, "about to write to address 8")
	require.Contains(t, all, "printed 100000 bytes")
}

func TestDo_CallsAreMadeOnTheMainThreadInTheFolderOfTheUser(t *testing.T) {
	for _, version := range []int{2, 3} {
		folder := t.TempDir()
		functions := []string{"load", "Instantiate", "EnterInitializationMode", "DoStep",
			"Terminate", "FreeInstance"}
		var orders, want []string
		for _, f := range functions {
			orders, want = append(orders, f+" where"), append(want, f+" in the main thread, "+
				folder)
		}
		g := start(t, testfmu.Recipe{Version: version, Orders: orders},
			worker.Options{Dir: folder}).initialized()
		g.do(worker.Step, worker.Arguments{Step: 1})
		g.do(worker.Terminate, worker.Arguments{})
		g.do(worker.Free, worker.Arguments{})
		require.NoError(t, g.p.Close())
		require.Equal(t, want, g.printed)
	}
}

func TestLoad_LeavesDenormalNumbersOn(t *testing.T) {
	g := start(t, testfmu.Recipe{Orders: []string{"load denormals", "load flush", "load denormals",
		"DoStep denormals"}}, worker.Options{}).initialized()
	g.do(worker.Step, worker.Arguments{Step: 1})
	require.NoError(t, g.p.Close())
	inTheLibrary := "denormals are flushed"
	if runtime.GOARCH != "amd64" { // on other architectures the FMU does not do this
		inTheLibrary = "denormals count"
	}
	require.Equal(t, []string{"denormals count", inTheLibrary, "denormals count"}, g.printed)
}

// Whichever floating-point state an FMU leaves in any of its functions, the next call begins in the
// default state.
func TestDo_FloatingPointSettingsAreRestoredAfterEachCall(t *testing.T) {
	for _, version := range []int{2, 3} {
		for _, spoiler := range []string{"roundup", "trap", "flush"} {
			for _, f := range []string{"Instantiate", "EnterInitializationMode",
				"ExitInitializationMode", "DoStep"} {
				if spoiler == "flush" && runtime.GOARCH != "amd64" {
					continue // the FMU does not do this here
				}
				orders := []string{f + " floats", f + " " + spoiler, "Terminate floats"}
				g := start(t, testfmu.Recipe{Version: version, Orders: orders},
					worker.Options{}).initialized()
				r := g.do(worker.Step, worker.Arguments{Step: 1})
				require.Equal(t, f == "DoStep", strings.HasSuffix(r.Spoiled, "DoStep"), r.Spoiled)
				g.do(worker.Step, worker.Arguments{Step: 1})
				require.Empty(t, g.do(worker.Terminate, worker.Arguments{}).Spoiled)
				require.NoError(t, g.p.Close())
				require.GreaterOrEqual(t, len(g.printed), 2)
				for _, line := range g.printed {
					require.Equal(t, "nearest, 1/0 is inf, denormals count", line, "%s in %s",
						spoiler, f)
				}
			}
		}
	}
}

func TestDo_FloodOfPrintsDoesNotHoldTheFMUUp(t *testing.T) {
	if testing.Short() {
		t.Skip("prints 100 MB")
	}
	bytes := 0
	g := start(t, testfmu.Recipe{Orders: []string{"DoStep print 100000000"}}, worker.Options{})
	count := func(line string) { bytes += len(line) + 1 }
	p, err := worker.Start(worker.Options{Print: count})
	require.NoError(t, err)
	require.NoError(t, g.p.Close())
	g.p = p
	g.initialized()
	g.do(worker.Step, worker.Arguments{Step: 1})
	require.NoError(t, p.Close())
	require.Equal(t, 100_000_000+len("printed 100000000 bytes")+1, bytes)
}

func TestDo_MessagesAreExpandedAndInOrderWithTheCalls(t *testing.T) {
	g := start(t, testfmu.Recipe{Orders: []string{"DoStep log", "DoStep lognull",
		"DoStep logthread"}}, worker.Options{LogCalls: true}).initialized()
	g.forget()
	g.do(worker.Step, worker.Arguments{Step: 0.5})
	require.Len(t, g.kept(), 4)
	require.Equal(t, "100 % done, ## and #r1# and \xff\xfe42", g.kept()[0].Text)
	require.Equal(t, "logEvents", g.kept()[0].Category)
	require.True(t, g.kept()[0].HasCategory)
	require.False(t, g.kept()[1].HasCategory)
	require.Equal(t, 1, g.kept()[2].Status)
	require.True(t, g.kept()[3].Call)
	require.Regexp(t,
		`^fmi2DoStep\(c=0x[0-9a-f]+, currentCommunicationPoint=0\.0, communicationStepSize=0\.5, `+
			`noSetFMUStatePriorToCurrentPoint=1\) -> OK$`,
		g.kept()[3].Text)
}

func TestDo_LongAndManyMessagesArriveWhole(t *testing.T) {
	g := start(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep loglong 900000",
		"DoStep logmany 20000"}}, worker.Options{}).initialized()
	g.do(worker.Step, worker.Arguments{Step: 0.5})
	require.Len(t, g.kept(), 20001)
	require.Len(t, g.kept()[0].Text, 900000)
	require.Equal(t, "line 19999", g.kept()[20000].Text)
}

func TestLoad_NamesWhatIsMissing(t *testing.T) {
	g := start(t, testfmu.Recipe{Needs: "libgosmp-nowhere.so.3"}, worker.Options{})
	r := g.do(worker.Load, worker.Arguments{Major: 2, Texts: []string{g.library,
		"libc.so.6\nlibgosmp-nowhere.so.3"}})
	require.Equal(t, worker.StatusUnloadable, r.Status)
	require.Contains(t, r.Reason, "libraries that cannot be loaded: libgosmp-nowhere.so.3")

	g = start(t, testfmu.Recipe{}, worker.Options{})
	r = g.do(worker.Load, worker.Arguments{Major: 3, Texts: []string{g.library}})
	require.Equal(t, worker.StatusMissing, r.Status)
	require.Equal(t, "fmi3GetVersion", r.Reason)
	require.Equal(t, worker.StatusMisuse, g.do(worker.Step, worker.Arguments{}).Status)
}

func TestLoad_ProvidesTheLibrariesOfOrdinaryHosts(t *testing.T) {
	load := func(symbols ...string) worker.Reply {
		g := start(t, testfmu.Recipe{Borrows: symbols}, worker.Options{})
		return g.do(worker.Load, worker.Arguments{Major: 2, Texts: []string{g.library,
			"libc.so.6"}})
	}
	for _, symbols := range [][]string{{"atan2", "lgamma"}, {"_Znwm"}, {"_Unwind_Resume"}} {
		r := load(symbols...)
		require.Zero(t, r.Status, "%v: %s", symbols, r.Reason)
	}
	r := load("sqrt", "gosmp_nowhere")
	require.Equal(t, worker.StatusUnloadable, r.Status)
	require.Contains(t, r.Reason, "undefined symbol: gosmp_nowhere")
	require.NotContains(t, r.Reason, "libraries that cannot be loaded")
}

func TestStart_MemoryLimitEndsTheFMUAndNobodyElse(t *testing.T) {
	g := start(t, testfmu.Recipe{Orders: []string{"DoStep eat 4000"}},
		worker.Options{Memory: 200 << 20}).initialized()
	_, err := g.p.Do(worker.Step, &worker.Arguments{Step: 1}, limit)
	var death *worker.DeathError
	require.ErrorAs(t, err, &death)
	require.Equal(t, "SIGABRT in fmi2DoStep", death.Error())
	require.Contains(t, strings.Join(death.Printed, "\n"), "no memory after 1")
}

func TestStates_RestoreAndSerialize(t *testing.T) {
	for _, version := range []int{2, 3} {
		g := start(t, testfmu.Recipe{Version: version}, worker.Options{}).initialized()
		out := g.plan(worker.Group{Kind: cosim.Float64, References: []uint32{3}, Values: 1})
		clock := func() float64 {
			require.Zero(t, g.do(worker.Get, worker.Arguments{Out: out}).Status)
			return math.Float64frombits(out.Cells()[0])
		}
		g.do(worker.Step, worker.Arguments{Step: 1})
		require.Zero(t, g.do(worker.SaveState, worker.Arguments{State: 1}).Status)
		saved := append([]byte(nil),
			g.do(worker.SerializeState, worker.Arguments{State: 1}).Blob...)
		require.NotEmpty(t, saved)
		g.do(worker.Step, worker.Arguments{Time: 1, Step: 1})
		require.Equal(t, 2.0, clock())
		require.Zero(t, g.do(worker.RestoreState, worker.Arguments{State: 1}).Status)
		require.Equal(t, 1.0, clock())
		g.do(worker.Step, worker.Arguments{Time: 1, Step: 1})
		require.Zero(t, g.do(worker.DeserializeState, worker.Arguments{State: 2,
			Blob: saved}).Status)
		require.Zero(t, g.do(worker.RestoreState, worker.Arguments{State: 2}).Status)
		require.Equal(t, 1.0, clock())
		require.Zero(t, g.do(worker.ForgetState, worker.Arguments{State: 1}).Status)
		require.Equal(t, worker.StatusMisuse,
			g.do(worker.RestoreState, worker.Arguments{State: 1}).Status)
	}
}

// pair starts two workers with one arena: values read from the first one are set in the second one.
func pair(t testing.TB, first, second testfmu.Recipe) (a, b *rig) {
	t.Helper()
	arena, err := worker.NewArena()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, arena.Close()) })
	o := worker.Options{Arena: arena}
	return start(t, first, o).initialized(), start(t, second, o).initialized()
}

func message(version int, set bool) worker.Group {
	switch {
	case version == 3 && set:
		return worker.Group{Kind: cosim.Binary, References: []uint32{57}, Values: 1}
	case version == 3:
		return worker.Group{Kind: cosim.Binary, References: []uint32{58}, Values: 1}
	case set:
		return worker.Group{Kind: worker.OSMP, References: []uint32{20, 21, 22}, Values: 1}
	}
	return worker.Group{Kind: worker.OSMP, References: []uint32{23, 24, 25}, Values: 1}
}

func TestArena_ConsumerReadsTheMessageInPlace(t *testing.T) {
	for _, v := range [][2]int{{2, 2}, {2, 3}, {3, 2}, {3, 3}} {
		a, b := pair(t, testfmu.Recipe{Version: v[0], OSMP: v[0] == 2},
			testfmu.Recipe{Version: v[1], OSMP: v[1] == 2})
		first, made := a.plan(message(v[0], true)), a.plan(message(v[0], false))
		in, out := b.plan(message(v[1], true)), b.plan(message(v[1], false))
		require.NoError(t, first.SetBlob(0, []byte("from the host")))
		require.Zero(t, a.do(worker.Step, worker.Arguments{In: first, Out: made, Step: 1}).Status)
		bytes, err := made.Blob(0)
		require.NoError(t, err)
		require.Equal(t, "from the host", string(bytes))
		require.NoError(t, in.SetBlob(0, bytes))
		copy(bytes, "seen by both ")
		require.Zero(t, b.do(worker.Step, worker.Arguments{In: in, Out: out, Step: 1}).Status)
		echo, err := out.Blob(0)
		require.NoError(t, err)
		require.Equal(t, "seen by both ", string(echo), "there is no copy between the two")
	}
}

func TestArena_BytesStayWhileTheProducerStepsAndAfterItsEnd(t *testing.T) {
	a, b := pair(t, testfmu.Recipe{OSMP: true, Orders: []string{"DoStep crash 0 30"}},
		testfmu.Recipe{OSMP: true, Orders: []string{"DoStep sleep 2"}})
	first, made := a.plan(message(2, true)), a.plan(message(2, false))
	in, out := b.plan(message(2, true)), b.plan(message(2, false))
	text := func(k int) string { return strings.Repeat(string(rune('a'+k%26)), 100+1000*k*(k%3)) }
	produce := func(k int) error {
		if err := first.SetBlob(0, []byte(text(k))); err != nil {
			return err
		}
		_, err := a.p.Do(worker.Step, &worker.Arguments{In: first, Out: made, Time: float64(k),
			Step: 1}, limit)
		if err == nil { // an event in the same step
			_, err = a.p.Do(worker.Get, &worker.Arguments{Out: made, Flags: worker.SamePlace},
				limit)
		}
		return err
	}
	require.NoError(t, produce(0))
	for k := 1; k <= 30; k++ {
		bytes, err := made.Blob(0)
		require.NoError(t, err)
		require.NoError(t, in.SetBlob(0, bytes))
		done := make(chan error)
		// in parallel with the step that reads its previous output
		go func() { done <- produce(k) }()
		require.Zero(t, b.do(worker.Step, worker.Arguments{In: in, Out: out, Time: float64(k),
			Step: 1}).Status)
		err = <-done
		require.Equal(t, k >= 29, err != nil, "%v", err)
		echo, errOut := out.Blob(0)
		require.NoError(t, errOut)
		require.Equal(t, text(min(k-1, 28)), string(echo))
	}
}

func TestArena_WorkersCannotWriteWhereOthersDo(t *testing.T) {
	a, b := pair(t, testfmu.Recipe{OSMP: true}, testfmu.Recipe{OSMP: true,
		Orders: []string{"DoStep scribble 0 1"}})
	first, made := a.plan(message(2, true)), a.plan(message(2, false))
	in := b.plan(message(2, true))
	require.NoError(t, first.SetBlob(0, []byte("untouched")))
	require.Zero(t, a.do(worker.Step, worker.Arguments{In: first, Out: made, Step: 1}).Status)
	bytes, err := made.Blob(0)
	require.NoError(t, err)
	require.NoError(t, in.SetBlob(0, bytes))
	_, err = b.p.Do(worker.Step, &worker.Arguments{In: in, Step: 1}, limit)
	require.ErrorContains(t, err, "SIGSEGV in fmi2DoStep")
	require.Equal(t, "untouched", string(bytes))
}

func TestArena_WhatIsNotInItIsCopied(t *testing.T) {
	a, b := start(t, testfmu.Recipe{OSMP: true}, worker.Options{}).initialized(),
		start(t, testfmu.Recipe{OSMP: true}, worker.Options{}).initialized()
	first, made := a.plan(message(2, true)), a.plan(message(2, false))
	in, out := b.plan(message(2, true)), b.plan(message(2, false))
	require.NoError(t, first.SetBlob(0, []byte("copied")))
	require.Zero(t, a.do(worker.Step, worker.Arguments{In: first, Out: made, Step: 1}).Status)
	bytes, err := made.Blob(0)
	require.NoError(t, err)
	require.NoError(t, in.SetBlob(0, bytes))
	require.Zero(t, b.do(worker.Step, worker.Arguments{In: in, Out: out, Step: 1}).Status)
	echo, err := out.Blob(0)
	require.NoError(t, err)
	require.Equal(t, "copied", string(echo))
}

// BenchmarkRoundTrip measures a command without a call, which is the overhead of the process
// boundary alone.
func BenchmarkRoundTrip(b *testing.B) {
	g := start(b, testfmu.Recipe{}, worker.Options{}).initialized()
	a := &worker.Arguments{}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.p.Do(worker.Get, a, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func TestBegin_ExecutesWhileTheHostWaitsForAnother(t *testing.T) {
	t.Parallel()
	a := start(t, testfmu.Recipe{Orders: []string{"DoStep logmany 3"}},
		worker.Options{}).initialized()
	a.forget()
	step := worker.Arguments{Step: 1}
	require.True(t, a.p.Begin(worker.Step, &step))
	require.False(t, a.p.Begin(worker.Step, &step), "a second command")
	b := start(t, testfmu.Recipe{}, worker.Options{}).initialized()
	require.Zero(t, b.do(worker.Step, worker.Arguments{Step: 1}).Status)
	require.Empty(t, a.kept(), "messages before their turn")
	r, err := a.p.End(limit)
	require.NoError(t, err)
	require.Zero(t, r.Status)
	require.Len(t, a.kept(), 3)
	_, err = a.p.End(limit)
	require.Error(t, err, "no command")
}

func TestClose_WaitsForACommandThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	g := start(t, testfmu.Recipe{Orders: []string{"DoStep logmany 20000", "DoStep sleep 50"}},
		worker.Options{}).initialized()
	g.forget()
	require.True(t, g.p.Begin(worker.Step, &worker.Arguments{Step: 1}))
	require.NoError(t, g.p.Close())
	require.Len(t, g.kept(), 20_000, "more than may wait")
	require.False(t, g.p.Begin(worker.Step, &worker.Arguments{Step: 1}), "after the end")
}
