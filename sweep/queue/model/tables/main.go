// Command tables prints the tables of docs/SCALE.md: the results of the model for sweeps with up to
// 10 000 workers.
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"gosmp/sweep/queue/model"
)

func main() { write(os.Stdout) }

func write(w io.Writer) {
	workers := []int{1, 10, 100, 1000, 10000}
	lengths := []time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute}
	fmt.Fprint(w, "| workers | runs of 0.1 s | 1 s | 10 s | 60 s |\n|---|---|---|---|---|\n")
	for _, n := range workers {
		fmt.Fprintf(w, "| %d |", n)
		for _, long := range lengths {
			p := model.Measured(n, 50*n, long)
			r := model.Simulate(p)
			fmt.Fprintf(w, " %.0f %%, server %.0f %%, coordinator %.0f %% |", 100*r.Efficiency,
				100*r.Server, 100*r.Coordinator)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\n| 10 000 workers, runs of 1 s | runs/s | efficiency |\n|---|---|---|\n")
	for _, change := range []struct {
		name  string
		apply func(*model.Parameters)
	}{
		{"as above", func(*model.Parameters) {}},
		{"files of 200 MB", func(p *model.Parameters) { p.Files *= 10 }},
		{"a network with a latency of 20 ms between machines",
			func(p *model.Parameters) { p.Latency = 20 * time.Millisecond }},
		{"a server that takes three times as long (three replicas on slow disks)",
			func(p *model.Parameters) { p.Fetch, p.Store, p.Ack = 3*p.Fetch, 3*p.Store, 3*p.Ack }},
		{"one of four sweeps, each with a server and a quarter of the workers",
			func(p *model.Parameters) { p.Workers, p.Runs = p.Workers/4, p.Runs/4 }},
	} {
		p := model.Measured(10000, 500000, time.Second)
		change.apply(&p)
		r := model.Simulate(p)
		fmt.Fprintf(w, "| %s | %.0f | %.0f %% |\n", change.name, r.Rate, 100*r.Efficiency)
	}
}
