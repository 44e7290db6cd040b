package run

import (
	"cmp"
	"slices"

	"gosmp/cosim"
	"gosmp/run/usage"
)

// places are where the FMUs are unpacked, which is another place in each run at the same time.
func (r *Simulation) places() (list []cosim.Place) {
	for _, p := range r.System.Parts {
		if p.Instance != nil {
			list = append(list, p.Instance.Places()...)
		}
	}
	return list
}

// observe adds everything that watches the run.
func (r *Simulation) observe() error {
	c := &r.Options
	if err := r.watchOutputs(); err != nil {
		return err
	}
	hashed := slices.Clone(r.signals) // the order of files is no part of what a run does
	slices.SortFunc(hashed, func(a, b *cosim.Signal) int { return cmp.Compare(a.Name(), b.Name()) })
	r.hash = cosim.NewHash(hashed...)
	r.hash.Hide(r.places)
	r.Engine.Observe(r.hash)
	if c.OutputFile != "" {
		if err := checkFormat("--output-file", c.OutputFile); err != nil {
			return err
		}
		f, err := r.create("--output-file", c.OutputFile)
		if err != nil {
			return err
		}
		r.Recorder = cosim.NewRecorder(f, r.signals...)
		r.Engine.Observe(r.Recorder)
	}
	if err := r.observeMessages(); err != nil {
		return err
	}
	if err := r.observeTrace(); err != nil {
		return err
	}
	if c.Graph != "" {
		if c.Graph == standard && c.OutputFile == standard {
			return usage.Unexpected(
				"--graph",
				"standard output, which something else is written to",
				"the name of a file",
			)
		}
		r.Engine.Observe(graphFile{r})
	}
	if err := r.observeBridge(); err != nil {
		return err
	}
	if c.Plot != "" {
		if err := r.observePlot(); err != nil {
			return err
		}
	}
	return r.announce()
}

// announce logs what the engine reports, and adds the observers of the caller.
func (r *Simulation) announce() error {
	r.Engine.Observe(notes{r})
	if r.Options.Observe != nil {
		return r.Options.Observe(r)
	}
	return nil
}

func (r *Simulation) observeMessages() error {
	for _, a := range r.Options.OutputMessages {
		p, v, file, err := r.named("--output-messages", a)
		if err != nil {
			return err
		}
		name := r.System.Label(p, v.Name)
		s := r.Engine.Watch(p.Name + "." + v.Name)
		if !s.Variable.Kind.IsBlob() {
			return usage.Unexpected(
				"--output-messages",
				name+" of type "+s.Variable.Kind.String(),
				"a text or a binary variable",
			)
		}
		f, err := r.create("--output-messages", file)
		if err != nil {
			return err
		}
		r.Engine.Observe(cosim.NewMessages(f, s))
	}
	return nil
}
