package queue_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// BenchmarkQueue measures the overhead of a queue: a run that does nothing goes from the table
// through the server to a worker, and its row returns to the store.
func BenchmarkQueue(b *testing.B) {
	store, err := sweep.OpenStore(b.TempDir())
	require.NoError(b, err)
	s := embed(b)
	w := crewOf("nats://"+s.Address(), b.TempDir())
	w.Workers = runtime.NumCPU()
	hire(b, w)
	cases := make([]sweep.Case, b.N)
	for k := range cases {
		cases[k] = sweep.Case{Index: k, Seed: 1, Set: []sweep.Setting{{Name: "a.b",
			Value: fmt.Sprint(k)}}}
	}
	b.ResetTimer()
	require.NoError(b, coordinatorOf("nats://"+s.Address()).Run(b.Context(), cases,
		func(_ sweep.Case, r sweep.Row) (bool, error) {
			return true, store.Add(r)
		}))
	require.NoError(b, store.Close())
}

// BenchmarkParts measures the processor time of each part of a queue for a run, each part in its
// own process. The model in docs/SCALE.md is based on these figures.
func BenchmarkParts(b *testing.B) {
	address := freeAddress(b)
	server := command("server", address, b.TempDir())
	crew := command("idle crew", "nats://"+address, "16", "0")
	require.NoError(b, server.Start())
	require.NoError(b, crew.Start())
	coordinator := command("coordinator", "nats://"+address, b.TempDir(), strconv.Itoa(b.N))
	b.ResetTimer()
	require.NoError(b, coordinator.Run())
	b.StopTimer()
	for name, c := range map[string]*exec.Cmd{"server": server, "workers": crew, "coordinator": coordinator} {
		if c.ProcessState == nil {
			require.NoError(b, c.Process.Signal(os.Interrupt))
			require.NoError(b, c.Wait())
		}
		used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		b.ReportMetric(float64(used.Microseconds())/float64(b.N), name+"-us/run")
	}
}

// BenchmarkWaiting measures the rate at which workers compute runs that only wait, 100 ms each, for
// comparison with the model in docs/SCALE.md.
func BenchmarkWaiting(b *testing.B) {
	for _, workers := range []int{1, 2, 8, 32, 64, 256} {
		b.Run(strconv.Itoa(workers), func(b *testing.B) {
			s := embed(b)
			w := waiting("nats://"+s.Address(), workers, 100*time.Millisecond)
			w.Cache = b.TempDir()
			hire(b, w)
			runs := workers * b.N
			began := time.Now()
			require.NoError(b, coordinatorOf("nats://"+s.Address()).Run(b.Context(), slow(runs),
				func(sweep.Case, sweep.Row) (bool, error) { return true, nil }))
			b.ReportMetric(float64(runs)/time.Since(began).Seconds(), "runs/s")
		})
	}
}

// waiting returns a crew whose runs wait.
func waiting(url string, workers int, long time.Duration) *queue.Crew {
	w := crewOf(url, os.TempDir())
	w.Workers = workers
	w.Start = func(string, string) (sweep.Worker, error) {
		return answering{func(c sweep.Case) (sweep.Row, error) {
			time.Sleep(long)
			return sweep.Row{Outcome: sweep.Passed, Seed: c.Seed}, nil
		}}, nil
	}
	return w
}

// wait runs the part of a crew whose runs wait.
func wait(ctx context.Context, url, workers, milliseconds string) error {
	n, _ := strconv.Atoi(workers)
	long, _ := strconv.Atoi(milliseconds)
	_, err := waiting(url, n, time.Duration(long)*time.Millisecond).Run(ctx, nil)
	return err
}
