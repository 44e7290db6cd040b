package queue_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/gate"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// part turns this test program into one of the processes of a sweep.
const part = "GOSMP_QUEUE_PART"

const (
	version = "1.2"
	ping    = 100 * time.Millisecond
	files   = "the files of an experiment"
)

var base = digest(files)

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestMain(m *testing.M) {
	role := os.Getenv(part)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(role); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(role string) error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	switch role {
	case "process":
		return sweep.Serve(os.Stdin, os.Stdout,
			func(c sweep.Case) (sweep.Row, error) { return act(c), nil })
	case "server":
		s, err := queue.Embed(os.Args[1], os.Args[2], gate.Rules{})
		if err == nil {
			<-ctx.Done()
			s.Close()
		}
		return err
	case "crew":
		_, err := crewOf(os.Args[1], os.Args[2]).Run(ctx, nil)
		return err
	case "idle crew":
		return wait(ctx, os.Args[1], os.Args[2], os.Args[3])
	case "coordinator":
		return coordinate(ctx, os.Args[1], os.Args[2], os.Args[3])
	}
	return fmt.Errorf("found the part %q, expected one of a sweep", role)
}

// act performs a run. Its first setting determines its behavior.
func act(c sweep.Case) sweep.Row {
	name, value := c.Set[0].Name, c.Set[0].Value
	switch name {
	case "exit":
		fmt.Fprintln(os.Stderr, "no memory left")
		os.Exit(3)
	case "hang":
		select {}
	case "vanish": // the whole worker
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
		select {}
	case "vanishing": // as often as a file has bytes
		if marks, err := os.ReadFile(value); err == nil && len(marks) > 0 {
			if os.WriteFile(value, marks[1:], 0o600) == nil {
				_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
				select {}
			}
		}
	case "slow":
		time.Sleep(5 * time.Millisecond)
	case "long":
		time.Sleep(500 * time.Millisecond)
	case "flood": // so many numbers
		n, _ := strconv.Atoi(value)
		row := sweep.Row{Outcome: sweep.Passed, Seed: c.Seed, Metrics: map[string]float64{}}
		for k := range n {
			row.Metrics[fmt.Sprintf("judge.number%d", k)] = float64(k)
		}
		return row
	case "fail":
		return sweep.Row{Outcome: sweep.Failed, Cause: value, Seed: c.Seed}
	}
	return sweep.Row{Outcome: sweep.Passed, Seed: c.Seed, Time: 1,
		Metrics: map[string]float64{"judge.x": float64(len(value))}}
}

// startProcess starts a run's process, which finds the files of the experiment in its folder.
func startProcess(dir, name string) (sweep.Worker, error) {
	if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != files {
		return nil, fmt.Errorf("found %q, %w", text, err)
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), part+"=process")
	return sweep.StartProcess(c)
}

func unpack(archive, dir, name string) (string, error) {
	text, err := os.ReadFile(archive)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
	}
	return digest(string(text)), err
}

func logTo(name string) queue.Log {
	return func(line string) { fmt.Fprintln(os.Stderr, name+": "+line) }
}

func crewOf(url, cache string) *queue.Crew {
	return &queue.Crew{Server: queue.Server{URL: url}, Version: version, Workers: 2, Cache: cache,
		Unpack: unpack, Start: startProcess, Log: logTo("crew"), Ping: ping}
}

func coordinatorOf(url string) *queue.Coordinator {
	return &queue.Coordinator{Server: queue.Server{URL: url}, Version: version, Attempts: 2,
		Idle: 300 * time.Millisecond, Log: logTo("coordinator"),
		Experiment: queue.Experiment{Base: base, Name: "a.exc",
			Pack: func(w io.Writer) error { _, err := io.WriteString(w, files); return err }}}
}

// coordinate does the work of gosmp sweep: it runs the cases that are missing from the store.
func coordinate(ctx context.Context, url, dir, count string) error {
	store, err := sweep.OpenStore(dir)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(count)
	var cases []sweep.Case
	for _, c := range slow(n) {
		if _, ok := store.Row(c.ID(base)); !ok {
			cases = append(cases, c)
		}
	}
	err = coordinatorOf(url).Run(ctx, cases, func(_ sweep.Case, r sweep.Row) (bool,
		error) {
		return true, store.Add(r)
	})
	return errors.Join(err, store.Close())
}

