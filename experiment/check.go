package experiment

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/frames"
	"gosmp/internal/finding"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// CheckOptions configure a check.
type CheckOptions struct {
	Options
	// SeedCompatible ignores SCXML machines with a warning, as the platform does (EX13).
	SeedCompatible bool
}

// Check reads a description and everything it names, and reports all problems that can be found
// without running it. The description is nil if the document is not an ExD. The argument files is
// the directory of the description.
func Check(file string, document []byte, files fs.FS, o CheckOptions) (*Description, Findings) {
	d, list := Read(file, document, o.Options)
	if d == nil {
		return nil, list
	}
	c := &checker{scanner: scanner{file: file, space: Namespace, strict: o.Strict}, d: d,
		files: files, options: o}
	c.missing(d.Named())
	c.notExecuted()
	c.cast()
	c.wiring()
	c.world()
	c.machines()
	c.list.Sort()
	return d, append(list, c.list...)
}

type checker struct {
	scanner
	d       *Description
	files   fs.FS
	options CheckOptions
	bibi    *BIBI
	events  []string             // that machines may receive from outside; nil: any
	judged  map[judgedChart]bool // charts already checked
	// of the scenario used as the environment; nil without a scenario
	entities []string
	charts   map[string]inspected // by file
}

// judgedChart is a chart file in one role. Machines that share it share its findings.
type judgedChart struct {
	src       string
	evaluates bool
}

// missing reports files that do not exist, as an error if the experiment cannot run without them.
func (c *checker) missing(list []Named) {
	for _, n := range list {
		if err := find(c.files, n.Src); err != nil {
			message := fmt.Sprintf("%s names the file %q: %v", n.What, n.Src, err)
			remedy := "correct the name, or put the file there"
			if n.Rule == "BI04" { // FMUs are also looked up in libraries
				remedy = "correct the name, put the file there, or name its folder with " +
					"--library-path"
			}
			if n.Needed {
				c.broken(n.Rule, n.Position, message, remedy)
			} else {
				c.deviates(n.Rule, n.Position, message, remedy)
			}
		}
	}
}

// notExecuted reports the parts that are only kept and shown, each once (EX23, EX17).
func (c *checker) notExecuted() {
	d := c.d
	if d.Launch != nil {
		c.add("EX17", finding.Warning, d.Launch.Position,
			fmt.Sprintf("rosLaunch %q is ignored: gosmp launches no ROS nodes", d.Launch.Src), "")
	}
	var kept []string
	for name, given := range map[string]bool{"visualModel": d.Visual != nil,
		"skinModel": d.Skin != nil, "cameraPose": d.Camera != nil,
		"gzbridgesettings": d.Bridge != nil, "configuration": len(d.Configurations) > 0} {
		if given {
			kept = append(kept, name)
		}
	}
	if slices.Sort(kept); len(kept) > 0 {
		c.add("EX23", finding.Note, Position{}, strings.Join(kept, ", ")+
			": kept and shown, but not executed", "")
	}
	if src := d.Environment.Src; src != "" && !IsMap(src) && !IsScenario(src) {
		c.add("EX23", finding.Warning, d.Environment.Position,
			fmt.Sprintf("gosmp cannot execute the environment %q", d.Environment.Src),
			"name an OpenDRIVE map (.xodr), or a scenario (.xosc)")
	}
	if n := d.BIBI.Processes; n > 1 {
		c.add("EX23", finding.Note, d.BIBI.Position,
			fmt.Sprintf(
				"processes is %d, which has no effect: gosmp runs each FMU in its own process",
				n), "")
	}
	if d.Physics == "opensim" {
		c.add("EX23", finding.Note, d.PhysicsAt,
			"physicsEngine opensim is passed on, but gosmp's simulator has only one engine", "")
	}
}

// wiring checks the BIBI document and whether it matches the description.
func (c *checker) wiring() {
	src := c.d.BIBI.Src
	if src == "" || IsSystem(src) || find(c.files, src) != nil {
		return
	}
	document, err := ReadFile(c.files, src)
	if err != nil {
		c.broken("EX10", c.d.BIBI.Position, fmt.Sprintf("%s cannot be read: %v", src, err), "")
		return
	}
	b, list := ReadBIBI(src, document, c.options.Options)
	c.list = append(c.list, list...)
	if b == nil {
		return
	}
	c.bibi = b
	sub := &checker{scanner: scanner{file: src, strict: c.strict}, d: c.d, files: below(c.files,
		src), bibi: b, entities: c.entities}
	sub.missing(b.Named())
	sub.bodies()
	sub.ends()
	c.list = append(c.list, sub.list...)
}

// below returns the directory of a file, to which the names in the file are relative.
func below(files fs.FS, src string) fs.FS {
	name, err := clean(src)
	if err != nil || path.Dir(name) == "." {
		return files
	}
	sub, err := fs.Sub(files, path.Dir(name))
	if err != nil {
		return files
	}
	return sub
}

