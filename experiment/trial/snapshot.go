package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gosmp/cosim"
	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

const stateMagic = "gosmp trial 2\n"

// kept is the state of a trial apart from the engine and the machines.
type kept struct {
	Inputs     []Input // a state must belong to the same experiment
	Seed       uint64
	Drawn      bool
	Steps      int64
	Timeout    timebase.Duration
	Real       timebase.Duration
	Zones      []keptZone
	Thresholds []keptThreshold
	Versions   []int            // of readings
	Gaps       []gaps           // of readings
	Seen       []int            // by data channel, in their order
	Subscribed map[string][]int // versions seen by subscriptions, by topic
	Records    []scxml.Record
	Scenes     []Scene
	Film       film
	Curves     []*Curve
	Errors     *errorLog
}

type keptZone struct {
	Name         string
	X, Y, Radius float64
	Inside       []string
}

type keptThreshold struct {
	Name, Variable string
	Above, Below   *float64
	Beyond, Absent bool
	Watchers       []watcher
	Handled        bool
}

// AppendState appends the state between two steps: the states of participants and machines, and all
// data for the verdict and the report. A trial of the same experiment, even in another process,
// continues from it with [Trial.Resume]. All participants must be able to save their states.
func (t *Trial) AppendState(ctx context.Context, b []byte) ([]byte, error) {
	if t.state != Paused && t.state != Started {
		return b, fault.New(ErrState, fault.At("AppendState"), string(t.state), "paused or started")
	}
	passed := t.real
	if t.state == Started {
		passed += t.clock() - t.since
	}
	k := kept{Inputs: t.hashes, Seed: t.seed, Drawn: t.drawn, Steps: t.steps, Timeout: t.timeout,
		Real: passed, Records: t.records, Scenes: t.scenes, Film: t.film,
		Curves: t.curves, Subscribed: map[string][]int{}, Errors: t.errorLog()}
	k.Errors.rest()
	for _, z := range t.zones {
		k.Zones = append(k.Zones, keptZone{z.name, z.x, z.y, z.radius, z.inside})
	}
	for _, w := range t.thresholds {
		k.Thresholds = append(k.Thresholds, keptThreshold{w.name, w.variable, w.above, w.below,
			w.beyond, w.absent, w.watchers, w.handled})
	}
	for _, r := range t.readings {
		k.Versions = append(k.Versions, r.version)
		k.Gaps = append(k.Gaps, r.gaps)
	}
	for _, d := range t.data {
		k.Seen = append(k.Seen, d.seen)
	}
	for _, s := range t.channels.list {
		k.Subscribed[s.topic] = append(k.Subscribed[s.topic], s.seen)
	}
	text, err := json.Marshal(k)
	if err != nil {
		return b, err
	}
	start := len(b)
	b = state.AppendBytes(append(b, stateMagic...), text)
	engine, err := t.engine.AppendState(ctx, nil)
	if err != nil {
		return b[:start], err
	}
	machines, err := t.system.AppendState(nil)
	if err != nil {
		return b[:start], err
	}
	return state.Seal(state.AppendBytes(state.AppendBytes(b, engine), machines), start), nil
}

// Resume is like Initialize, but starts from a saved state: the trial is paused at the point where
// the state was saved. The state's seed replaces the trial's own.
func (t *Trial) Resume(ctx context.Context, saved []byte) error {
	if err := t.allow("Initialize"); err != nil {
		return err
	}
	d, err := state.Open(stateMagic, saved)
	if err != nil {
		return err
	}
	var k kept
	text, engine, machines := d.Bytes(), d.Bytes(), d.Bytes()
	if err := d.Done(); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return fault.Wrap(state.ErrState, fault.At("state"), err)
	}
	if !slices.Equal(k.Inputs, t.hashes) {
		return fault.New(state.ErrState, fault.At("state"), "the state of a different experiment",
			"one with the same files").
			WithHint("the files must not have changed since the state was saved")
	}
	t.seed, t.drawn = k.Seed, k.Drawn
	if err := t.resume(ctx, &k, engine, machines); err != nil {
		t.fail(Failed, err)
		return err
	}
	t.state = Paused
	t.log(fmt.Sprintf("resumed at %s", scxml.Seconds(t.Now())))
	return nil
}

