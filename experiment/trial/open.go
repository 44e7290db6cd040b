package trial

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// Maker creates a participant, a new one for each reset.
type Maker struct {
	Name string
	Step cosim.Grid // its own step; the zero value means the experiment's step
	New  func(g Given) (cosim.Participant, error)
	// Values is set instead of New for values over time that no participant computes, and creates
	// their source.
	Values func() (cosim.Source, error)
	// SetStart sets a start value for the participants that New creates from now on; nil if there
	// are no start values.
	SetStart func(experiment.StartValue)
}

// Given is passed to each participant of an experiment.
type Given struct {
	Seed    uint64 // seed of the run
	Physics string // physicsEngine of the description; "" if it names none
}

// Wiring is the content of a system structure: its parts, and the connections of these and the
// vehicles.
type Wiring struct {
	Participants []Maker
	Connections  []cosim.Connection // vehicles appear by name, as in ego.view
	Step         cosim.Grid         // the zero value means 20 ms
}

// Simulation is an engine that has not started, with all participants and connections.
type Simulation struct {
	Engine *cosim.Engine
	// Variables lists the variables of all participants, sorted, under the names that users write:
	// ego.speed, sensor.OSMPSensorDataOut. A SensorView that no connection reads is not listed,
	// because it is computed only if something watches it.
	Variables []Variable
	trial     *Trial
}

// Variable is a variable of a participant. Its name includes the name of the participant.
type Variable struct {
	Name string
	Fed  bool // an input that has a connection
	cosim.Variable
}

// Full returns the name of a variable in the engine.
func (s *Simulation) Full(name string) string { return s.trial.full(name) }

// Source returns the output that feeds an input, both by their names in the engine, or "" without a
// connection.
func (s *Simulation) Source(input string) string { return s.trial.fed[input] }

// Watch watches a variable. The signal is labelled with the name that users write.
func (s *Simulation) Watch(name string) *cosim.Signal {
	return s.Engine.Watch(s.Full(name)).SetLabel(name)
}

// Options configure a trial.
type Options struct {
	Files        fs.FS  // the directory of the description
	Seed         uint64 // replaces rngSeed; 0 means the description's seed, or a random one
	Set          []Setting
	Participants []Maker // in addition to the participants of the BIBI document
	FMU          func(p experiment.Participant) (Maker, error)
	// reads a system structure in place of a BIBI document
	System func(src string, vehicles []string) (Wiring, error)
	// reads a scenario that is the environment
	Scenario func(src string) (*Scenario, error)
	// what machines log and do; may be nil
	Log func(line string)
	// to a system under test; may be nil
	Bridge Bridge
	// may add observers to a new simulation; may be nil
	Observe func(s *Simulation) error
	// measures timeouts in real time, which the description requests, or which apply if it names no
	// clock and Speed or Commands is set; nil means timebase.SystemTime()
	Clock timebase.TimeSource
	// timeout if the description has none; 0 means an hour of simulated time
	Default timebase.Duration
	// simulated seconds per real second; 0 means as fast as possible
	Speed float64
	// commands of a user during Run; may be nil. At the timeout, Run waits for extend or stop.
	// Closing the channel resumes a paused trial
	Commands <-chan Command
	// returns the events that a user has posted to all machines since the last call; may be nil
	Posted func() []scxml.Event
	// Run starts paused and waits for a command
	Held bool
	Save func(file string, state []byte) error
	// Simulator names the simulator that moves the vehicles, as in mocksim/foreign, instead of the
	// description's; "" means the description's
	Simulator string
	// the verdict warns of names in charts that the experiment does not have, as Examine does
	Examine bool
	// record a film in the course, for a report
	Film bool
}

// Trial is one run of an experiment. Only one goroutine may use it at a time.
type Trial struct {
	options     Options
	description *experiment.Description
	bibi        *experiment.BIBI
	wiring      Wiring
	roads       *opendrive.Map
	scenario    *Scenario // nil unless the environment is a scenario
	charts      []chart
	parsed      map[string]*scxml.Chart // by file; machines share them, because charts never change
	hashes      []Input
	seed        uint64
	drawn       bool
	names       []string // variables that the texts of charts name
	warnings    []string // about parts that are not executed as described

	state      State
	world      *world
	engine     *cosim.Engine
	hash       *cosim.Hash
	system     *scxml.System
	machines   []*scxml.Machine
	channels   *channels
	signals    map[string]*reading
	fed        map[string]string // connected inputs, with the other ends of their connections
	readings   []*reading        // readings of signals
	drives     map[string]*cosim.Control
	data       []*channel
	zones      []*zone
	thresholds []*threshold
	records    []scxml.Record
	quiet      scxml.Record // an event step that has had no effect so far
	scenes     []Scene
	film       film
	curves     []*Curve // curves of the variables that machines see, for the report
	moved      bool     // a machine has changed its state in this step
	steps      int64
	timeout    timebase.Duration // in simulated or real time, from the start
	real       timebase.Duration // time that has passed while started
	since      timebase.Time     // time on the clock when it was last started
	endedBy    string
	scripted   string // why the scenario is over, "" before that
	// a clock or a person sets the pace, even if no further command can come
	paced    bool
	examined bool
	elapsed  bool // the timeout has elapsed, and the user is asked whether to extend it
	cause    error
	errors   *errorLog // of machines; nil before the first record
}

