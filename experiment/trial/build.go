package trial

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/foreign"
	"gosmp/osmp"
	"gosmp/osmp/connect"
	"gosmp/timebase"
)

// build creates the world, the engine and the machines.
func (t *Trial) build() error {
	if t.wiring.Step.IsZero() && t.scenario != nil {
		t.wiring.Step = t.scenario.Step
	}
	if t.wiring.Step.IsZero() {
		t.wiring.Step = cosim.Every(0.02)
	}
	t.engine = cosim.New(cosim.Spec{
		Stop: timebase.EndOfTime, Step: t.wiring.Step, Speed: t.options.Speed,
		Behind: t.options.Behind,
	})
	if err := t.populate(); err != nil {
		return err
	}
	makers := slices.Concat(t.options.Participants, t.wiring.Participants)
	for _, p := range t.bibi.FMUs {
		if t.options.FMU == nil {
			return fault.New(ErrInvalid, fault.At(p.Name), "an FMU", "Options.FMU")
		}
		m, err := t.options.FMU(p)
		if err != nil {
			return err
		}
		makers = append(makers, m)
	}
	known, err := t.connect(makers)
	if err != nil {
		return err
	}
	if err := t.repeat(known); err != nil {
		return err
	}
	if t.options.Observe != nil {
		if err := t.options.Observe(&Simulation{t.engine, t.variables(known), t}); err != nil {
			return err
		}
	}
	return t.addMachines()
}

// populate creates the world with the vehicles of the description.
func (t *Trial) populate() error {
	if t.scenario != nil {
		return t.stage()
	}
	if t.roads == nil {
		return nil
	}
	w, err := mocksim.New(t.roads, mocksim.Options{Seed: t.seed, Grid: t.wiring.Step})
	if err != nil {
		return err
	}
	if err := t.join(w); err != nil {
		return err
	}
	var names []string
	for k, p := range t.description.Environment.Poses {
		name, kind := vehicle(p), mocksim.Car
		for i, b := range t.bibi.Bodies {
			if b.Robot == p.Robot || p.Robot == "" && i == k {
				if kind, err = mocksim.ParseKind(b.Model); err != nil {
					return fault.New(ErrInvalid, fault.At(name), "the body "+b.Model,
						"a kind of vehicle").WithCause(err)
				}
			}
		}
		start := mocksim.AtPosition(p.X, p.Y).Facing(p.Yaw)
		start.Position = frames.Vector{X: p.X, Y: p.Y, Z: p.Z}
		if err := w.Create(mocksim.Actor{Name: name, Kind: kind, Start: start}); err != nil {
			return err
		}
		names = append(names, name)
	}
	t.world = newWorld(w, names)
	t.engine.Add(worldName, t.world)
	return nil
}

// simulator returns the third-party simulator that moves the vehicles, or "" if there is none.
func (t *Trial) simulator() string {
	return cmp.Or(t.options.Simulator, t.description.Environment.Simulator)
}

// join lets a third-party simulator move the vehicles, if there is one.
func (t *Trial) join(w *mocksim.World) error {
	address := t.simulator()
	if address == "" {
		return nil
	}
	return foreign.Join(context.Background(), w, address, foreign.Options{
		Step: t.wiring.Step, Seed: t.seed,
		Log: func(line string) { t.log("simulator: " + line) }})
}

// variables lists the variables for observers.
func (t *Trial) variables(known map[string]cosim.Variable) (list []Variable) {
	for _, full := range slices.Sorted(maps.Keys(known)) {
		v := known[full]
		name, ofWorld := full, false
		if t.world != nil {
			name, ofWorld = strings.CutPrefix(full, worldName+".")
		}
		read := func(c cosim.Connection) bool { return t.full(c.From) == full }
		if !ofWorld || v.Kind != cosim.Binary || slices.ContainsFunc(t.wiring.Connections, read) {
			list = append(list, Variable{name, t.fed[full] != "", v})
		}
	}
	return list
}

