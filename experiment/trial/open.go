package trial

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// Maker makes a participant, anew for each reset.
type Maker struct {
	Name string
	New  func(seed uint64) (cosim.Participant, error)
}

// Options are what a trial runs with.
type Options struct {
	Files        fs.FS   // of the directory of the description
	Seed         uint64  // instead of rngSeed; 0: the description's, or one that is drawn
	Participants []Maker // beside those of the BIBI document
	FMU          func(p experiment.Participant) (Maker, error)
	Log          func(line string) // what machines log and do; may be nil
	Bridge       Bridge            // to a system under test; may be nil
	// Observe may add observers to a new engine. Full is the name of a variable there.
	Observe func(e *cosim.Engine, full func(name string) string) error
	Clock   timebase.TimeSource // for timeouts in real time; nil means timebase.SystemTime()
	Default timebase.Duration   // timeout if the description has none; 0: an hour of simulated time
}

// Trial is one run of an experiment. It is used by one goroutine at a time.
type Trial struct {
	options     Options
	description *experiment.Description
	bibi        *experiment.BIBI
	roads       *opendrive.Map
	charts      []chart
	hashes      []Input
	seed        uint64
	drawn       bool
	names       []string // variables that the texts of charts write out

	state      State
	world      *world
	engine     *cosim.Engine
	hash       *cosim.Hash
	system     *scxml.System
	machines   []*scxml.Machine
	channels   *channels
	signals    map[string]*cosim.Signal
	drives     map[string]*cosim.Control
	data       []*channel
	zones      []*zone
	thresholds []*threshold
	records    []scxml.Record
	quiet      scxml.Record // an event step that has had no effect until now
	scenes     []Scene
	moved      bool // a machine has changed its state in this step
	steps      int64
	timeout    timebase.Duration // of simulated or real time, from the start
	real       timebase.Duration // time that has passed while started
	since      timebase.Time     // when it was started last, by the clock
	endedBy    string
	cause      error
}

// chart is a state machine of the description.
type chart struct {
	id        string // in the system
	name      string // in the description
	evaluates bool
	chart     *scxml.Chart
}

// channel is a variable whose changes are events.
type channel struct {
	channel string
	signal  *cosim.Signal
	last    float64
	sent    bool
}