func slow(n int) []sweep.Case {
	settings := make([]string, n)
	for k := range settings {
		settings[k] = fmt.Sprintf("slow=%d", k)
	}
	return casesOf(settings...)
}

func casesOf(settings ...string) (cases []sweep.Case) {
	for k, text := range settings {
		name, value, _ := strings.Cut(text, "=")
		cases = append(cases, sweep.Case{Index: k, Seed: uint64(k + 1),
			Set: []sweep.Setting{{Name: name, Value: value}}})
	}
	return cases
}

// embed starts a server in this process.
func embed(t testing.TB) *queue.Embedded {
	s, err := queue.Embed("127.0.0.1:0", t.TempDir(), gate.Rules{})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// hire runs a crew until the test ends.
func hire(t testing.TB, w *queue.Crew) {
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if _, err := w.Run(ctx, nil); err != nil && ctx.Err() == nil {
			t.Errorf("the crew has ended: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); ended.Wait() })
}

// collect runs cases and returns their rows.
func collect(t testing.TB, q *queue.Coordinator, cases []sweep.Case) map[int]sweep.Row {
	rows := map[int]sweep.Row{}
	require.NoError(t, q.Run(t.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
		require.NotContains(t, rows, c.Index)
		r.Elapsed = 0
		rows[c.Index] = r
		return true, nil
	}))
	return rows
}

// TestCoordinator_SameRowsAsPool: the rows are the same as with a pool, even if processes crash.
func TestCoordinator_SameRowsAsPool(t *testing.T) {
	t.Parallel()
	cases := casesOf("pass=a", "exit=", "pass=bb", "fail=too close")
	for range 100 {
		cases = append(cases, casesOf("pass=a")...)
	}
	for k := range cases {
		cases[k].Index, cases[k].Seed = k, uint64(k+1)
	}
	rows := poolAndQueue(t, cases, 0)
	require.Equal(t, sweep.Lost, rows[1].Outcome)
}

// TestCoordinator_HangsAsInPool: the same for processes that hang. All of them hang, because a run
// that ends could exceed the limit on a busy machine.
func TestCoordinator_HangsAsInPool(t *testing.T) {
	t.Parallel()
	rows := poolAndQueue(t, casesOf("hang=", "hang=again"), 500*time.Millisecond)
	require.Equal(t, sweep.Hung, rows[0].Outcome)
}

// poolAndQueue runs cases with a pool and with a queue, and returns their equal rows. Its workers
// have the usual time for their signs of life, so that a busy machine does not delay them too much.
func poolAndQueue(t *testing.T, cases []sweep.Case, limit time.Duration) map[int]sweep.Row {
	local := map[int]sweep.Row{}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.exc"), []byte(files), 0o600))
	p := &sweep.Pool{Start: func() (sweep.Worker, error) { return startProcess(dir, "a.exc") },
		Workers: 2, Attempts: 2, Timeout: limit}
	require.NoError(t, p.Run(t.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
		r.ID, r.Elapsed = c.ID(base), 0
		local[c.Index] = r
		return true, nil
	}))
	s := embed(t)
	for range 2 {
		w := crewOf("nats://"+s.Address(), t.TempDir())
		w.Ping = 0 // the default
		hire(t, w)
	}
	q := coordinatorOf("nats://" + s.Address())
	q.Timeout = limit
	require.Equal(t, local, collect(t, q, cases))
	return local
}

// TestCoordinator_Again: rows that already arrived are used, and lost runs are restarted.
func TestCoordinator_Again(t *testing.T) {
	t.Parallel()
	s := embed(t)
	w := crewOf("nats://"+s.Address(), t.TempDir())
	w.Ping = 0 // the default, so that a busy machine does not repeat a run
	var mu sync.Mutex
	computed := map[string]int{}
	lose := true
	w.Start = func(string, string) (sweep.Worker, error) {
		return answering{func(c sweep.Case) (sweep.Row, error) {
			mu.Lock()
			defer mu.Unlock()
			computed[c.Set[0].Value]++
			if lose && c.Set[0].Value == "b" {
				return sweep.Row{}, errors.New("gone")
			}
			return act(c), nil
		}}, nil
	}
	hire(t, w)
	q := coordinatorOf("nats://" + s.Address())
	q.Attempts = 1
	cases := casesOf("pass=a", "pass=b", "pass=c")
	require.Equal(t, sweep.Lost, collect(t, q, cases)[1].Outcome)
	mu.Lock()
	lose = false
	clear(computed) // a busy machine may have computed some of them more than once
	mu.Unlock()
	require.Equal(t, sweep.Passed, collect(t, q, cases)[1].Outcome)
	mu.Lock()
	defer mu.Unlock()
	require.NotZero(t, computed["b"])
	require.Len(t, computed, 1)
}

// TestCoordinator_Rerun: runs with the given outcomes are computed again on request, although the
// server has their rows, and runs with other outcomes are not.
func TestCoordinator_Rerun(t *testing.T) {
	t.Parallel()
	s := embed(t)
	w := crewOf("nats://"+s.Address(), t.TempDir())
	w.Ping = 0 // the default, so that a busy machine does not repeat a run
	var mu sync.Mutex
	computed := map[string]int{}
	w.Start = func(string, string) (sweep.Worker, error) {
		return answering{func(c sweep.Case) (sweep.Row, error) {
			mu.Lock()
			defer mu.Unlock()
			computed[c.Set[0].Value]++
			return act(c), nil
		}}, nil
	}
	hire(t, w)
	q := coordinatorOf("nats://" + s.Address())
	cases := casesOf("pass=a", "fail=b", "pass=c")
	first := collect(t, q, cases)
	mu.Lock()
	clear(computed) // a busy machine may have computed some of them more than once
	mu.Unlock()
	q.Rerun = []string{sweep.Failed, sweep.Faulty}
	require.Equal(t, first, collect(t, q, cases))
	mu.Lock()
	defer mu.Unlock()
	require.NotZero(t, computed["b"])
	require.Len(t, computed, 1)
}

// answering is a worker without a process.
type answering struct {
	do func(sweep.Case) (sweep.Row, error)
}

func (a answering) Do(_ context.Context, c sweep.Case) (sweep.Row, error) { return a.do(c) }
func (a answering) Close() error                                          { return nil }

// TestCoordinator_Stops: when the caller stops it, the coordinator removes the runs that have not
// started from the queue.
func TestCoordinator_Stops(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	hire(t, crewOf(url, t.TempDir()))
	q := coordinatorOf(url)
	rows := 0
	require.NoError(t, q.Run(t.Context(), slow(2000), func(sweep.Case, sweep.Row) (bool, error) {
		rows++
		return rows < 5, nil
	}))
	require.Equal(t, 5, rows)
	full := errors.New("the disk is full")
	require.ErrorIs(t, q.Run(t.Context(), slow(2001), func(sweep.Case, sweep.Row) (bool,
		error) {
		return true, full
	}), full)
	ctx, cancel := context.WithCancel(t.Context())
	err := q.Run(ctx, slow(2002), func(sweep.Case, sweep.Row) (bool,
		error) {
		cancel()
		return true, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, queued(t, url))
}

// TestCrew_OtherVersion: workers of another version do not take runs.
func TestCrew_OtherVersion(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	other := crewOf(url, t.TempDir())
	other.Version = "1.3"
	other.Start = func(string, string) (sweep.Worker, error) { panic("a run of another version") }
	hire(t, other)
	q := coordinatorOf(url)
	lines := make(chan string, 100)
	q.Log = func(line string) { lines <- line }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- q.Run(ctx, casesOf("pass=a"), func(sweep.Case, sweep.Row) (bool,
			error) {
			return true, nil
		})
	}()
	require.Equal(t,
		"no worker of gosmp 1.2 asks for runs yet; start some with gosmp work --nats URL", <-lines)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// TestCrew_Ends: a crew ends after its current runs on request, or after a while without runs.
func TestCrew_Ends(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	idle := crewOf(url, t.TempDir())
	idle.Idle = 300 * time.Millisecond
	n, err := idle.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, n)
	begun, drain := make(chan bool, 10), make(chan struct{})
	w := crewOf(url, t.TempDir())
	w.Workers = 1
	w.Start = func(string, string) (sweep.Worker, error) {
		return answering{func(c sweep.Case) (sweep.Row, error) {
			begun <- true
			<-drain
			return act(c), nil
		}}, nil
	}
	computed := make(chan int64)
	go func() {
		n, err := w.Run(context.Background(), drain)
		if err != nil {
			n = -1
		}
		computed <- n
	}()
	rows := make(chan sweep.Row, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_ = coordinatorOf(url).Run(ctx, casesOf("pass=a", "pass=b"), func(_ sweep.Case,
			r sweep.Row) (bool, error) {
			rows <- r
			return true, nil
		})
	}()
	<-begun
	close(drain)
	require.EqualValues(t, 1, <-computed)
	require.Equal(t, sweep.Passed, (<-rows).Outcome)
}

// TestCrew_Vanishes: a run that makes every worker vanish is eventually lost. A longer run that
// shares the process with it is not.
func TestCrew_Vanishes(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	keep(t, 1, func() *exec.Cmd { return command("crew", url, t.TempDir()) })
	rows := collect(t, coordinatorOf(url), casesOf("long=a", "vanish=", "pass=b"))
	require.Equal(t, sweep.Row{ID: rows[1].ID, Outcome: sweep.Lost, Seed: 2,
		Cause: "its worker vanished each time (10 attempts)"}, rows[1])
	require.Equal(t, sweep.Passed, rows[0].Outcome, rows[0].Cause)
	require.Equal(t, sweep.Passed, rows[2].Outcome, rows[2].Cause)
}

// TestCrew_VanishesOften: a run whose worker vanished often, but not every time, has the row of its
// first complete attempt, and earlier attempts do not count when it is computed again.
func TestCrew_VanishesOften(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	dir := t.TempDir()
	keep(t, 1, func() *exec.Cmd { return command("crew", url, dir) })
	q := coordinatorOf(url)
	marks := filepath.Join(t.TempDir(), "marks")
	for range 2 { // it is alone in the last six of eight attempts
		require.NoError(t, os.WriteFile(marks, []byte("12345678"), 0o600))
		row := collect(t, q, casesOf("vanishing="+marks))[0]
		require.Equal(t, sweep.Passed, row.Outcome, row.Cause)
		require.Empty(t, contentOf(t, marks))
		q.Rerun = []string{sweep.Passed}
	}
}

func contentOf(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// TestCrew_OtherFiles: files that differ from those in the sweep are not used.
func TestCrew_OtherFiles(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	hire(t, crewOf(url, t.TempDir()))
	q := coordinatorOf(url)
	q.Experiment.Pack = func(w io.Writer) error {
		_, err := io.WriteString(w, "others")
		return err
	}
	row := collect(t, q, casesOf("pass=a"))[0]
	require.Equal(t, sweep.Lost, row.Outcome)
	require.Contains(t, row.Cause,
		"the files of a.exc differ from those in the sweep: found the digest "+digest("others"))
}

func command(role string, arguments ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], arguments...)
	c.Env = append(os.Environ(), part+"="+role)
	c.Stderr = os.Stderr
	return c
}

