package run

import (
	"cmp"
	"context"
	"io"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/run/usage"
)

// makeEngine determines how to run the system, and creates the engine. Close ends its FMUs.
func (r *Simulation) makeEngine() error {
	if err := r.settle(); err != nil {
		return err
	}
	c := &r.Options
	r.pool = &importer.Pool{Print: r.printed, Reserve: c.Reserve}
	o := &r.pool.Options
	o.Memory, o.Core, o.LogCalls, o.Dir = c.Memory, c.Core, c.LogCalls, c.WorkDir
	options, err := r.importerOptions()
	if err != nil {
		return err
	}
	for _, text := range r.System.Warnings {
		r.log.warn(text)
	}
	r.Engine, err = r.System.Engine(
		r.Spec,
		r.pool,
		func(p *system.Part) importer.Options { return *options[p] },
	)
	return err
}

// runEngine runs the engine. If requested, it starts from a saved state, or saves the state at the
// end.
func (r *Simulation) runEngine(ctx context.Context) (*cosim.Result, error) {
	c, e := &r.Options, r.Engine
	var err error
	if c.InitialState != "" && !r.plainState() {
		state, wrong := r.readFile(c.InitialState)
		if wrong != nil {
			return e.Result(), usage.Invalid("--initial-fmu-state-file", wrong)
		}
		err = e.Resume(ctx, state)
	} else {
		err = e.Start(ctx)
	}
	if err == nil {
		err = e.Continue(ctx)
	}
	var failed error
	if err == nil && c.FinalState != "" {
		failed = r.saveState(ctx)
	}
	result, err := e.Finish(ctx)
	return result, cmp.Or(err, failed)
}

// saveState writes the state of the FMU, or of all FMUs and the engine.
func (r *Simulation) saveState(ctx context.Context) error {
	save := func() ([]byte, error) { return r.Engine.AppendState(ctx, nil) }
	if r.plainState() {
		save = r.System.Parts[0].Instance.State
	}
	state, err := save()
	if err != nil {
		return err
	}
	return writeFile(r.Options.FinalState, func(w io.Writer) error {
		_, err := w.Write(state)
		return err
	})
}
