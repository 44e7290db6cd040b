package run

import (
	"errors"
	"fmt"
	"io"

	"gosmp/cosim"
	"gosmp/experiment/trial"
	"gosmp/run/usage"
)

// experimentResults are the files that a run of an experiment records into.
type experimentResults struct {
	options *Options
	log     *logger
	files   []*resultFile
	observe func(cosim.Observer) // of the engine
}

// recordExperiment records the simulation as the flags request. The caller has to close the result.
func (c *Options) recordExperiment(o *trial.Options, log *logger) *experimentResults {
	r := &experimentResults{options: c, log: log}
	before := o.Observe
	o.Observe = func(s *trial.Simulation) error {
		if before != nil {
			if err := before(s); err != nil {
				return err
			}
		}
		if err := r.close(); err != nil { // of the life before a reset
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
		if len(c.OutputVariables) > 0 {
			return usage.Unexpected("--output-variable", "no file", "--output-file")
		}
		return nil
	}
	if c.OutputFile == standard {
		return usage.Unexpected(
			"--output-file",
			"standard output, which the log is written to",
			"the name of a file",
		)
	}
	names := c.OutputVariables
	for _, v := range s.Variables {
		if len(c.OutputVariables) == 0 && v.Role == cosim.Output && !v.Kind.IsBlob() {
			names = append(names, v.Name)
		}
	}
	var signals []*cosim.Signal
	for _, name := range names {
		x := s.Watch(name)
		if x.Variable.Name == "" || x.Variable.Kind.IsBlob() {
			return usage.Unexpected(
				"--output-variable",
				fmt.Sprintf("%q", name),
				"a scalar variable of the experiment, as participant.variable",
			)
		}
		signals = append(signals, x)
	}
	f, err := r.create("--output-file", c.OutputFile)
	if err == nil {
		s.Engine.Observe(cosim.NewRecorder(f, signals...))
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
		if v.Kind == cosim.Binary && (v.Role == cosim.Input || v.Role == cosim.Output) {
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
	recorder, err := r.options.messageRecorder(signals, "", r.create, r.log.warn)
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

// close closes all files, once.
func (r *experimentResults) close() error {
	var all []error
	for _, f := range r.files {
		all = append(all, f.Close())
	}
	r.files = nil
	return errors.Join(all...)
}