// keep starts processes and replaces those that end, until the test ends. It returns a function
// that kills one of them.
func keep(t testing.TB, count int, start func() *exec.Cmd) (kill func(n int)) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	var mu sync.Mutex
	running := make([]*exec.Cmd, count)
	for k := range count {
		all.Go(func() {
			for ctx.Err() == nil {
				c := start()
				mu.Lock()
				err := c.Start()
				running[k] = c
				mu.Unlock()
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				stop := context.AfterFunc(ctx, func() { _ = c.Process.Kill() })
				_ = c.Wait()
				stop()
			}
		})
	}
	t.Cleanup(func() { cancel(); all.Wait() })
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if c := running[n%count]; c != nil && c.Process != nil {
			_ = c.Process.Kill()
		}
	}
}

// freeAddress returns an address on which no process listens.
func freeAddress(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// TestQueue_ManyKills: kills of workers, coordinators and the server neither lose nor duplicate a
// run. With GOSMP_LONG=1 there are a thousand kills.
func TestQueue_ManyKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("kills workers many times, which takes a while")
	}
	kills, count := 25, 1000
	if os.Getenv("GOSMP_LONG") != "" {
		kills, count = 1000, 50000
	}
	address := freeAddress(t)
	streams, cache, dir := t.TempDir(), t.TempDir(), t.TempDir()
	killServer := keep(t, 1, func() *exec.Cmd { return command("server", address, streams) })
	killCrew := keep(t, 2, func() *exec.Cmd { return command("crew", "nats://"+address, cache) })
	ended := make(chan bool)
	var coordinator *exec.Cmd
	var mu sync.Mutex
	go func() {
		defer close(ended)
		for t.Context().Err() == nil {
			mu.Lock()
			coordinator = command("coordinator", "nats://"+address, dir, strconv.Itoa(count))
			err := coordinator.Start()
			mu.Unlock()
			if err != nil || coordinator.Wait() == nil {
				return
			}
		}
	}()
	done, killed := false, 0
	for ; killed < kills && !done; killed++ {
		select {
		case <-ended:
			done = true
		case <-time.After(time.Duration(50+killed*37%200) * time.Millisecond):
			switch killed % 5 {
			case 0, 2:
				killCrew(killed)
			case 1:
				killServer(0)
			case 3:
				mu.Lock()
				_ = coordinator.Process.Kill()
				mu.Unlock()
			case 4:
				killCrew(killed + 1)
			}
		}
	}
	<-ended
	t.Logf("%d kills", killed)
	store, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	for _, c := range slow(count) {
		want := sweep.Row{ID: c.ID(base), Outcome: sweep.Passed, Seed: c.Seed, Time: 1,
			Metrics: map[string]float64{"judge.x": float64(len(c.Set[0].Value))}}
		got, ok := store.Row(want.ID)
		require.True(t, ok, "%d has no row", c.Index)
		got.Elapsed = 0
		require.Equal(t, want, got)
	}
	for id, lines := range linesOf(t, dir) {
		require.Equal(t, 1, lines, "lines of run %s", id)
	}
}

