//go:build linux && cgo

package worker

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/internal/testfmu"
)

// silent returns a process whose worker never answers; the test writes the answers instead.
func silent(t testing.TB) *Process {
	p := &Process{ended: make(chan struct{}), printed: &printer{}}
	file, err := p.share(Options{})
	require.NoError(t, err)
	require.NoError(t, file.Close())
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, w.Close())
	p.log = newReader(r, nil)
	p.state = &os.ProcessState{}
	t.Cleanup(p.unmap)
	return p
}

// FuzzBrokenWorker simulates a worker that writes arbitrary data wherever it has write access:
// replies, places, and the cells of blobs.
func FuzzBrokenWorker(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff})
	f.Add([]byte(strings.Repeat("\x00\x00\x00\x80\x00\x00\x00\x00", 300)))
	p := silent(f)
	plan, err := p.NewPlan([]Group{{Kind: cosim.Binary, References: []uint32{1, 2}, Values: 2},
		{Kind: cosim.Float64, References: []uint32{3}, Values: 1}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		reply := unsafe.Slice((*byte)(unsafe.Pointer(&p.control.reply)),
			unsafe.Sizeof(p.control.reply))
		place := unsafe.Slice((*byte)(unsafe.Pointer(&p.control.place)),
			unsafe.Sizeof(p.control.place))
		cells := unsafe.Slice((*byte)(unsafe.Pointer(&plan.blobs[0])), 8*len(plan.blobs))
		clear(reply)
		copy(reply, data)
		copy(place, data)
		copy(cells, data)
		for _, o := range []Operation{Load, Step, SerializeState} {
			r, err := p.read(o, &p.control.reply)
			if err != nil {
				require.ErrorIs(t, err, ErrProtocol)
				continue
			}
			touch(r.Blob)
			require.LessOrEqual(t, len(r.Reason), 2048)
		}
		for k := range 2 {
			bytes, err := plan.Blob(k)
			if err != nil {
				require.ErrorIs(t, err, ErrProtocol)
			}
			touch(bytes)
		}
		require.NotEmpty(t, p.death(&Arguments{}, time.Second).Error())
	})
}

// TestDo_TakesAnAnswerAtTheLimit verifies that a host that is not scheduled until the limit has
// passed still checks for an answer before it ends the worker.
func TestDo_TakesAnAnswerAtTheLimit(t *testing.T) {
	p := silent(t)
	request := atomic.LoadUint32((*uint32)(unsafe.Pointer(&p.control.request)))
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&p.control.answer)), request+1)
	_, err := p.Do(Free, &Arguments{}, time.Nanosecond)
	require.NoError(t, err)
}

// The limit applies to steps: a worker that has executed all of them but has not yet reported this
// is not ended.
func TestBatch_WaitsForTheAnswerOfAllStepsThatAreDone(t *testing.T) {
	for limit := 50 * time.Millisecond; ; limit *= 2 { // a busy machine needs more
		err := answeredAfter(t, limit)
		if err == nil {
			return
		}
		require.Less(t, limit, 10*time.Second, "%v", err)
	}
}

// answeredAfter answers a batch of one step when the limit of the step has passed.
func answeredAfter(t *testing.T, limit time.Duration) error {
	p := silent(t)
	over := exec.Command("true")
	require.NoError(t, over.Run())
	p.child = over.Process // which is killed if it is too late
	close(p.ended)
	b, err := p.NewBatch(1)
	require.NoError(t, err)
	b.Set(0, &Arguments{})
	request := atomic.LoadUint32((*uint32)(unsafe.Pointer(&p.control.request)))
	done := make(chan error)
	go func() {
		r, err := b.Do(1, limit, nil)
		if err == nil && len(r) != 1 {
			err = errors.New("no reply")
		}
		done <- err
	}()
	for atomic.LoadUint32((*uint32)(unsafe.Pointer(&p.control.request))) == request {
		time.Sleep(time.Millisecond)
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&b.memory.done)), 1)
	time.Sleep(limit + 50*time.Millisecond)
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&p.control.answer)), request+1)
	return <-done
}

var touched byte

