package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/bridge"
	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/mocksim/opendrive"
	"gosmp/run/usage"
	"gosmp/scenario"
	"gosmp/scenario/participant"
	"gosmp/scenario/play"
)

// hasModels reports whether models take part in a scenario, or options require an engine.
func (o *Options) hasModels() bool {
	return len(o.SUT)+len(o.Drive)+len(o.On) > 0 || o.Record != "" || o.OutputFile != "" ||
		o.Bridge != ""
}

// model is a model at an entity, with the parts from its file.
type model struct {
	option, entity, file string
	role                 string // as in [play.Model]
	parts                []*system.Part
	boundary             []cosim.Connection // of the system's own connectors
}

// crew holds the models of a scenario at their entities.
type crew struct {
	*Simulation
	world  *system.Part
	names  []string // of the entities
	models []*model
	// outputs is the hash of the models' outputs
	outputs *cosim.Hash
	bridged []string // variables named in a bridge configuration; nil without a bridge
}

// openModels prepares the simulation of a scenario with models.
func (s *Scenario) openModels(resolved *scenario.Scenario, settings play.Options,
	roads *opendrive.Map) (err error) {
	o := s.options
	c := &crew{names: play.EntityNames(resolved)}
	if err := c.list(o); err != nil {
		return err
	}
	if err := c.readBridge(o.Bridge); err != nil {
		return err
	}
	p, err := participant.New(resolved, participant.Options{Seed: o.Seed, Map: roads,
		DisableControllers: o.DisableControllers, Play: settings, Seats: c.seats(o),
		Range: o.Range, FromDrivers: o.StartFrom == StartFromFMU, Join: o.join()})
	if err != nil {
		return err
	}
	engine := *o
	engine.View, engine.RealTime = false, o.speed() // show the scenario rather than its engine
	step, start, stop := p.StepSize(), 0.0, p.Duration()
	engine.StepSize, engine.StartTime, engine.StopTime = &step, &start, &stop
	c.Simulation = New(engine)
	s.Player, s.world, s.models = p.Player, p.World(), c.Simulation
	if err := c.open(resolved.File, p); err != nil {
		return err
	}
	s.outputs = c.outputs
	for _, m := range c.models {
		s.Result().Models = append(s.Result().Models, m.summary())
	}
	return nil
}

// list adds the models in the options.
func (c *crew) list(o *Options) error {
	if len(c.names) == 0 && o.hasModels() {
		return usage.Unexpected("--sut", "a scenario without entities", "one with an entity")
	}
	for _, f := range []struct {
		option, role string
		list         []Assignment
	}{{"--on", "senses", o.On}, {"--sut", "tested", o.SUT}, {"--drive", "drives", o.Drive}} {
		for _, a := range f.list {
			m := &model{option: f.option, entity: a.Variable, file: a.Value, role: f.role}
			if m.entity == "" {
				m.entity = c.names[play.Ego(c.names)]
			}
			c.models = append(c.models, m)
		}
	}
	return nil
}

