package run

import (
	"errors"
	"os"
	"path/filepath"

	"gosmp/experiment/trial"
	"gosmp/importer"
)

// End is what a run of FMUs has come to.
type End struct {
	Reached   float64 // the time, in seconds
	Steps     int64
	TraceHash string
	Cause     string // of a failure
	ExitCode  int
}

// Try prepares a run of FMUs and drops it, so that start values and options that they do not have are
// reported.
func (c *Command) Try() error {
	log, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // nothing was written
	r := NewSimulation(c, log)
	defer r.Close()
	return errors.Join(r.open(), r.closeFiles())
}

// Once runs FMUs without a summary.
func (c *Command) Once() (End, error) {
	r := NewSimulation(c, os.Stderr)
	defer r.Close()
	err := r.run()
	s := r.summarize(err, ExitCode(err))
	err = errors.Join(err, r.closeFiles())
	return End{s.Reached, s.Steps, s.TraceHash, s.Cause, ExitCode(err)}, err
}

// TrialOptions are what decides a run of an experiment, beside its files.
type TrialOptions struct {
	Set     []trial.Setting
	Seed    uint64
	WithFMU func() // called when an FMU is about to be loaded; may be nil
}

// OpenTrial prepares a run of an experiment without a log. Its FMUs run in processes of a pool.
func OpenTrial(name string, document []byte, pool *importer.Pool, o TrialOptions) (*trial.Trial, error) {
	c := &Command{}
	h := &host{command: c, dir: filepath.Dir(name), pool: pool, withFMU: o.WithFMU}
	options := c.experimentOptions(h, nil)
	options.Seed, options.Log, options.Set = o.Seed, nil, o.Set
	t, err := trial.Open(name, document, options)
	if err == nil {
		h.physics = t.Description().Physics
	}
	return t, err
}