// touch reads only both ends: a blob may span gigabytes of shared memory, and reading all of it
// would allocate its pages.
func touch(b []byte) {
	for _, end := range [][]byte{b[:min(len(b), 4096)], b[max(0, len(b)-4096):]} {
		for _, x := range end {
			touched ^= x
		}
	}
}

// FuzzLog passes arbitrary bytes to the reader of the log.
func FuzzLog(f *testing.F) {
	f.Add([]byte("\x05\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00abcde"))
	f.Add([]byte("\xff\xff\xff\xff\x00\x00\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		r := newReader(io.NopCloser(strings.NewReader(string(data))), func(rec Record) {
			n += len(rec.Category) + len(rec.Text)
			require.True(t, rec.Call || rec.Status >= 0 && rec.Status <= 5)
		})
		<-r.done
		require.LessOrEqual(t, n, len(data))
		if err := r.await(uint64(len(data))+1, nil); !errors.Is(err, ErrProtocol) {
			t.Errorf("more bytes than there are: %v", err)
		}
	})
}

// TestMain also makes this program a host, for the test that kills a host.
func TestMain(m *testing.M) {
	if os.Getenv("GOSMP_TEST_HOLDER") != "" {
		time.Sleep(time.Hour)
	}
	if os.Getenv("GOSMP_TEST_HOST") == "" {
		os.Exit(m.Run())
	}
	p, err := Start(Options{Print: func(line string) { _, _ = os.Stdout.WriteString(line + "\n") }})
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString(strconv.Itoa(p.child.Pid) + "\n")
	if library := os.Getenv("GOSMP_TEST_LIBRARY"); library != "" {
		if _, err := p.Do(Load, &Arguments{Major: 2, Texts: []string{library}}, 0); err != nil {
			panic(err)
		}
	}
	time.Sleep(time.Hour)
}

func TestStart_WorkerEndsWithAKilledHost(t *testing.T) {
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), "GOSMP_TEST_HOST=1")
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line := make([]byte, 32)
	n, err := out.Read(line)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, 0), "the worker lives")
	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	require.Eventually(t, func() bool { return gone(pid) }, time.Minute, time.Millisecond)
}

func TestStart_ChildrenOfAnFMUEndWithTheHost(t *testing.T) {
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), "GOSMP_TEST_HOST=1", "GOSMP_TEST_LIBRARY="+library(t,
		"load child"))
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	lines := bufio.NewScanner(out)
	child := 0
	for child == 0 && lines.Scan() {
		if number, found := strings.CutPrefix(lines.Text(), "child "); found {
			child, err = strconv.Atoi(number)
			require.NoError(t, err)
		}
	}
	require.NoError(t, syscall.Kill(child, 0), "the child lives")
	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	require.Eventually(t, func() bool { return gone(child) }, time.Minute, time.Millisecond)
}

// TestKillHolders_SparesProcessesOfTheHost: a child that has not executed its program yet has the
// command line of the host, and all its open files. So has this copy of the test.
func TestKillHolders_SparesProcessesOfTheHost(t *testing.T) {
	held, host, err := os.Pipe()
	require.NoError(t, err)
	begin := func(name string, arguments ...string) *exec.Cmd {
		c := exec.Command(name, arguments...)
		c.Env = append(os.Environ(), "GOSMP_TEST_HOLDER=1")
		c.ExtraFiles = []*os.File{held}
		require.NoError(t, c.Start())
		t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
		return c
	}
	starting := begin(os.Args[0], os.Args[1:]...)
	foreign := begin("sleep", "3600")
	copied := begin("sleep", "3600")
	own.Store(copied.Process.Pid, struct{}{})
	defer own.Delete(copied.Process.Pid)
	require.NoError(t, held.Close())

	endHolders(host)
	require.ErrorContains(t, foreign.Wait(), "killed")
	for _, c := range []*exec.Cmd{starting, copied} {
		require.NoError(t, c.Process.Signal(syscall.Signal(0)))
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
		require.NoError(t, err)
		require.NotContains(t, string(state), ") Z ", "it lives")
	}
}