// chart is a state machine of the description.
type chart struct {
	id        string // session id in the system
	name      string // name in the description
	evaluates bool
	chart     *scxml.Chart
	awaited   map[wanted]bool // cache of the answers so far
	data      []given         // values from settings
}

// wanted is an event for which a state may have a transition; without a state, any state.
type wanted struct {
	state *scxml.State
	event string
}

// channel is a variable whose changes are events.
type channel struct {
	channel string
	reading *reading
	seen    int // version of the reading
}

// Input is a file of the experiment with its SHA-256.
type Input struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Open reads and checks a description and all files that it names. The error is ErrInvalid with the
// first finding that is an error. It starts nothing.
func Open(file string, document []byte, o Options) (*Trial, error) {
	d, findings := experiment.Check(path.Base(strings.ReplaceAll(file, `\`, "/")), document,
		o.Files, experiment.CheckOptions{})
	for _, f := range findings {
		if f.Severity.String() == "error" && !strings.HasPrefix(f.ID, "SX") {
			return nil, fault.New(errSeen, f.Place, f.Message+" ["+f.ID+"]", "").
				WithHint(cmp.Or(f.Remedy, "run gosmp check"))
		}
	}
	t := &Trial{options: o, description: d, state: Created, parsed: map[string]*scxml.Chart{},
		warnings: changing(findings), paced: o.Speed > 0 || o.Commands != nil}
	t.input(path.Base(file), document)
	for _, read := range []func() error{t.readScenario, t.readWiring, t.readMap, t.readCharts,
		t.executable, t.apply, t.chooseSeed} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// errSeen marks errors that experiment.Check reports, including the error for an experiment for
// another platform, of which nothing can be executed here.
var errSeen = fmt.Errorf("%w", ErrInvalid)

// executable refuses an experiment that has nothing to execute: no map, no FMU and no machine.
func (t *Trial) executable() error {
	if t.roads != nil {
		return nil
	}
	if len(t.charts)+len(t.bibi.FMUs)+len(t.wiring.Participants)+len(t.options.Participants) > 0 {
		return t.worldless()
	}
	found := "nothing executable"
	if len(t.warnings) > 0 {
		found += ": " + strings.Join(t.warnings, "; ")
	}
	return fault.New(errSeen, fault.In(t.description.File), found,
		"a map (.xodr), a scenario (.xosc), an FMU or an SCXML machine")
}

// worldless refuses connections to vehicles if the environment is not a map, because no world moves
// them.
func (t *Trial) worldless() error {
	others, all := map[string]bool{}, map[string]bool{}
	for _, m := range t.wiring.Participants {
		others[m.Name], all[m.Name] = true, true
	}
	for _, m := range t.options.Participants {
		others[m.Name], all[m.Name] = true, true
	}
	for _, p := range t.description.Environment.Poses {
		all[vehicle(p)] = true
	}
	for _, p := range t.description.Environment.Poses {
		for _, c := range t.wiring.Connections {
			for _, end := range []string{c.From, c.To} {
				name, _, _ := experiment.CutOwner(end, func(name string) bool { return all[name] })
				if name != vehicle(p) || others[name] {
					continue
				}
				return fault.New(ErrInvalid, fault.Line(t.description.File,
					t.description.Environment.Position.Line),
					fmt.Sprintf("the environment %q, which gosmp cannot "+
						"execute [EX23], so there is no %q", t.description.Environment.Src, end),
					"an OpenDRIVE map (.xodr), in whose world "+name+" drives")
			}
		}
	}
	return nil
}

// Warnings returns one line for each part of the description that a run does not execute.
func (t *Trial) Warnings() []string { return t.warnings }

// Description returns the experiment that the trial runs.
func (t *Trial) Description() *experiment.Description { return t.description }

func (t *Trial) input(name string, content []byte) {
	sum := sha256.Sum256(content)
	t.hashes = append(t.hashes, Input{name, hex.EncodeToString(sum[:])})
}

// digest adds a file of any size to the inputs.
func (t *Trial) digest(name string) error {
	f, err := t.options.Files.Open(name)
	if err != nil {
		return fault.Wrap(ErrInvalid, fault.In(name), err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fault.Wrap(ErrInvalid, fault.In(name), err)
	}
	t.hashes = append(t.hashes, Input{name, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (t *Trial) read(name string) ([]byte, error) {
	text, err := experiment.ReadFile(t.options.Files, name)
	if err != nil {
		return nil, fault.Wrap(ErrInvalid, fault.In(name), err)
	}
	t.input(name, text)
	return text, nil
}

// wire reads the step and the connections of the BIBI document.
func (t *Trial) wire() {
	t.wiring.Step = cosim.Every(float64(t.bibi.Step) / 1000)
	for _, c := range t.bibi.Connections {
		t.wiring.Connections = append(t.wiring.Connections, cosim.Connection{From: c.From,
			To: c.To})
	}
}

func (t *Trial) readWiring() error {
	src := t.description.BIBI.Src
	text, err := t.read(src)
	if err != nil {
		return err
	}
	if experiment.IsSystem(src) {
		return t.readSystem(src)
	}
	t.bibi, _ = experiment.ReadBIBI(src, text, experiment.Options{}) // checked before
	t.wire()
	for k, p := range t.bibi.FMUs { // FMUs are in the folder of the document that names them
		t.bibi.FMUs[k].Src = path.Join(path.Dir(src), p.Src)
		if err := t.digest(t.bibi.FMUs[k].Src); err != nil {
			return err
		}
	}
	return nil
}

// readSystem reads a system structure, whose components without a source are the vehicles.
func (t *Trial) readSystem(src string) (err error) {
	t.bibi = &experiment.BIBI{File: src}
	if t.options.System == nil {
		return fault.New(ErrInvalid, fault.In(src), "a system structure", "Options.System")
	}
	t.wiring, err = t.options.System(src, t.vehicles())
	return err
}

// vehicle returns the name of the vehicle of a pose.
func vehicle(p experiment.RobotPose) string { return cmp.Or(p.Robot, "robot") }

func (t *Trial) readMap() error {
	src := t.description.Environment.Src
	if !experiment.IsMap(src) {
		return nil
	}
	text, err := t.read(src)
	if err == nil {
		t.roads, err = opendrive.Read(src, bytes.NewReader(text))
	}
	return err
}

// readCharts reads the machines in document order, control first. A name that is in both lists gets
// a prefix in the second.
func (t *Trial) readCharts() error {
	taken := map[string]bool{}
	for i, list := range [][]experiment.Machine{t.description.Control, t.description.Evaluation} {
		for _, m := range list {
			if m.Kind != experiment.SCXML {
				continue
			}
			c, err := t.readChart(m)
			if err != nil {
				return err
			}
			id := m.ID
			if taken[id] {
				id = "evaluation:" + id
			}
			taken[id] = true
			t.charts = append(t.charts, chart{id: id, name: m.ID, evaluates: i == 1, chart: c,
				awaited: map[wanted]bool{}})
		}
	}
	return nil
}

func (t *Trial) readChart(m experiment.Machine) (*scxml.Chart, error) {
	if m.Chart != nil {
		t.names = append(t.names, words(m.Chart)...)
		c, list := scxml.InspectElement(t.description.File, m.Chart,
			experiment.Config(t.options.Files, ""))
		if c == nil {
			return nil, &scxml.InvalidError{Findings: list}
		}
		return c, offered(c)
	}
	if c := t.parsed[m.Src]; c != nil {
		return c, nil
	}
	text, err := t.read(m.Src)
	if err != nil {
		return nil, err
	}
	c, err := scxml.Parse(m.Src, text, experiment.Config(t.options.Files, m.Src))
	if err != nil {
		return nil, err
	}
	t.names, t.parsed[m.Src] = append(t.names, words(c.Element())...), c
	return c, offered(c)
}

// offered refuses a chart that requests a service that the simulator does not have (X33).
func offered(c *scxml.Chart) (err error) {
	c.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			s, ok := a.(*scxml.Send)
			if !ok || s.External == nil || !s.External.Service || s.Target.Expr != nil ||
				services[s.Target.Value] != "" || err != nil {
				return
			}
			at := scxml.Source(s).At("target")
			err = fault.New(ErrInvalid, fault.Place{File: c.File, Line: at.Line, Column: at.Column},
				fmt.Sprintf("the service %q", s.Target.Value), "spawn, delete or set_pose")
		})
	})
	return err
}

// words lists the parts of a chart's attributes and texts that may be names of variables.
func words(e *scxml.Element) (list []string) {
	split := func(text string) {
		list = append(list, strings.FieldsFunc(text, func(r rune) bool {
			return strings.ContainsRune(" \t\r\n'\"(),;{}<>=+*!&|", r)
		})...)
	}
	for _, a := range e.Attributes {
		split(a.Value)
	}
	split(e.Text())
	for _, c := range e.Elements() {
		list = append(list, words(c)...)
	}
	return list
}

// chooseSeed draws a seed if none is given (EX18).
func (t *Trial) chooseSeed() error {
	switch {
	case t.options.Seed != 0:
		t.seed = t.options.Seed
	case t.description.Seed != nil:
		t.seed = *t.description.Seed
	default:
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return err
		}
		t.seed, t.drawn = binary.LittleEndian.Uint64(b[:])>>12|1, true // JSON holds this exactly
	}
	return nil
}