// linesOf counts the lines of each run in a store, without those that a kill has truncated.
func linesOf(t testing.TB, dir string) map[string]int {
	files, err := filepath.Glob(filepath.Join(dir, "rows-*.jsonl"))
	require.NoError(t, err)
	count := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, line := range strings.Split(string(text), "\n") {
			var row sweep.Row
			if json.Unmarshal([]byte(line), &row) == nil {
				count[row.ID]++
			}
		}
	}
	return count
}

// TestCrew_Cache: files left by an earlier crew are used if they are the files of the experiment,
// and fetched again otherwise.
func TestCrew_Cache(t *testing.T) {
	t.Parallel()
	s := embed(t)
	cache := t.TempDir()
	dir := filepath.Join(cache, base[:20])
	q := coordinatorOf("nats://" + s.Address())
	for _, text := range []string{files, "changed", ""} {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.Mkdir(dir, 0o700))
		if text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.exc"), []byte(text), 0o600))
		}
		w := crewOf("nats://"+s.Address(), cache)
		w.Identify = func(dir, name string) (string, error) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			return digest(string(text)), err
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); _, _ = w.Run(ctx, nil) }()
		require.Equal(t, sweep.Passed, collect(t, q, casesOf("pass="+text))[0].Outcome, text)
		cancel()
		<-ended
		found, err := os.ReadFile(filepath.Join(dir, "a.exc"))
		require.NoError(t, err)
		require.Equal(t, files, string(found))
	}
}

// TestCoordinator_Pack: files that cannot be packed end the sweep at once, and leave nothing on the
// server that a later sweep would mistake for them.
func TestCoordinator_Pack(t *testing.T) {
	t.Parallel()
	s := embed(t)
	hire(t, crewOf("nats://"+s.Address(), t.TempDir()))
	q := coordinatorOf("nats://" + s.Address())
	changed := errors.New("a.exc has changed")
	good := q.Experiment.Pack
	q.Experiment.Pack = func(w io.Writer) error {
		_, _ = io.WriteString(w, "other files")
		return changed
	}
	err := q.Run(t.Context(), casesOf("pass=a"), func(sweep.Case, sweep.Row) (bool,
		error) {
		return true, nil
	})
	require.ErrorIs(t, err, changed)
	require.NotErrorIs(t, err, queue.ErrServer)
	q.Experiment.Pack = good
	require.Equal(t, sweep.Passed, collect(t, q, casesOf("pass=a"))[0].Outcome)
}