// Input is a file of the experiment with its SHA-256.
type Input struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Open reads a description and all that it names, and checks it. The error is ErrInvalid with the
// first finding that is one. Nothing is started.
func Open(file string, document []byte, o Options) (*Trial, error) {
	d, findings := experiment.Check(path.Base(strings.ReplaceAll(file, `\`, "/")), document, o.Files, experiment.CheckOptions{})
	for _, f := range findings {
		if f.Severity.String() == "error" && !strings.HasPrefix(f.ID, "SX") {
			return nil, &Error{Place: f.Place, Kind: ErrInvalid, Found: f.Message + " [" + f.ID + "]", Hint: cmp.Or(f.Remedy, "run gosmp check")}
		}
	}
	if experiment.IsSystem(d.BIBI.Src) {
		return nil, &Error{Place: fault.Place{File: d.BIBI.Src}, Kind: ErrInvalid, Found: "a system structure", Expected: "a BIBI document", Hint: "write its FMUs and connections into one"}
	}
	t := &Trial{options: o, description: d, state: Created}
	t.input(path.Base(file), document)
	for _, read := range []func() error{t.readWiring, t.readMap, t.readCharts, t.chooseSeed} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Description is what the trial runs.
func (t *Trial) Description() *experiment.Description { return t.description }

func (t *Trial) input(name string, content []byte) {
	sum := sha256.Sum256(content)
	t.hashes = append(t.hashes, Input{name, hex.EncodeToString(sum[:])})
}

func (t *Trial) read(name string) ([]byte, error) {
	text, err := experiment.ReadFile(t.options.Files, name)
	if err != nil {
		return nil, &Error{Place: fault.Place{File: name}, Kind: ErrInvalid, Cause: err}
	}
	t.input(name, text)
	return text, nil
}

func (t *Trial) readWiring() error {
	text, err := t.read(t.description.BIBI.Src)
	if err == nil {
		t.bibi, _ = experiment.ReadBIBI(t.description.BIBI.Src, text, experiment.Options{}) // checked before
	}
	return err
}

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
			t.charts = append(t.charts, chart{id, m.ID, i == 1, c})
		}
	}
	return nil
}

func (t *Trial) readChart(m experiment.Machine) (*scxml.Chart, error) {
	if m.Chart != nil {
		t.names = append(t.names, words(m.Chart)...)
		c, list := scxml.InspectElement(t.description.File, m.Chart, experiment.Config(t.options.Files, ""))
		if c == nil {
			return nil, &scxml.InvalidError{Findings: list}
		}
		return c, offered(c)
	}
	text, err := t.read(m.Src)
	if err != nil {
		return nil, err
	}
	c, err := scxml.Parse(m.Src, text, experiment.Config(t.options.Files, m.Src))
	if err == nil {
		t.names = append(t.names, words(c.Element())...)
		err = offered(c)
	}
	return c, err
}

// offered refuses a chart that asks a service which the simulator does not have (X33).
func offered(c *scxml.Chart) (err error) {
	c.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			s, ok := a.(*scxml.Send)
			if !ok || s.External == nil || !s.External.Service || s.Target.Expr != nil || services[s.Target.Value] != "" || err != nil {
				return
			}
			at := scxml.Source(s).At("target")
			err = &Error{Place: fault.Place{File: c.File, Line: at.Line, Column: at.Column}, Kind: ErrInvalid, Found: fmt.Sprintf("the service %q", s.Target.Value),
				Expected: "spawn, delete or set_pose"}
		})
	})
	return err
}

// words lists the parts of a chart's attributes and texts that may be names of variables.
func words(e *scxml.Element) (list []string) {
	split := func(text string) {
		list = append(list, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"(),;{}<>=+*!&|", r) })...)
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

// chooseSeed is N18.
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
		t.seed, t.drawn = binary.LittleEndian.Uint64(b[:])>>12|1, true // JSON holds it exactly
	}
	return nil
}

// build makes world, engine and machines.
func (t *Trial) build() error {
	step := 20 * timebase.Millisecond
	if t.bibi.Step > 0 {
		step = timebase.Duration(t.bibi.Step) * timebase.Millisecond
	}
	t.engine = cosim.New(cosim.Spec{Stop: timebase.EndOfTime, Step: cosim.Every(step.Seconds())})
	if err := t.populate(); err != nil {
		return err
	}
	makers := slices.Clone(t.options.Participants)
	for _, p := range t.bibi.FMUs {
		if t.options.FMU == nil {
			return &Error{Place: fault.At(p.Name), Kind: ErrInvalid, Found: "an FMU", Expected: "Options.FMU"}
		}
		m, err := t.options.FMU(p)
		if err != nil {
			return err
		}
		makers = append(makers, m)
	}
	if err := t.connect(makers); err != nil {
		return err
	}
	if t.options.Observe != nil {
		if err := t.options.Observe(t.engine, t.full); err != nil {
			return err
		}
	}
	return t.addMachines()
}

// populate makes the world with the vehicles of the description.
func (t *Trial) populate() error {
	if t.roads == nil {
		return nil
	}
	w, err := mocksim.New(t.roads, mocksim.Options{Seed: t.seed})
	if err != nil {
		return err
	}
	var names []string
	for k, p := range t.description.Environment.Poses {
		name, kind := cmp.Or(p.Robot, "robot"), mocksim.Car
		for i, b := range t.bibi.Bodies {
			if b.Robot == p.Robot || p.Robot == "" && i == k {
				if kind, err = mocksim.ParseKind(b.Model); err != nil {
					return &Error{Place: fault.At(name), Kind: ErrInvalid, Found: "the body " + b.Model, Expected: "a kind of vehicle", Cause: err}
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

// connect adds participants, connections, and what machines see and set.
func (t *Trial) connect(makers []Maker) error {
	known := map[string]cosim.Variable{}
	note := func(name string, list []cosim.Variable) {
		for _, v := range list {
			known[name+"."+v.Name] = v
		}
	}
	if t.world != nil {
		note(worldName, t.world.variables)
	}
	for _, m := range makers {
		p, err := m.New(t.seed)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		t.engine.Add(m.Name, p)
		note(m.Name, p.Variables())
	}
	connected := map[string]bool{}
	for _, c := range t.bibi.Connections {
		t.engine.Connect(t.full(c.From), t.full(c.To))
		connected[t.full(c.To)] = true
	}
	t.signals, t.drives, t.data = map[string]*cosim.Signal{}, map[string]*cosim.Control{}, nil
	var hashed []*cosim.Signal
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if v := known[name]; !v.Kind.IsBlob() && v.Role == cosim.Output {
			hashed = append(hashed, t.engine.Watch(name))
		}
	}
	for _, word := range slices.Compact(slices.Sorted(slices.Values(t.names))) {
		t.mention(word, known, connected)
	}
	t.hash = cosim.NewHash(hashed...)
	t.engine.Observe(t.hash)
	return nil
}

// full is the name of a variable for the engine: vehicles belong to the world.
func (t *Trial) full(name string) string {
	first, _, _ := strings.Cut(name, ".")
	if t.world != nil && slices.Contains(t.world.vehicles, first) {
		return worldName + "." + name
	}
	return name
}

// mention makes a variable visible, or settable, that a chart writes out: as it is, or as the event
// data.NAME.
func (t *Trial) mention(word string, known map[string]cosim.Variable, connected map[string]bool) {
	name, isEvent := strings.CutPrefix(word, dataEvent)
	full := t.full(name)
	v, ok := known[full]
	if !ok || v.Kind.IsBlob() {
		return
	}
	if v.Role == cosim.Input && !connected[full] {
		if t.drives[name] == nil {
			t.drives[name] = t.engine.Drive(full)
		}
		return
	}
	if t.signals[name] == nil {
		t.signals[name] = t.engine.Watch(full)
	}
	if isEvent {
		t.data = append(t.data, &channel{channel: name, signal: t.signals[name]})
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// addMachines makes the machines on one clock.
func (t *Trial) addMachines() error {
	t.channels = &channels{t: t}
	name, _ := scxml.ValueOf(t.description.Name) // a text
	t.system = scxml.NewSystem(scxml.Options{Seed: t.seed, Observe: t.observe, Channels: t.channels,
		Processors: map[string]scxml.Processor{experiment.Processor: t.act}, System: map[string]scxml.Value{"experiment": name}})
	t.machines = nil
	for _, c := range t.charts {
		m, err := t.system.Add(c.id, c.chart)
		if err != nil {
			return err
		}
		t.machines = append(t.machines, m)
	}
	return nil
}
