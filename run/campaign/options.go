package campaign

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/internal/gate"
	"gosmp/internal/wholefile"
	"gosmp/run/usage"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// Options describes a sweep. Zero values are defaults.
type Options struct {
	File  string // the plan
	Out   string // folder of the results; see [ResultsFolder] for the default
	Store string // folder with the rows of finished runs; by default gosmp/runs in the user's cache
	// Program is the path of gosmp, which computes runs in processes of its own. If it is empty,
	// runs are computed in this process.
	Program string
	// Jobs is the number of runs at the same time on this machine. If it is nil, there is one for
	// each processor, or none with Server; 0 leaves all runs to other machines.
	Jobs    *int
	Shard   string   // I/N: only every Nth case, starting with the Ith
	Rerun   []string // outcomes whose runs are computed again
	Until   string   // failure or pass: ends at the first such run, whatever the plan states
	JUnit   string   // file for the results as JUnit XML; "" for none
	Keep    int      // number of runs that did not pass whose files are kept; needs Program
	KeepAll bool     // keep the files of all runs
	Library []string // see run.Options
	Fresh   bool     // start each FMU in a new process, instead of a prepared one

	// The options of the runs of a scenario, as texts with the names of the command line.
	Require, Select, SUT, On, Drive, Connect, StartValue []string
	Map                                                  string

	Server queue.Server // with the queue of the runs; none if its URL is empty
	Serve  string       // [TOKEN@]HOST:PORT at which this process serves a queue; "" for none
	Access gate.Rules   // for the queue of Serve

	// Each of these functions may be nil.
	Log      queue.Log      // receives messages for people about the queue and the runs
	Warn     func(string)   // receives warnings about the store
	Progress func(Progress) // called after each run, and before the results are written
	// WriteFile writes a result file; by default the file appears whole or not at all.
	WriteFile func(path string, write func(io.Writer) error) error
}

// Progress is the state of a sweep.
type Progress struct {
	Cases  int // of the plan so far; a search for boundaries adds cases
	Reused int // rows that were in the store
	Ended  int // runs that have been computed
	Failed int // of these, the ones that have not passed
	// Over means that no more runs follow, and that the results are written next.
	Over bool
}

// check refuses options that contradict each other.
func (o *Options) check() error {
	if o.Server.URL != "" && o.Serve != "" {
		return usage.Unexpected("--serve", "the server "+o.Server.URL+" as well",
			"one of --serve and --nats (which GOSMP_NATS sets, too)")
	}
	if least := o.leastJobs(); o.Jobs != nil && *o.Jobs < least {
		return usage.Unexpected("--jobs", *o.Jobs,
			fmt.Sprintf(
				"a number of at least %d; 0 leaves all runs to the workers of --nats or --serve",
				least))
	}
	if err := checkServer(o.Server); err != nil {
		return err
	}
	if o.Serve == "" && o.Access.Certificate != "" {
		return usage.Unexpected("--tls-cert, --tls-key", "no --serve",
			"the queue that they are for")
	}
	if o.Program == "" && (o.Keep > 0 || o.KeepAll) {
		return usage.Unexpected("--keep", "no program",
			"the path of gosmp, which repeats runs to write their files")
	}
	return nil
}

// checkServer refuses an unusable server address.
func checkServer(s queue.Server) error {
	if s.URL == "" {
		return nil
	}
	if err := queue.CheckURL(s.URL); err != nil {
		return fmt.Errorf("--nats: %w", err)
	}
	return nil
}

// leastJobs returns the minimum of Jobs, which is 0 if other machines may compute runs, too.
func (o *Options) leastJobs() int {
	if o.Server.URL != "" || o.Serve != "" {
		return 0
	}
	return 1
}

// complete replaces functions that are nil.
func (o *Options) complete() {
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.WriteFile == nil {
		o.WriteFile = func(path string, write func(io.Writer) error) error {
			return wholefile.Write(context.Background(), path, write)
		}
	}
}

// ResultsFolder returns the default results folder of a plan: NAME.results in the working directory
// for a plan NAME.sweep.yaml.
func ResultsFolder(plan string) string {
	base := filepath.Base(plan)
	return strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), ".sweep") + ".results"
}

// ExperimentOf returns the path of a plan's experiment.
func ExperimentOf(p *sweep.Plan) string {
	name := filepath.FromSlash(p.Experiment)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(p.File), name)
}