// library unpacks the library of a test FMU.
func library(t *testing.T, orders ...string) string {
	t.Helper()
	z, err := zip.OpenReader(testfmu.Build(t, testfmu.Recipe{Orders: orders}))
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	folder, path := t.TempDir(), ""
	for _, e := range z.File {
		r, err := e.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		name := filepath.Join(folder, e.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, content, 0o600))
		if filepath.Ext(name) == ".so" {
			path = name
		}
	}
	return path
}

func TestClose_EndsChildrenAndReportsHowFMUsEnd(t *testing.T) {
	for orders, want := range map[string]string{
		"load child":                 "",
		"unload crash":               "SIGSEGV in dlclose",
		"unload exit 7":              "exit(7) in dlclose",
		"unload sleep 1500":          "", // longer than pipes may be held open
		"unload hang":                "no answer within 1s in dlclose",
		"unload child\nunload abort": "SIGABRT in dlclose",
		"load daemon":                "",
		"unload daemon\nunload exit": "",
	} {
		child := atomic.Int64{}
		p, err := Start(Options{Print: func(line string) {
			if number, found := strings.CutPrefix(line, "child "); found {
				n, _ := strconv.Atoi(number)
				child.Store(int64(n))
			}
		}})
		require.NoError(t, err)
		_, err = p.Do(Load, &Arguments{Major: 2, Texts: []string{library(t, strings.Split(orders,
			"\n")...)}}, 0)
		require.NoError(t, err)
		if strings.Contains(want, "within 1s") {
			p.Hurry()
		}
		err = p.Close()
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
		if strings.Contains(orders, "child") || strings.Contains(orders, "daemon") {
			require.NotZero(t, child.Load())
			require.Eventually(t, func() bool { return gone(int(child.Load())) },
				time.Minute, time.Millisecond, orders)
		}
	}
}

// gone reports whether a process has ended; a process that has not been reaped is a zombie.
func gone(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestStart_WorkerWithoutAnAreaHasAnArenaOfItsOwn(t *testing.T) {
	a, err := newArena(1)
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	for k := range 3 {
		p, err := Start(Options{Arena: a})
		require.NoError(t, err)
		defer func() { require.NoError(t, p.Close()) }()
		require.Equal(t, k > 0, p.alone)
		require.Equal(t, k > 0, p.arena != a)
		_, err = p.Do(Free, &Arguments{}, 0)
		require.NoError(t, err)
	}
}

func TestEnter_RefusesWhatIsNotItsHost(t *testing.T) {
	const marker = "gosmp-fmu-worker"
	for _, arguments := range [][]string{{marker, "3", "4", "5", "6"}, {marker, "x", "y", "z", "6"},
		{marker, "0", "1", "2", "0"}} {
		out, err := exec.Command(os.Args[0], arguments...).CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 125, exit.ExitCode())
		require.Contains(t, string(out), "the memory of a host of this version was not found")
	}
}

// A worker leaves no descriptor and no goroutine. The Go runtime never ends a thread but parks and
// reuses it, so the number of threads is the largest number needed at any time: one per processor
// that runs goroutines, one in a call to the worker, and one that waits for the worker to end. How
// close the first workers come to this number depends on scheduling. If each worker left a thread,
// there would be a thousand.
func TestStart_ThousandWorkersLeaveNothingBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 1 000 processes")
	}
	count := func(folder string) int {
		list, err := os.ReadDir(folder)
		require.NoError(t, err)
		return len(list)
	}
	begin := func() {
		p, err := Start(Options{})
		require.NoError(t, err)
		require.NoError(t, p.Close())
	}
	for range 20 {
		begin()
	}
	descriptors, threads, goroutines := count("/proc/self/fd"), count("/proc/self/task"),
		runtime.NumGoroutine()
	for range 1000 {
		begin()
	}
	require.LessOrEqual(t, count("/proc/self/fd"), descriptors)
	for range 10_000 { // the last one may be about to end
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	const blocked = 2 // one in a call to the worker, one waiting for its end
	require.LessOrEqual(t, count("/proc/self/task"), threads+runtime.GOMAXPROCS(0)+blocked)
}
