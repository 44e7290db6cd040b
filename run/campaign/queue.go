package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"gosmp/experiment"
	"gosmp/internal/gate"
	"gosmp/internal/release"
	"gosmp/run/inputs"
	"gosmp/run/usage"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// queue returns a function that lets the workers of a queue compute runs.
func (s *Sweep) queue(ctx context.Context) (compute func([]sweep.Case) error, end func(),
	err error) {
	if len(s.files.Borrowed()) > 0 {
		return nil, nil, usage.Unexpected("--library-path", strconv.Quote(s.files.Borrowed()[0]),
			"with --nats or --serve a packed system (.ssp) that has all of its FMUs; pack it")
	}
	server, own := s.Server, 0
	ctx, cancel := context.WithCancel(ctx)
	ends := []func(){cancel}
	end = func() {
		for _, f := range ends {
			f()
		}
	}
	if s.Serve != "" {
		own = runtime.NumCPU()
		var leave func()
		if server.Embedded, leave, err = s.embed(); err != nil {
			cancel()
			return nil, nil, err
		}
		ends = append(ends, leave)
	}
	if own = s.jobs(own); own > 0 {
		crew, err := newCrew(WorkOptions{Server: server, Jobs: own, Fresh: s.Fresh,
			Program: s.Program, Log: s.Log})
		if err != nil {
			end()
			return nil, nil, err
		}
		ends = slices.Insert(ends, 1, hire(ctx, crew))
	}
	name, pack, err := s.files.Package(s.description)
	if err != nil {
		end()
		return nil, nil, err
	}
	q := &queue.Coordinator{Server: server, Version: release.Version, Attempts: s.plan.Attempts,
		Timeout: s.timeout(), Log: s.Log, Rerun: s.Rerun,
		Experiment: queue.Experiment{Base: s.base, Name: name, Pack: pack}}
	return func(todo []sweep.Case) error { return q.Run(ctx, todo, s.done) }, end, nil
}

// embed starts the server of --serve.
func (s *Sweep) embed() (server *queue.Embedded, leave func(), err error) {
	dir, err := os.MkdirTemp("", "gosmp-queue-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) } // the rows are in the store
	access := s.Access
	access.TurnedAway = func(err error) { s.Log("worker turned away: " + err.Error()) }
	if server, err = queue.Embed(s.Serve, dir, access); err != nil {
		remove()
		if errors.Is(err, queue.ErrAccess) {
			err = usage.Invalid("--serve", err)
		}
		return nil, nil, err
	}
	scheme, secret := "nats", ""
	if s.Access.Certificate != "" {
		scheme = "tls"
	}
	if token, _ := gate.Cut(s.Serve); token != "" || s.Access.Token != "" {
		secret = "TOKEN@"
	}
	s.Log(fmt.Sprintf("the queue is at %s; start workers with gosmp work --nats %s://%s%[1]s",
		server.Address(), scheme, secret))
	return server, func() { server.Close(); remove() }, nil
}

// hire lets a crew work until the context ends, and returns a function that waits for the crew.
func hire(ctx context.Context, crew *queue.Crew) (wait func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// a sweep without missing runs ends at once
		if _, err := crew.Run(ctx, nil); err != nil && ctx.Err() == nil {
			crew.Log(err.Error())
		}
	}()
	return func() { <-ended }
}

// newCrew returns workers for a queue.
func newCrew(o WorkOptions) (*queue.Crew, error) {
	if o.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("%w; give --cache", err)
		}
		o.Cache = filepath.Join(cache, "gosmp", "experiments")
	}
	identify := func(dir, name string) (string, error) {
		files, err := inputs.Unpacked(dir, name)
		if err != nil {
			return "", err
		}
		base, _, err := files.Identify()
		return base, err
	}
	start := starting{program: o.Program, workers: o.Jobs, fresh: o.Fresh}
	return &queue.Crew{Server: o.Server, Version: release.Version, Workers: o.Jobs, Cache: o.Cache,
		Idle: o.Idle, Start: start.worker, Log: o.Log,
		Unpack: func(archive, dir, name string) (string, error) {
			if _, err := experiment.Unpack(archive, dir); err != nil {
				return "", err
			}
			return identify(dir, name)
		}, Identify: identify, Verify: new(inputs.Digests).Verify}, nil
}