// connect adds participants, connections, and the variables that machines see and set. It returns
// all variables by their names in the engine.
func (t *Trial) connect(makers []Maker) (map[string]cosim.Variable, error) {
	known := map[string]cosim.Variable{}
	var parts []connect.Part
	note := func(name string, list []cosim.Variable) {
		parts = append(parts, connect.Part{Name: name, Variables: list})
		for _, v := range list {
			known[name+"."+v.Name] = v
		}
	}
	if t.world != nil {
		note(worldName, t.world.variables)
	}
	for _, m := range makers {
		if m.Values != nil {
			s, err := m.Values()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			t.engine.AddSource(m.Name, s)
			note(m.Name, s.Variables())
			continue
		}
		p, err := m.New(Given{Seed: t.seed, Physics: t.description.Physics})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		t.engine.AddEvery(m.Name, p, m.Step)
		note(m.Name, p.Variables())
	}
	made, err := t.wires(parts)
	if err != nil {
		return nil, err
	}
	t.fed = map[string]string{}
	for _, c := range made {
		t.engine.ConnectAs(c)
		t.fed[c.To] = c.From
	}
	t.signals, t.readings, t.drives, t.data = map[string]*reading{}, nil,
		map[string]*cosim.Control{}, nil
	var hashed []*cosim.Signal
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if v := known[name]; !v.Kind.IsBlob() && v.Role == cosim.Output {
			hashed = append(hashed, t.engine.Watch(name))
		}
	}
	for _, word := range slices.Compact(slices.Sorted(slices.Values(t.names))) {
		t.mention(word, known)
	}
	t.hash = cosim.NewHash(hashed...)
	t.engine.Observe(t.hash)
	t.plan(known)
	return known, nil
}

// wires returns all connections: from the wiring, from drivers, and from configurations.
func (t *Trial) wires(parts []connect.Part) ([]cosim.Connection, error) {
	made := slices.Clone(t.wiring.Connections)
	for k := range made {
		made[k].From, made[k].To = t.full(made[k].From), t.full(made[k].To)
	}
	for _, p := range t.bibi.FMUs {
		if p.Drives == "" {
			continue
		}
		refuse := func(found, expected string) error {
			return fault.New(ErrInvalid, fault.Line(t.bibi.File, p.Position.Line), found, expected)
		}
		if t.world == nil || !slices.Contains(t.world.vehicles, p.Drives) {
			return nil, refuse(fmt.Sprintf("drives=%q", p.Drives),
				"the robotId of a vehicle on a map (.xodr)")
		}
		k := slices.IndexFunc(parts, func(x connect.Part) bool { return x.Name == p.Name })
		seat := t.driver()
		updates, update := parts[k].Carriers(cosim.Output, osmp.TrafficUpdateOut.Message),
			seat.Update
		if len(updates) == 0 && seat.Motion != "" {
			updates = parts[k].Carriers(cosim.Output, osmp.MotionRequestOut.Message)
			update = seat.Motion
		}
		if len(updates) != 1 {
			return nil, refuse(fmt.Sprintf("%d outputs of %s for TrafficUpdates", len(updates),
				p.Name), "one, "+osmp.TrafficUpdateOut.Prefix+", as a traffic participant has it")
		}
		made = append(made, cosim.Connection{From: p.Name + "." + updates[0],
			To: worldName + "." + p.Drives + "." + update})
		made = seat.connect(made, &parts[k], worldName+"."+p.Drives+".")
	}
	made = append(made, connect.Configurations(parts, made)...)
	connect.Time(parts, []string{worldName}, made)
	return made, nil
}

