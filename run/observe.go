package run

import (
	"cmp"
	"slices"

	"gosmp/cosim"
	"gosmp/importer/system"
	"gosmp/run/results"
	"gosmp/run/usage"
)

// places returns the folders in which the FMUs are unpacked. Each simultaneous run has its own
// folders.
func (r *Simulation) places() (list []cosim.Place) {
	for _, p := range r.System.Parts {
		if p.Instance != nil {
			list = append(list, p.Instance.Places()...)
		}
	}
	return list
}

// watchOutputs watches the recorded variables, or all outputs if none are chosen.
func (r *Simulation) watchOutputs() ([]results.Column, error) {
	o := &outputs{options: &r.Options}
	watch := func(p *system.Part, v cosim.Variable) func(string) *cosim.Signal {
		return func(label string) *cosim.Signal {
			return r.Engine.Watch(p.Name + "." + v.Name).SetLabel(label)
		}
	}
	for _, p := range r.System.Parts {
		for _, v := range p.Variables() {
			if len(r.Options.OutputVariables) == 0 && v.Role != cosim.Output {
				continue
			}
			o.list = append(o.list, visible{r.System.Label(p, v.Name), v, watch(p, v),
				p.Name + "." + v.Name})
		}
	}
	o.find = func(name string) (*visible, error) {
		p, v, err := r.find(outputVariable, name)
		if err != nil {
			return nil, err
		}
		return &visible{name, v, watch(p, v), p.Name + "." + v.Name}, nil
	}
	columns, err := o.choose()
	if err != nil {
		return nil, err
	}
	if len(r.Options.OutputVariables) == 0 { // including outputs that the format cannot store
		for k := range o.list {
			if o.list[k].variable.Role == cosim.Output {
				r.signals = append(r.signals, o.signal(&o.list[k], o.list[k].label))
			}
		}
		return columns, nil
	}
	taken := map[*cosim.Signal]bool{}
	for _, c := range columns {
		if !taken[c.Signal] {
			taken[c.Signal] = true
			r.signals = append(r.signals, c.Signal)
		}
	}
	return columns, nil
}

// observe adds all observers of the run.
func (r *Simulation) observe() error {
	c := &r.Options
	columns, err := r.watchOutputs()
	if err != nil {
		return err
	}
	hashed := slices.Clone(r.signals) // the order of files must not affect the result
	slices.SortFunc(hashed, func(a, b *cosim.Signal) int { return cmp.Compare(a.Name(), b.Name()) })
	r.hash = cosim.NewHash(hashed...)
	r.hash.Hide(r.places)
	r.Engine.Observe(r.hash)
	if c.OutputFile != "" {
		if r.Recorder, err = c.recordColumns(columns, r.Spec.Step, r.create); err != nil {
			return err
		}
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
				"standard output, to which other output is written",
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
	if c.Report != "" {
		if err := r.observeReport(); err != nil {
			return err
		}
	}
	if c.View {
		if err := r.observeView(); err != nil {
			return err
		}
	}
	return r.announce()
}

// announce logs the reports of the engine, and adds the observers of the caller.
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