// seats returns the entities that have models or are named by connections. If there are none, it
// returns the ego vehicle, so that its messages can be recorded.
func (c *crew) seats(o *Options) (list []string) {
	for _, m := range c.models {
		list = append(list, m.entity)
	}
	texts := c.bridged
	for _, x := range o.Connections {
		texts = append(texts, x.From, x.To)
	}
	for _, name := range c.names {
		if slices.ContainsFunc(texts, func(text string) bool {
			return strings.Contains("."+text, "."+name+".")
		}) {
			list = append(list, name)
		}
	}
	if len(list) == 0 || c.bridged != nil {
		list = append(list, c.names[play.Ego(c.names)])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// open builds the system of the scenario and the models, with their connections.
func (c *crew) open(file string, p *participant.Participant) error {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	c.world = &system.Part{Name: name, Other: p, World: true,
		Units: append(participantUnits(), fmi.Unit{Name: "1", Factor: 1})}
	c.System = &system.System{Parts: []*system.Part{c.world}}
	for _, m := range c.models {
		if err := c.add(m); err != nil {
			return err
		}
	}
	for _, x := range c.Options.Connections {
		if err := c.System.Link(x.From, x.To); err != nil {
			return err
		}
	}
	for _, m := range c.models {
		if err := c.seat(m); err != nil {
			return err
		}
	}
	c.System.ConnectInits(participant.Init)
	c.System.WarnOfFree()
	c.System.Negotiate()
	if err := c.makeEngine(); err != nil {
		return err
	}
	c.watchModels()
	c.recorded = c.messages
	c.hostView = c.names[play.Ego(c.names)] + "." + participant.View
	c.alias = c.worldly
	if o := &c.Options; o.Record != "" || o.OutputFile != "" {
		return c.observe()
	}
	if err := c.observeBridge(); err != nil {
		return err
	}
	return c.announce()
}

// readBridge lists the variables that a bridge configuration names. Their entities and the ego
// vehicle are given seats.
func (c *crew) readBridge(file string) error {
	if file == "" {
		return nil
	}
	config, err := bridge.ReadConfig(file)
	if err != nil {
		return &inputError{err}
	}
	c.bridged = []string{}
	for _, t := range config.Topics {
		c.bridged = append(c.bridged, t.From)
		for _, link := range slices.Concat(t.Sources, t.Sinks) {
			c.bridged = append(c.bridged, link.Variable)
		}
	}
	return nil
}

// watchModels adds all outputs of the models to the trace hash.
func (c *crew) watchModels() {
	var names []string
	for _, p := range c.System.Parts {
		for _, v := range p.Variables() {
			if p != c.world && v.Role == cosim.Output {
				names = append(names, p.Name+"."+v.Name)
			}
		}
	}
	slices.Sort(names) // the order of options must not affect the result
	var signals []*cosim.Signal
	for _, name := range names {
		signals = append(signals, c.Engine.Watch(name))
	}
	c.outputs = cosim.NewHash(signals...)
	c.outputs.Hide(c.places)
	c.Engine.Observe(c.outputs)
}

// messages returns the messages in a trace of the scenario. Messages to and from drivers are only
// included if they are connected. A trace with one channel contains the SensorViews of the ego
// vehicle, or the GroundTruth if its name contains _gt_, by the OSI convention.
func (c *crew) messages() (list []*cosim.Signal) {
	if recordsOne(c.Options.Record) {
		name := c.names[play.Ego(c.names)] + "." + participant.View
		if strings.Contains(filepath.Base(c.Options.Record), "_gt_") ||
			!slices.Contains(c.seats(&c.Options), c.names[play.Ego(c.names)]) {
			name = participant.GroundTruth
		}
		return []*cosim.Signal{c.Engine.Watch(c.world.Name + "." + name)}
	}
	for _, p := range c.System.Parts {
		for _, v := range p.Variables() {
			name := p.Name + "." + v.Name
			ofDriver := p == c.world &&
				(v.Role == cosim.Input || strings.Contains(v.Name, ".driver."))
			fed := c.System.Fed(name)
			if isRecorded(v, fed) && (!ofDriver || fed || c.feeds(name)) {
				list = append(list, c.Engine.Watch(name))
			}
		}
	}
	return list
}

// add adds the parts of a model to the system.
func (c *crew) add(m *model) error {
	if IsProgram(m.file) {
		p, err := c.program(m)
		if err != nil {
			return err
		}
		m.parts = []*system.Part{p}
	} else if err := c.addFile(m); err != nil {
		return err
	}
	for _, p := range m.parts {
		for c.System.Part(p.Name) != nil {
			return usage.Unexpected(m.option, fmt.Sprintf("a second %q", p.Name),
				"names that differ, as in "+m.option+" "+m.entity+"=NAME="+filepath.Base(m.file))
		}
		c.System.Parts = append(c.System.Parts, p)
	}
	return nil
}

// program creates a part from a program, whose output goes to the log.
func (c *crew) program(m *model) (*system.Part, error) {
	p, err := newProgram(m.option, m.file, &c.Options)
	if err == nil {
		p.Other.(*program).print = func(line string) { c.printed(p.Name, line) }
	}
	return p, err
}

// addFile opens an FMU or a system of FMUs.
func (c *crew) addFile(m *model) error {
	_, file := system.Named(m.file)
	if err := usage.Exists(file); err != nil {
		return usage.Invalid(m.option, err)
	}
	var s *system.System
	var err error
	if isStructure(file) {
		s, err = system.ReadWith(file, ssp.Options{Variant: c.Options.Variant,
			Library: c.Options.Library}, c.names)
	} else {
		s, err = system.Open([]string{m.file})
	}
	if err != nil {
		return err
	}
	m.parts, m.boundary = s.Parts, s.Boundary
	for _, x := range s.Connections {
		x.From, x.To = c.worldly(x.From), c.worldly(x.To)
		c.System.Connections = append(c.System.Connections, x)
	}
	c.System.Warnings = append(c.System.Warnings, s.Warnings...)
	return nil
}

// worldly returns the end of a connection in a system, translated if it names an entity of the
// scenario as a component, as it would name a vehicle of an experiment.
func (c *crew) worldly(end string) string {
	entity, variable, _ := strings.Cut(end, ".")
	if !slices.Contains(c.names, entity) {
		return end
	}
	if name := aliases[variable]; name != "" {
		variable = name
	}
	return c.world.Name + "." + entity + "." + variable
}

// summary returns the model as it appears in the result.
func (m *model) summary() play.Model {
	x := play.Model{Entity: m.entity, Role: m.role, File: m.file}
	for _, p := range m.parts {
		if p.FMU != nil {
			x.FMUs = append(x.FMUs, play.FMU{Name: p.Name, SHA256: p.FMU.SHA256,
				FMIVersion: p.FMU.Model.FMIVersion})
		}
	}
	return x
}