// connect connects the free inputs of a driver to the messages of its seat, whose names follow the
// prefix, and its TrafficCommandUpdates to the seat.
func (s *Seating) connect(made []cosim.Connection, p *connect.Part,
	prefix string) []cosim.Connection {
	link := func(from, to string) {
		if !slices.ContainsFunc(made, func(c cosim.Connection) bool { return c.To == to }) {
			made = append(made, cosim.Connection{From: from, To: to})
		}
	}
	for _, f := range [...]struct{ output, message string }{
		{s.View, osmp.SensorViewIn.Message}, {s.Command, osmp.TrafficCommandIn.Message},
		{s.Data, osmp.HostVehicleDataIn.Message}, {s.Stream, osmp.StreamingUpdateIn.Message}} {
		for _, v := range p.Carriers(cosim.Input, f.message) {
			if f.output != "" {
				link(prefix+f.output, p.Name+"."+v)
			}
		}
	}
	answers := p.Carriers(cosim.Output, osmp.TrafficCommandUpdateOut.Message)
	if s.Answer != "" && len(answers) == 1 {
		link(p.Name+"."+answers[0], prefix+s.Answer)
	}
	return made
}

// plan determines which curves a report has: the speeds of vehicles, the variables in connections,
// and the variables that machines see.
func (t *Trial) plan(known map[string]cosim.Variable) {
	t.curves = nil
	watch := func(name string) {
		if v, ok := known[t.full(name)]; ok && !v.Kind.IsBlob() {
			t.follow(name, t.engine.Watch(t.full(name)))
		}
	}
	if t.world != nil {
		for _, name := range t.world.vehicles {
			watch(name + ".speed")
		}
	}
	for _, c := range t.wiring.Connections {
		watch(c.From)
	}
	for _, name := range sorted(t.signals) {
		watch(name)
	}
}

// full returns the name of a variable in the engine, where vehicles belong to the world.
func (t *Trial) full(name string) string {
	if t.world == nil {
		return name
	}
	owner, variable, _ := experiment.CutOwner(name, func(owner string) bool {
		return slices.Contains(t.world.vehicles, owner) || t.participates(owner)
	})
	if slices.Contains(t.world.vehicles, owner) {
		return worldName + "." + t.alias(owner, variable)
	}
	return name
}

// participates reports whether an FMU or another participant has this name.
func (t *Trial) participates(name string) bool {
	is := func(m Maker) bool { return m.Name == name }
	return slices.ContainsFunc(t.wiring.Participants, is) ||
		slices.ContainsFunc(t.options.Participants, is) ||
		slices.ContainsFunc(t.bibi.FMUs,
			func(p experiment.Participant) bool { return p.Name == name })
}

// mention makes a variable that a chart names, either directly or as the event data.NAME, visible
// or settable.
func (t *Trial) mention(word string, known map[string]cosim.Variable) {
	name, isEvent := strings.CutPrefix(word, dataEvent)
	full := t.full(name)
	v, ok := known[full]
	if !ok {
		return
	}
	if v.Role == cosim.Input && t.fed[full] == "" {
		if t.drives[name] == nil && !v.Kind.IsBlob() {
			t.drives[name] = t.engine.Drive(full)
		}
		return
	}
	if t.signals[name] == nil {
		if _, known := messageType(v); v.Kind == cosim.Binary && !known {
			return
		}
		r := &reading{signal: t.engine.Watch(full)}
		r.message, _ = messageType(v)
		t.signals[name], t.readings = r, append(t.readings, r)
	}
	if isEvent {
		t.data = append(t.data, &channel{channel: name, reading: t.signals[name]})
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// addMachines creates the machines on one clock.
func (t *Trial) addMachines() error {
	t.channels = &channels{t: t}
	name, _ := scxml.ValueOf(t.description.Name) // a text
	t.system = scxml.NewSystem(scxml.Options{Seed: t.seed, Observe: t.observe, Channels: t.channels,
		Processors: map[string]scxml.Processor{experiment.Processor: t.act},
		System:     map[string]scxml.Value{"experiment": name}})
	if t.running != nil {
		t.system.EndWith(t.running)
	}
	t.machines = nil
	for _, c := range t.charts {
		m, err := t.system.Add(c.id, c.chart)
		if err != nil {
			return err
		}
		for _, d := range c.data {
			if err := m.SetData(d.id, d.value); err != nil {
				return err
			}
		}
		t.machines = append(t.machines, m)
	}
	return nil
}
