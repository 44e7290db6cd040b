package trial

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

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
	blinded     []string // where machines look for something that does not exist

	running    context.Context // of [Trial.Run] or nil; its end also ends the charts
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
	quiet      scxml.Record // a step event that has had no effect so far
	scenes     []Scene
	film       film
	curves     []*Curve // curves of the variables that machines see, for the report
	moved      bool     // a machine changed its state in this step
	steps      int64
	timeout    timebase.Duration // in simulated or real time, from the start
	real       timebase.Duration // time elapsed while started
	since      timebase.Time     // time on the clock when it was last started
	endedBy    string
	scripted   string // why the scenario is over, "" before that
	// a clock or a person sets the pace, even if no further command can come
	paced    bool
	examined bool
	opened   bool
	elapsed  bool // the timeout elapsed and the user is asked whether to extend it
	cause    error
	errors   *errorLog // of machines; nil before the first record
	// by machine: data of the event signal.undefined that it has taken last
	lacking map[string]string
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

// Open reads and checks a description and all files it names. The error is ErrInvalid with the
// first finding that is an error, in charts only with Options.Examine. It starts nothing.
func Open(file string, document []byte, o Options) (*Trial, error) {
	d, findings := experiment.Check(path.Base(strings.ReplaceAll(file, `\`, "/")), document,
		o.Files, experiment.CheckOptions{})
	for _, f := range findings {
		inChart := strings.HasPrefix(f.ID, "SX")
		if f.Severity == finding.Error && (o.Examine || !inChart) {
			return nil, refusal(f)
		}
	}
	t := &Trial{options: o, description: d, state: Created, parsed: map[string]*scxml.Chart{},
		warnings: changing(findings), paced: o.Speed > 0 || o.Commands != nil}
	if o.Examine {
		t.blinded = blindFindings(findings, o.Posted != nil)
		t.warnings = append(t.warnings, t.blinded...)
	}
	t.input(path.Base(file), document)
	for _, read := range []func() error{t.readScenario, t.readWiring, t.readMap, t.checkStep,
		t.readCharts, t.executable, t.apply, t.chooseSeed} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	t.hashes = append(t.hashes, o.Inputs...)
	t.opened = true
	return t, nil
}

// refusal returns a finding as the reason why an experiment does not run.
func refusal(f finding.Finding) error {
	return fault.New(errSeen, f.Place, f.Message+" ["+f.ID+"]", "").
		WithHint(cmp.Or(f.Remedy, "run gosmp check"))
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
	t.warnings = append(t.warnings, t.wiring.Warnings...)
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

// longestStep is the longest step of a world, in s.
const longestStep = 1

// checkStep refuses steps that are too long for a world.
func (t *Trial) checkStep() error {
	if step := t.wiring.Step.Seconds(); (t.roads != nil || t.scenario != nil) &&
		step > longestStep {
		return fault.New(ErrInvalid, fault.Line(t.description.BIBI.Src, t.bibi.StepAt.Line),
			fmt.Sprintf("a step of %v s", step), fmt.Sprintf("at most %d s with a map",
				longestStep))
	}
	return nil
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