// bodies compares the robots of the two documents.
func (c *checker) bodies() {
	robots := map[string]bool{}
	for _, b := range c.bibi.Bodies {
		robots[b.Robot] = true
		if slices.Contains(c.entities, b.Robot) {
			c.add("BI03", finding.Warning, b.Position, fmt.Sprintf(
				"the body of %q has no effect: the scenario defines it", b.Robot), "remove it")
			continue
		}
		if _, err := mocksim.ParseKind(b.Model); err != nil {
			c.add("BI03", finding.Warning, b.Position,
				fmt.Sprintf("gosmp cannot execute the body %q of %q", b.Model, b.Robot),
				"name a kind of vehicle, such as car")
		}
	}
	for _, p := range c.d.Environment.Poses {
		if !robots[p.Robot] && p.Robot != "" && c.entities == nil {
			c.deviates("BI04", Position{}, fmt.Sprintf("the robot %q of %s has no body", p.Robot,
				c.d.File), "add <bodyModel robotId=…>")
		}
	}
}

// ends checks that connections name participants.
func (c *checker) ends() {
	const most = 50 // names in a finding
	known, names := map[string]bool{}, []string{}
	for _, p := range c.bibi.FMUs {
		known[p.Name] = true
		names = append(names, p.Name)
	}
	for _, name := range c.entities {
		known[name] = true
		names = append(names, name)
	}
	for _, b := range c.bibi.Bodies {
		if !known[b.Robot] {
			known[b.Robot] = true
			names = append(names, b.Robot)
		}
	}
	expected := "write participant.variable, with one of " +
		strings.Join(names[:min(most, len(names))], ", ")
	for _, p := range c.bibi.FMUs {
		drives := func(q RobotPose) bool { return q.Robot == p.Drives }
		switch {
		case p.Drives == "" || slices.Contains(c.entities, p.Drives):
		case c.entities != nil:
			c.broken("BI04", p.Position, fmt.Sprintf("%s drives %q, which is not an entity of %s",
				p.Name, p.Drives, c.d.Environment.Src), "expected one of "+
				strings.Join(c.entities, ", "))
		case !slices.ContainsFunc(c.d.Environment.Poses, drives):
			c.broken("BI04", p.Position, fmt.Sprintf("%s drives %q, which is not a vehicle of %s",
				p.Name, p.Drives, c.d.File), "write the robotId of a <robotPose>")
		}
	}
	for _, x := range c.bibi.Connections {
		for _, end := range []string{x.From, x.To} {
			_, variable, found := CutOwner(end, func(name string) bool { return known[name] })
			if !found || variable == "" {
				c.broken("BI04", x.Position, fmt.Sprintf("%q is not a variable of a participant",
					end), expected)
			}
		}
	}
}

// world checks the map and that vehicles start on it.
func (c *checker) world() {
	src := c.d.Environment.Src
	if !IsMap(src) || find(c.files, src) != nil {
		return
	}
	document, err := ReadFile(c.files, src)
	if err != nil {
		c.broken("EX08", c.d.Environment.Position, fmt.Sprintf("%s cannot be read: %v", src,
			err), "")
		return
	}
	m, err := opendrive.Read(src, bytes.NewReader(document))
	if err != nil {
		c.broken("EX08", c.d.Environment.Position, fmt.Sprintf("%s is not a map: %v", src, err),
			"run gosmp check on it")
		return
	}
	for _, f := range m.Check() {
		if f.Severity >= finding.Warning {
			c.list = append(c.list, f)
		}
	}
	for _, p := range c.d.Environment.Poses {
		if place := m.Locate(frames.Vector{X: p.X, Y: p.Y}); !place.OnRoad() {
			c.add("EX08", finding.Warning, p.Position,
				fmt.Sprintf("the robot %q starts at (%g, %g), off the roads of %s", p.Robot, p.X,
					p.Y, src), "correct the pose")
		}
	}
}

// machines checks all state machines.
func (c *checker) machines() {
	c.charts, c.judged = map[string]inspected{}, map[judgedChart]bool{}
	c.events = c.outside()
	for _, m := range c.d.Control {
		c.machine(m, false)
	}
	for _, m := range c.d.Evaluation {
		c.machine(m, true)
	}
}

func (c *checker) machine(m Machine, evaluates bool) {
	switch {
	case m.Kind == SCXML && c.options.SeedCompatible:
		c.add("EX13", finding.Warning, m.Position,
			fmt.Sprintf("the SCXML machine %q is ignored, as on the platform", m.ID),
			"run without --seed-compat")
	case m.Kind == SCXML:
		c.chart(m, evaluates)
	case m.Kind == SMACH && m.Src != "" && find(c.files, m.Src) == nil:
		c.smach(m)
	}
}

// chart checks an SCXML machine.
func (c *checker) chart(m Machine, evaluates bool) {
	key := judgedChart{m.Src, evaluates}
	if m.Chart == nil && c.judged[key] {
		return
	}
	chart, list, err := c.inspect(m)
	if err != nil {
		if find(c.files, m.Src) == nil { // otherwise reported as missing
			c.broken("EX12", m.Position, fmt.Sprintf("%s cannot be read: %v", m.Src, err), "")
		}
		return
	}
	c.judged[key] = m.Chart == nil
	o := check.Options{Evaluation: evaluates, Seeded: c.d.Seed != nil,
		Processors: []string{Processor}, Services: Services, Events: c.events,
		Objects: ObjectEvents}
	c.list = append(c.list, check.Judge(chart, list, o)...)
}

