package run

import (
	"errors"
	"fmt"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/experiment/trial"
)

// experimentResults are the files that a run of an experiment records into.
type experimentResults struct {
	command *Command
	files   []*os.File
}

// recordExperiment records the simulation as the flags request. The caller has to close the result.
func (c *Command) recordExperiment(o *trial.Options) *experimentResults {
	r := &experimentResults{command: c}
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
		if err := r.observeValues(s); err != nil {
			return err
		}
		return r.observeTrace(s)
	}
	return r
}

// observeValues records scalar variables.
func (r *experimentResults) observeValues(s *trial.Simulation) error {
	c := r.command
	if c.OutputFile == "" {
		if len(c.OutputVariable) > 0 {
			return cli.Unexpected("--output-variable", "no file", "--output-file")
		}
		return nil
	}
	if c.OutputFile == cli.StandardOutput {
		return cli.Unexpected("--output-file", "standard output, which the log is written to", "the name of a file")
	}
	names := c.OutputVariable
	for _, v := range s.Variables {
		if len(c.OutputVariable) == 0 && v.Role == cosim.Output && !v.Kind.IsBlob() {
			names = append(names, v.Name)
		}
	}
	var signals []*cosim.Signal
	for _, name := range names {
		x := s.Watch(name)
		if x.Variable.Name == "" || x.Variable.Kind.IsBlob() {
			return cli.Unexpected("--output-variable", fmt.Sprintf("%q", name), "a scalar variable of the experiment, as participant.variable")
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
	if r.command.Record == "" {
		return nil
	}
	var signals []*cosim.Signal
	for _, v := range s.Variables {
		if v.Kind == cosim.Binary && (v.Role == cosim.Input || v.Role == cosim.Output) {
			signals = append(signals, s.Watch(v.Name))
		}
	}
	if len(signals) == 0 {
		return cli.Unexpected("--record", "an experiment without messages", "an FMU with binary inputs or outputs")
	}
	warn := func(text string) { fmt.Fprintln(os.Stderr, "gosmp: warning: "+text) }
	recorder, err := r.command.messageRecorder(signals, "", r.create, warn)
	if err != nil {
		return err
	}
	s.Engine.Observe(recorder)
	return nil
}

// create opens a file that stays open until close.
func (r *experimentResults) create(flag, path string) (*os.File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, cli.Invalid(flag, err)
	}
	r.files = append(r.files, f)
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
