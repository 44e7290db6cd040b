package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/sweep/queue/model"
)

// TestSimulate_Bounds compares the simulation with the bounds of operational analysis for a closed
// system of one server: at most the throughput of the server, at most the throughput of workers
// that never wait, and at least the throughput of workers that always wait for all others.
func TestSimulate_Bounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		microseconds := func(name string, most int) time.Duration {
			return time.Duration(rapid.IntRange(1, most).Draw(r, name)) * time.Microsecond
		}
		p := model.Parameters{Workers: rapid.IntRange(1, 200).Draw(r, "workers"),
			Run: microseconds("run", 100000), Latency: microseconds("latency", 1000),
			Fetch: microseconds("fetch", 200), Store: microseconds("store", 200),
			Ack: microseconds("ack", 200), Worker: microseconds("worker", 200)}
		p.Runs = 50 * p.Workers
		got := model.Simulate(p)
		service, runs, workers := (p.Fetch + p.Store + p.Ack).Seconds(), float64(p.Runs),
			float64(p.Workers)
		cycle := (p.Run + p.Worker + p.Fetch + p.Store + 4*p.Latency).Seconds()
		least := max(runs*(p.Fetch+p.Store).Seconds(), 0.9*runs/workers*cycle)
		most := 1.1*(runs/workers+1)*cycle + (runs+workers)*service + p.Latency.Seconds()
		require.GreaterOrEqual(r, got.Makespan.Seconds(), least)
		require.LessOrEqual(r, got.Makespan.Seconds(), most)
		require.LessOrEqual(r, got.Server*got.Makespan.Seconds(), got.Makespan.Seconds()+
			workers*service, "but for what comes after the last row")
		require.LessOrEqual(r, got.Efficiency, 1.0)
		require.InEpsilon(r, runs/got.Makespan.Seconds(), got.Rate, 1e-9)
	})
}

// TestSimulate_Saturation: with very many workers, the server limits the rate; with a single one,
// its cycle time does. A slow coordinator or link limits the rate when it is the bottleneck.
func TestSimulate_Saturation(t *testing.T) {
	p := model.Parameters{Workers: 2000, Runs: 100000, Run: 10 * time.Millisecond,
		Latency: 100 * time.Microsecond, Fetch: 40 * time.Microsecond, Store: 40 * time.Microsecond,
		Ack: 20 * time.Microsecond}
	require.InEpsilon(t, 1/100e-6, model.Simulate(p).Rate, 0.01)
	p.Collect = 250 * time.Microsecond
	require.InEpsilon(t, 1/250e-6, model.Simulate(p).Rate, 0.01)
	p.Workers, p.Runs, p.Collect = 1, 1000, 0
	require.InEpsilon(t, 1/(10e-3+80e-6+400e-6), model.Simulate(p).Rate, 0.01)
	before := model.Simulate(p).Makespan
	p.PerMachine, p.Files, p.Bandwidth = 1, 3e6, 1e6
	require.Equal(t, before+3*time.Second, model.Simulate(p).Makespan, "the files come first")
	require.Equal(t, model.Simulate(p), model.Simulate(p))
}
