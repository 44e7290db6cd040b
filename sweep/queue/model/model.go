// Package model computes how long a sweep takes through a queue with many more workers than a test
// can have: a simulation of discrete events, with costs that were measured on real processes (see
// docs/SCALE.md).
//
//	r := model.Simulate(model.Measured(10000, 100000, time.Second))
//
// The server is one processor that serves requests in the order of their arrival, as is the
// coordinator. A worker requests a run, computes it, stores its row and acknowledges it, and then
// requests the next. The files of the experiment go to each machine once, over one link. All times
// are whole nanoseconds, so that the same parameters give the same result everywhere.
//
// Types: [Parameters], [Result].
package model

import (
	"container/heap"
	"time"
)

// Parameters describes a sweep. Durations are processor times, or waiting times where stated.
type Parameters struct {
	Workers    int
	Runs       int
	Run        time.Duration // average for a run; individual runs differ by up to a tenth
	Latency    time.Duration // waiting time from a worker to the server or back
	Fetch      time.Duration // of the server, to hand out a run
	Store      time.Duration // of the server, to store a row
	Ack        time.Duration // of the server, to take a run out of the queue
	Worker     time.Duration // of the worker, for all messages of a run
	Publish    time.Duration // of the coordinator, to put a run into the queue
	Collect    time.Duration // of the coordinator, to take a row
	PerMachine int           // workers on one machine, which share the files
	Files      int64         // bytes of the experiment
	Bandwidth  int64         // bytes per second of the server's link
}

// Measured returns the costs of docs/SCALE.md on a network with 0.25 ms from machine to machine, 10
// Gbit/s and an experiment of 20 MB, with 32 workers on each machine.
func Measured(workers, runs int, run time.Duration) Parameters {
	return Parameters{Workers: workers, Runs: runs, Run: run, Latency: 250 * time.Microsecond,
		Fetch: 30 * time.Microsecond, Store: 30 * time.Microsecond,
		Ack: 16 * time.Microsecond, Worker: 54 * time.Microsecond, Publish: 9 * time.Microsecond,
		Collect:    20 * time.Microsecond,
		PerMachine: 32, Files: 20 << 20, Bandwidth: 1250 << 20}
}

// Result is the outcome of a sweep.
type Result struct {
	Makespan    time.Duration // until the coordinator has the last row
	Efficiency  float64       // share of the workers' time spent computing runs
	Server      float64       // share of the time that the server was busy
	Coordinator float64       // share of the time that the coordinator was busy
	Rate        float64       // runs per second
}

// The stages of a worker as seen by the server.
const (
	fetch = iota
	store
	ack
)

type event struct {
	at     time.Duration
	order  int // of events at the same time
	worker int
	stage  int
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(a, b int) bool {
	if e[a].at != e[b].at {
		return e[a].at < e[b].at
	}
	return e[a].order < e[b].order
}
func (e events) Swap(a, b int) { e[a], e[b] = e[b], e[a] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// station serves in the order of arrival.
type station struct{ free, busy time.Duration }

func (s *station) serve(at, cost time.Duration) (ready time.Duration) {
	s.free = max(s.free, at) + cost
	s.busy += cost
	return s.free
}

// length returns the duration of a run: the average, plus or minus up to a tenth depending on the
// run's number.
func (p *Parameters) length(run int) time.Duration {
	x := uint64(run)*0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15 //nolint:gosec // any bits will do
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	const tenth = 10
	spread := x % (2*uint64(p.Run)/tenth + 1)
	return p.Run - p.Run/tenth + time.Duration(spread) //nolint:gosec // a fifth of a run
}

// Simulate simulates a sweep.
func Simulate(p Parameters) Result {
	var queue events
	order, next := 0, 0
	schedule := func(at time.Duration, worker, stage int) {
		heap.Push(&queue, event{at, order, worker, stage})
		order++
	}
	var server, coordinator station
	begin := make([]time.Duration, p.Workers)
	for w := range begin {
		if p.Bandwidth > 0 && p.PerMachine > 0 {
			transfer := time.Duration(float64(p.Files) / float64(p.Bandwidth) * float64(
				time.Second))
			begin[w] = time.Duration(w/p.PerMachine+1) * transfer
		}
		schedule(begin[w]+p.Latency, w, fetch)
	}
	var computing, last time.Duration
	for len(queue) > 0 {
		e := heap.Pop(&queue).(event)
		switch e.stage {
		case fetch:
			if next == p.Runs {
				continue
			}
			run := next
			next++
			queued := time.Duration(run+1) * p.Publish // the coordinator queues one after the other
			ready := server.serve(max(e.at, queued), p.Fetch)
			long := p.length(run)
			computing += long
			schedule(ready+p.Latency+long+p.Worker+p.Latency, e.worker, store)
		case store:
			ready := server.serve(e.at, p.Store)
			last = max(last, coordinator.serve(max(ready+p.Latency,
				time.Duration(p.Runs)*p.Publish), p.Collect))
			schedule(ready+2*p.Latency, e.worker, ack)
			schedule(ready+2*p.Latency, e.worker, fetch)
		case ack:
			server.serve(e.at, p.Ack)
		}
	}
	coordinator.busy += time.Duration(p.Runs) * p.Publish
	return Result{Makespan: last, Efficiency: float64(computing) / float64(last) / float64(
		p.Workers), Server: float64(server.busy) / float64(last),
		Coordinator: float64(coordinator.busy) / float64(last),
		Rate:        float64(p.Runs) / last.Seconds()}
}
