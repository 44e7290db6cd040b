package run

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/run/usage"
	"gosmp/trace"
	"gosmp/trace/live"
	"gosmp/trace/mcap"
)

// observeTrace records the messages of all binary variables to one file.
func (r *Simulation) observeTrace() error {
	o := &r.Options
	if o.Record == "" {
		return nil
	}
	signals := r.binarySignals()
	if r.recorded != nil {
		signals = r.recorded()
	}
	if len(signals) == 0 {
		return usage.Unexpected(
			"--record",
			"an FMU without binary inputs and outputs",
			"at least one to record",
		)
	}
	recorder, err := o.messageRecorder(
		o.once(signals, r.System.Source),
		"; --output-messages NAME=FILE records one of them",
		r.create,
		r.log.warn,
	)
	if err != nil {
		return err
	}
	r.Engine.Observe(recorder)
	return nil
}

// messageRecorder records messages to the file of --record, which create opens. instead is the
// advice given if the format holds only one signal.
func (o *Options) messageRecorder(
	signals []*cosim.Signal,
	instead string,
	create func(flag, path string) (io.Writer, error),
	warn func(text string),
) (*live.Recorder, error) {
	format, err := recordFormat(o.Record)
	if err != nil {
		return nil, err
	}
	if signals, err = o.recorded(signals); err != nil {
		return nil, err
	}
	if err := recordable(o.Record, format, signals, instead); err != nil {
		return nil, err
	}
	f, err := create("--record", o.Record)
	if err != nil {
		return nil, err
	}
	return newRecorder(
		"--record",
		f,
		format,
		live.RecorderOptions{Drop: o.RealTime > 0, Warn: warn},
		signals,
	)
}

// once omits inputs whose sources are also recorded, unless RecordOnly is set. source returns the
// output that feeds an input, by their names in the engine.
func (o *Options) once(signals []*cosim.Signal, source func(input string) string) []*cosim.Signal {
	if len(o.RecordOnly) > 0 {
		return signals
	}
	names := map[string]bool{}
	for _, s := range signals {
		names[s.Name()] = true
	}
	return slices.DeleteFunc(slices.Clone(signals), func(s *cosim.Signal) bool {
		return s.Variable.Role == cosim.Input && names[source(s.Name())]
	})
}

// recorded returns the signals that RecordOnly names, or all signals without it. A star stands for
// any characters, and each pattern must match something.
func (o *Options) recorded(signals []*cosim.Signal) (chosen []*cosim.Signal, err error) {
	if len(o.RecordOnly) == 0 {
		return signals, nil
	}
	hit, names := map[*cosim.Signal]bool{}, make([]string, len(signals))
	for k, s := range signals {
		names[k] = s.Label()
	}
	for _, pattern := range o.RecordOnly {
		found := false
		for k, s := range signals {
			is, err := path.Match(plain(pattern), plain(names[k]))
			if err != nil {
				return nil, usage.Unexpected("--record-only", fmt.Sprintf("%q", pattern),
					"a name, or a pattern with * and ?")
			}
			hit[s], found = hit[s] || is, found || is
		}
		if !found {
			return nil, usage.Unexpected("--record-only", fmt.Sprintf("%q", pattern),
				"a name or a pattern of "+strings.Join(names, ", "))
		}
	}
	for _, s := range signals {
		if hit[s] {
			chosen = append(chosen, s)
		}
	}
	return chosen, nil
}

// newRecorder records messages to a file, which the caller closes.
func newRecorder(
	flag string,
	f io.Writer,
	format trace.Format,
	o live.RecorderOptions,
	signals []*cosim.Signal,
) (*live.Recorder, error) {
	sink, err := trace.Create(f, format, trace.SinkOptions{Compression: mcap.Zstd})
	if err != nil {
		return nil, err
	}
	recorder, err := live.NewRecorder(sink, o, signals...)
	if err != nil {
		return nil, usage.Invalid(flag, err)
	}
	return recorder, nil
}

// isMessage reports whether a trace contains a variable by default. Portions are recorded where
// they arrive.
func isMessage(v cosim.Variable) bool {
	return v.Kind == cosim.Binary && (v.Role == cosim.Input || v.Role == cosim.Output) &&
		!v.Portions
}

// binarySignals returns all inputs and outputs that carry messages. Of a map, which has inputs for
// drivers of any kind, it only returns those that are connected.
func (r *Simulation) binarySignals() (list []*cosim.Signal) {
	for _, p := range r.System.Parts {
		for _, v := range p.Variables() {
			name := p.Name + "." + v.Name
			fed := r.System.Fed(name)
			if isRecorded(v, fed) && (!p.World || v.Role != cosim.Input || fed) {
				list = append(list, r.Engine.Watch(name))
			}
		}
	}
	return list
}

// isRecorded reports whether a trace contains a variable by default. An input with bytes other than
// OSI messages must be fed, because a channel without messages and schema would only confuse
// readers.
func isRecorded(v cosim.Variable, fed bool) bool {
	if !isMessage(v) {
		return false
	}
	c := live.ChannelOf(v.Name, v.MIMEType)
	return v.Role != cosim.Input || fed || c.IsOSI()
}

// recordable refuses signals that the format cannot store, before the file is created.
func recordable(name string, format trace.Format, signals []*cosim.Signal, instead string) error {
	if !format.HasOneChannel() || len(signals) == 1 {
		return nil
	}
	names := make([]string, len(signals))
	for k, s := range signals {
		names[k] = s.Label()
	}
	return usage.Unexpected(
		"--record",
		fmt.Sprintf("%s for the messages of %s", name, strings.Join(names, ", ")),
		"a name that ends in .mcap, as an .osi file holds one channel"+instead,
	)
}

// recordsOne reports whether a trace with that name holds only one channel.
func recordsOne(name string) bool { return trace.FormatOf(name).HasOneChannel() }

// recordFormat returns the format of a recorded trace by its file name extension.
func recordFormat(name string) (trace.Format, error) {
	if f := trace.FormatOf(name); slices.Contains(trace.Live(), f) {
		return f, nil
	}
	return trace.Unknown, usage.Unexpected(
		"--record",
		fmt.Sprintf("%q", name),
		trace.Endings(trace.Live()),
	)
}