// inspected holds the result of reading a chart.
type inspected struct {
	chart *scxml.Chart
	list  Findings
	err   error
}

// inspect reads the chart of an SCXML machine; each file is read only once.
func (c *checker) inspect(m Machine) (*scxml.Chart, Findings, error) {
	if m.Chart != nil {
		chart, list := scxml.InspectElement(c.file, m.Chart, Config(c.files, ""))
		return chart, list, nil
	}
	r, known := c.charts[m.Src]
	if !known {
		var text []byte
		if text, r.err = ReadFile(c.files, m.Src); r.err == nil {
			r.chart, r.list = scxml.Inspect(m.Src, text, Config(c.files, m.Src))
		}
		c.charts[m.Src] = r
	}
	return r.chart, r.list, r.err
}

// Events lists the events that an experiment sends to its machines (X35); "a.*" stands for a
// family.
var Events = []string{"sim.started", "sim.paused", "sim.timeout", "step", "data.*", "collision",
	"collision.end", "zone.entered", "zone.left", "signal.crossed", "signal.undefined",
	"signal.defined", "arrived", "off.road", "lane.change", "silent", "not.owner", "unknown.actor",
	"body.velocity", "jump", "dismissed", "not.pending", "participant.failed"}

// ObjectEvents lists the [Events] whose data is always an object.
var ObjectEvents = []string{"step", "data.*", "collision.*", "zone.*", "signal.*",
	"scenario.*", "arrived", "off.road", "lane.change", "silent", "not.owner", "unknown.actor",
	"body.velocity", "jump", "dismissed", "not.pending", "participant.failed"}

// Services are the simulator services that a machine's ServiceRequest may call (X33).
var Services = []string{"spawn", "delete", "set_pose"}

// ScenarioEvents lists the events that a scenario adds to [Events].
var ScenarioEvents = []string{"scenario.note", "scenario.over", "scenario.storyboard.*",
	"scenario.story.*", "scenario.act.*", "scenario.maneuverGroup.*", "scenario.maneuver.*",
	"scenario.event.*", "scenario.action.*"}

// outside lists the events that a machine may receive from outside: events from the experiment and
// from other machines. It is nil if a machine may send any event.
func (c *checker) outside() []string {
	all, seen := slices.Clone(Events), map[string]bool{}
	if IsScenario(c.d.Environment.Src) {
		all = append(all, ScenarioEvents...)
	}
	for _, m := range slices.Concat(c.d.Control, c.d.Evaluation) {
		if m.Kind != SCXML || m.Chart == nil && seen[m.Src] {
			continue
		}
		seen[m.Src] = true
		chart, _, _ := c.inspect(m) // errors are reported by chart
		if chart == nil {
			return nil // the events it would send are unknown
		}
		events, ok := check.Sent(chart)
		if !ok {
			return nil
		}
		all = append(all, events...)
	}
	return all
}

// Processor is the send type with which a machine acts on the experiment; package trial defines its
// events.
const Processor = "experiment"

// Config returns the settings for reading the charts of an experiment; chart is the file name, or
// empty for a chart inside the description.
func Config(files fs.FS, chart string) scxml.Config {
	return scxml.Config{Languages: []scxml.Language{ecmascript.Language{}}, Load: Loader(files,
		chart)}
}

var machineVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(sm|stateMachine)\s*=[^=]`)
})
var tutorialVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^state_machine\s*=[^=]`)
})

// smach checks EX14.
func (c *checker) smach(m Machine) {
	text, err := ReadFile(c.files, m.Src)
	switch {
	case err != nil:
		c.broken("EX14", m.Position, fmt.Sprintf("%s cannot be read: %v", m.Src, err), "")
		return
	case tutorialVariable().Match(text) && !machineVariable().Match(text):
		c.add("EX14", finding.Warning, m.Position,
			fmt.Sprintf(
				"%s calls its machine state_machine; the platform finds only sm and stateMachine",
				m.Src), "rename it to sm")
	case !machineVariable().Match(text):
		c.add("EX14", finding.Warning, m.Position,
			fmt.Sprintf("%s has no global variable sm or stateMachine", m.Src),
			"assign the machine to sm")
	}
	c.add("EX14", finding.Warning, m.Position,
		fmt.Sprintf("gosmp cannot execute the SMACH machine %q", m.ID), "translate it: "+
			Translation(m.Src))
}

// Translation returns the command that translates a SMACH machine.
func Translation(src string) string {
	out := strings.TrimSuffix(path.Base(src), path.Ext(src)) + ".scxml"
	if out == src {
		out = "chart.scxml"
	}
	return fmt.Sprintf("gosmp convert %s -o %s", src, out)
}
