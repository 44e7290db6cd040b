package sweeps

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment"
	"gosmp/internal/gate"
	"gosmp/internal/plaintext"
	"gosmp/internal/release"
	"gosmp/run"
	"gosmp/run/inputs"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// queueFlags holds the flags for the queue of a sweep.
type queueFlags struct {
	NATS        string `name:"nats" env:"GOSMP_NATS" placeholder:"URL" help:"NATS server with the queue of runs, such as nats://TOKEN@HOST:4222; several addresses are separated by commas."`
	Credentials string `name:"nats-creds" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Credentials of a user of the NATS server (.creds)."`
	CA          string `name:"nats-ca" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Certificates of authorities to trust in addition to those of the machine (PEM)."`
	Certificate string `name:"nats-cert" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Certificate of this client, with --nats-key (PEM)."`
	Key         string `name:"nats-key" type:"existingfile" predictor:"file" placeholder:"FILE" help:"Key of this client (PEM)."`
}

// check refuses an unusable server address.
func (f *queueFlags) check() error {
	if f.NATS == "" {
		return nil
	}
	if err := queue.CheckURL(f.NATS); err != nil {
		return cli.ExitWith(fmt.Errorf("--nats: %w", err), cli.ExitInput)
	}
	return nil
}

func (f *queueFlags) server() queue.Server {
	return queue.Server{URL: f.NATS, Credentials: f.Credentials, CA: f.CA,
		Certificate: f.Certificate, Key: f.Key}
}

// starter returns a function that starts one of several worker processes. Workers run in the folder
// of the experiment, so that messages about files do not depend on where that folder is.
func starter(workers int, fresh bool, library []string) func(dir, name string) (sweep.Worker,
	error) {
	share := max(1, runtime.GOMAXPROCS(0)/max(1, workers))
	return func(dir, name string) (sweep.Worker, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		if run.IsScenario(name) { // scenarios may be below the folder of the package
			dir, name = filepath.Join(dir, filepath.Dir(name)), filepath.Base(name)
		}
		words := []string{"work", fmt.Sprintf("--processors=%d", share),
			fmt.Sprintf("--fresh=%t", fresh)}
		for _, folder := range library {
			if folder, err = filepath.Abs(folder); err != nil {
				return nil, err
			}
			words = append(words, "--library-path="+folder)
		}
		c := exec.Command(self, append(words, "--", name)...)
		c.Dir = dir
		return sweep.StartProcess(c)
	}
}

// sayer returns a function that prints messages about a queue, each on its own line.
func sayer(command string) queue.Log {
	return func(line string) {
		line = plaintext.Shown(line)
		if cli.AnimationWidth(os.Stderr) > 0 {
			line = "\r\x1b[K" + "gosmp " + command + ": " + line
		} else {
			line = "gosmp " + command + ": " + line
		}
		fmt.Fprintln(os.Stderr, line)
	}
}

// queue returns a function that lets the workers of a queue compute runs.
func (s *sweeping) queue(ctx context.Context) (compute func([]sweep.Case) error, end func(),
	err error) {
	if len(s.files.Borrowed()) > 0 {
		return nil, nil, cli.Unexpected("--library-path", strconv.Quote(s.files.Borrowed()[0]),
			"with --nats or --serve a packed system (.ssp) that has all of its FMUs; pack it")
	}
	server, own := s.server(), 0
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
		crew, err := newCrew(server, own, "", s.Fresh, sayer("sweep"))
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
		Timeout: s.timeout(), Log: sayer("sweep"), Rerun: s.Rerun,
		Experiment: queue.Experiment{Base: s.base, Name: name, Pack: pack}}
	return func(todo []sweep.Case) error { return q.Run(ctx, todo, s.done) }, end, nil
}

// notBegun returns the exit code of a sweep that could not start because of an error.
func notBegun(err error) int {
	if errors.Is(err, queue.ErrAccess) {
		return cli.ExitInput
	}
	return cli.ExitFailed
}

// embed starts the server of --serve.
func (s *sweeping) embed() (server *queue.Embedded, leave func(), err error) {
	dir, err := os.MkdirTemp("", "gosmp-queue-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) } // the rows are in the store
	if server, err = queue.Embed(s.Serve, dir, s.access); err != nil {
		remove()
		if errors.Is(err, queue.ErrAccess) {
			err = cli.Invalid("--serve", err)
		}
		return nil, nil, err
	}
	scheme, secret := "nats", ""
	if s.access.Certificate != "" {
		scheme = "tls"
	}
	if token, _ := gate.Cut(s.Serve); token != "" || s.access.Token != "" {
		secret = "TOKEN@"
	}
	sayer("sweep")(
		fmt.Sprintf("the queue is at %s; start workers with gosmp work --nats %s://%s%[1]s",
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

// newCrew returns workers for a queue. If folder is empty, the files of experiments go into the
// user's cache folder.
func newCrew(server queue.Server, workers int, folder string, fresh bool,
	say queue.Log) (*queue.Crew, error) {
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("%w; give --cache", err)
		}
		folder = filepath.Join(cache, "gosmp", "experiments")
	}
	identify := func(dir, name string) (string, error) {
		files, err := inputs.Unpacked(dir, name)
		if err != nil {
			return "", err
		}
		base, _, err := files.Identify()
		return base, err
	}
	return &queue.Crew{Server: server, Version: release.Version, Workers: workers, Cache: folder,
		Start: starter(workers, fresh, nil), Log: say,
		Unpack: func(archive, dir, name string) (string, error) {
			if _, err := experiment.Unpack(archive, dir); err != nil {
				return "", err
			}
			return identify(dir, name)
		}, Identify: identify, Verify: new(inputs.Digests).Verify}, nil
}