func (t *Trial) resume(ctx context.Context, k *kept, engine, machines []byte) error {
	if err := t.build(); err != nil {
		return err
	}
	if err := t.engine.Resume(ctx, engine); err != nil {
		return err
	}
	if err := t.system.RestoreState(machines); err != nil {
		return err
	}
	t.steps, t.timeout, t.real, t.records, t.scenes = k.Steps, k.Timeout, k.Real, k.Records,
		k.Scenes
	t.film = k.Film
	t.errors = newErrorLog(nil)
	if k.Errors != nil {
		t.errors.List, t.errors.More = k.Errors.List, k.Errors.More
	}
	return t.recall(k)
}

// recall restores the zones and variables that machines watch, and the curves.
func (t *Trial) recall(k *kept) error {
	if len(k.Versions) != len(t.readings) || len(k.Gaps) != len(t.readings) ||
		len(k.Seen) != len(t.data) || len(k.Curves) != len(t.curves) {
		return fault.New(state.ErrState, fault.At("state"), "the state of different machines",
			"a state from the same version of gosmp")
	}
	for _, z := range k.Zones {
		t.zones = append(t.zones, &zone{name: z.Name, x: z.X, y: z.Y, radius: z.Radius,
			inside: z.Inside})
	}
	for i, c := range k.Curves {
		if c == nil {
			return fault.New(state.ErrState, fault.At("state"), "a curve that is null",
				"one for each variable of the report")
		}
		c.signal = t.curves[i].signal
		t.curves[i] = c
	}
	t.readVariables()
	for i, r := range t.readings {
		r.version, r.made, r.gaps = k.Versions[i], -1, k.Gaps[i]
	}
	for i, d := range t.data {
		d.seen = k.Seen[i]
	}
	for _, w := range k.Thresholds {
		r := t.signals[w.Variable]
		if r == nil {
			return fault.New(state.ErrState, fault.At("state"), "variable "+w.Variable,
				"one that a chart writes out")
		}
		t.thresholds = append(t.thresholds,
			&threshold{name: w.Name, variable: w.Variable, reading: r, above: w.Above,
				below: w.Below, beyond: w.Beyond, absent: w.Absent, watchers: w.Watchers,
				handled: w.Handled})
	}
	for _, s := range t.channels.list {
		if seen := k.Subscribed[s.topic]; len(seen) > 0 {
			s.seen, k.Subscribed[s.topic] = seen[0], seen[1:]
		}
	}
	return nil
}

// worldState is the state of a trial's world, excluding the simulator's state.
type worldState struct {
	Pressed map[string]bool
	Drivers map[string]driver
	Views   map[string]view // by the variable's name
}

// AppendState implements [cosim.Keeper].
func (p *world) AppendState(_ context.Context, b []byte) ([]byte, error) {
	w := worldState{p.pressed, map[string]driver{}, map[string]view{}}
	for name, c := range p.drivers {
		w.Drivers[name] = driver{c.Speed, c.Accel, c.Decel}
	}
	for name, m := range p.makers {
		w.Views[name] = view{m.Memory()}
	}
	text, err := json.Marshal(w)
	b = state.AppendBytes(state.AppendBytes(b, p.World.AppendState(nil)), text)
	for _, k := range p.keepers() {
		b = k.AppendState(b)
	}
	return b, err
}

// RestoreState implements [cosim.Keeper]. The engine restores the outputs.
func (p *world) RestoreState(_ context.Context, saved []byte) error {
	d := &state.Decoder{Data: saved}
	content, text := d.Bytes(), d.Bytes()
	for _, k := range p.keepers() {
		if err := k.RestoreState(d); err != nil {
			return err
		}
	}
	if err := d.Done(); err != nil {
		return err
	}
	w := worldState{Pressed: map[string]bool{}}
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	if err := p.Restore(content); err != nil {
		return err
	}
	if p.events = nil; w.Pressed == nil {
		w.Pressed = map[string]bool{}
	}
	p.pressed = w.Pressed
	clear(p.drivers)
	for name, d := range w.Drivers {
		p.drivers[name] = d.controller()
	}
	for number := range p.variables {
		v, ok := w.Views[p.variables[number].Name]
		if !ok {
			continue
		}
		m, err := p.maker(number)
		if err != nil {
			return err
		}
		m.Recall(v.Memory)
	}
	return nil
}

var _ cosim.Keeper = (*world)(nil)
