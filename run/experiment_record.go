package run

import (
	"errors"
	"fmt"
	"io"

	"gosmp/cosim"
	"gosmp/experiment/trial"
	"gosmp/run/usage"
)

// experimentResults holds the files to which a run of an experiment records.
type experimentResults struct {
	options *Options
	log     *logger
	files   []*resultFile
	observe func(cosim.Observer) // of the engine
}

// recordExperiment records the simulation as requested by the options. The caller must close the
// result.
func (c *Options) recordExperiment(o *trial.Options, log *logger) *experimentResults {
	r := &experimentResults{options: c, log: log}
	before := o.Observe
	o.Observe = func(s *trial.Simulation) error {
		if before != nil {
			if err := before(s); err != nil {
				return err
			}
		}
		if err := r.close(); err != nil { // of the run before a reset
			return err
		}
		r.observe = func(x cosim.Observer) { s.Engine.Observe(x) }
		if err := r.observeValues(s); err != nil {
			return err
		}
		return r.observeTrace(s)
	}
	return r
}

// observeValues records scalar variables.
func (r *experimentResults) observeValues(s *trial.Simulation) error {
	c := r.options
	if c.OutputFile == "" {
		return nil
	}
	if c.OutputFile == standard {
		return usage.Unexpected(
			"--output-file",
			"standard output, which the log is written to",
			"the name of a file",
		)
	}
	o := &outputs{options: c}
	for _, v := range s.Variables {
		o.list = append(o.list, visible{v.Name, v.Variable,
			func(string) *cosim.Signal { return s.Watch(v.Name) }, ""})
	}
	o.find = func(name string) (*visible, error) {
		for k := range o.list {
			if o.list[k].label == name {
				return &o.list[k], nil
			}
		}
		return nil, usage.Unexpected(
			outputVariable,
			fmt.Sprintf("%q", name),
			"a scalar variable of the experiment, as participant.variable",
		)
	}
	columns, err := o.choose()
	if err != nil {
		return err
	}
	recorder, err := c.recordColumns(columns, cosim.Grid{}, r.create)
	if err == nil {
		s.Engine.Observe(recorder)
	}
	return err
}

// observeTrace records messages.
func (r *experimentResults) observeTrace(s *trial.Simulation) error {
	if r.options.Record == "" {
		return nil
	}
	var signals []*cosim.Signal
	for _, v := range s.Variables {
		if isRecorded(v.Variable, v.Fed) {
			signals = append(signals, s.Watch(v.Name))
		}
	}
	if len(signals) == 0 {
		return usage.Unexpected(
			"--record",
			"an experiment without messages",
			"an FMU with binary inputs or outputs",
		)
	}
	recorder, err := r.options.messageRecorder(r.options.once(signals, s.Source), "", r.create,
		r.log.warn)
	if err != nil {
		return err
	}
	s.Engine.Observe(recorder)
	return nil
}

// create opens a file that stays open until close.
func (r *experimentResults) create(flag, path string) (io.Writer, error) {
	f, err := newResultFile(flag, path)
	if err != nil {
		return nil, err
	}
	r.files = append(r.files, f)
	r.observe(f)
	return f, nil
}

// close closes all files.
func (r *experimentResults) close() error {
	var all []error
	for _, f := range r.files {
		all = append(all, f.Close())
	}
	r.files = nil
	return errors.Join(all...)
}
