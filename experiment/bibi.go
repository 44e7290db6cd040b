package experiment

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"gosmp/experiment/scxml"
)

// BIBI is the document that bibiConf names. It connects bodies, controllers and data. Brains in
// Python, bodies in SDF and transfer functions in Python are read and reported as not executable
// (BI03). gosmp runs vehicles of its own simulator, FMUs, and connections:
//
//	<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI"
//	      xmlns:g="urn:gosmp:experiment:1">
//	  <bodyModel robotId="ego">car</bodyModel>
//	  <brainModel><file>brake.fmu</file></brainModel>
//	  <g:fmu name="sensor" src="OSMPDummySensor.fmu">
//	    <g:start name="nominalrange" value="100"/>
//	  </g:fmu>
//	  <g:fmu name="driver" src="OSMPDriver.fmu" drives="ego"/>
//	  <g:connection from="ego.view" to="sensor.OSMPSensorViewIn"/>
//	  <timestep>20</timestep>
//	</bibi>
type BIBI struct {
	File        string
	Brain       string // file of the brain model, "" if there is none
	Populations int
	Bodies      []Body
	FMUs        []Participant // including the brain model if it is an FMU, under the name "brain"
	Connections []Connection
	Functions   []Function
	Controllers []string // extRobotController
	Mode        string
	Step        int // timestep in ms, 0 if the document has none
	StepAt      Position
	Files       []Configuration
}

// Body is a robot or vehicle. Model is a kind of vehicle, or a file that is not executed here.
type Body struct {
	Robot, Model string
	Position     Position
}

// Participant is an FMU in the experiment.
type Participant struct {
	Name, Src string
	Drives    string // the vehicle it moves as an OSMP traffic participant; "" for none
	Start     []StartValue
	Position  Position
}

// StartValue is a start value of a variable, as text.
type StartValue struct {
	Name, Value string
	Position    Position // in the BIBI document
}

// Connection carries values. Both ends are written as participant.variable.
type Connection struct {
	From, To string
	Position Position
}

// Function is a transfer function that is not executed here.
type Function struct {
	Kind, Src string
	Position  Position
}

const maxStep = 3_600_000 // ms

// ReadBIBI reads a BIBI document. It returns nil if the document is not one.
func ReadBIBI(file string, document []byte, o Options) (*BIBI, Findings) {
	s := &scanner{file: file, space: NamespaceBIBI, strict: o.Strict}
	root, err := scxml.ParseXML(document)
	if wrong := (*scxml.DocumentError)(nil); errors.As(err, &wrong) {
		s.broken("BI01", wrong.At, wrong.Reason, wrong.Remedy)
		return nil, s.list
	}
	if root.Name != "bibi" || root.Space != NamespaceBIBI {
		s.broken("BI01", root.Position, fmt.Sprintf("the root element is <%s> of namespace %q",
			root.Name, root.Space), fmt.Sprintf("expected <bibi xmlns=%q>", NamespaceBIBI))
		return nil, s.list
	}
	r := &bibiReader{scanner: s, b: &BIBI{File: file}, fmus: map[string]int{},
		targets: map[string]int{}, bodies: map[string]int{}, single: map[string]int{}}
	for _, e := range root.Elements() {
		r.element(e)
	}
	r.stray(root, "BI02", "bibi", "brainModel", "configuration", "fmu", "start", "connection")
	r.list.Sort()
	return r.b, r.list
}

type bibiReader struct {
	*scanner
	b     *BIBI
	named string // kinds of parts known not to be executed

	// lines of names, connected variables, robots with a body, and elements that occur once
	fmus, targets, bodies, single map[string]int
}

func (r *bibiReader) element(e *scxml.Element) {
	switch e.Space {
	case NamespaceBIBI:
		for _, a := range e.Attributes {
			if a.Space == NamespaceOwn {
				r.unknown("BI04", e, a, nil)
			}
		}
		r.standard(e)
	case NamespaceOwn:
		r.own(e)
	default:
		if !r.misnamed("BI02", e, executedParts...) {
			r.deviates("BI02", e.Position, fmt.Sprintf("<%s> is of namespace %q", e.Name, e.Space),
				"correct its prefix")
		}
	}
}

// executedParts are the parts that affect a run.
var executedParts = []string{"brainModel", "bodyModel", "timestep", "fmu", "connection"}

func (r *bibiReader) standard(e *scxml.Element) {
	b := r.b
	switch e.Name {
	case "brainModel":
		r.first(r.single, "<brainModel>", e.Name, e.Position)
		r.brain(e)
	case "bodyModel":
		robot, _ := e.Attr("robotId")
		if robot != "" { // documents for other platforms omit it
			r.first(r.bodies, fmt.Sprintf("a body of robot %q", robot), robot, e.Position)
		}
		b.Bodies = append(b.Bodies, Body{robot, text(e), e.Position})
	case "extRobotController":
		b.Controllers = append(b.Controllers, text(e))
		r.notExecuted(e.Position, "external robot controllers are programs")
	case "transferFunction":
		kind, _, _ := e.XSIType()
		src, _ := e.Attr("src")
		b.Functions = append(b.Functions, Function{kind, src, e.Position})
		r.notExecuted(e.Position, "transfer functions are Python")
	case "mode":
		b.Mode = text(e)
	case "timestep":
		r.first(r.single, "<timestep>", e.Name, e.Position)
		b.StepAt = e.Position
		if v, ok := r.positive("timestep", e.Text(), "BI02", e.Position); ok && v <= maxStep {
			b.Step = int(v)
		} else if ok {
			r.broken("BI02", e.Position, fmt.Sprintf("timestep is %d ms, expected at most %d", v,
				maxStep), "write less than an hour")
		}
	case "configuration":
		b.Files = append(b.Files, Configuration{Src: r.required(e, "src", "BI02"),
			Type: r.required(e, "type", "BI02"), Position: e.Position})
	default:
		if !r.misnamed("BI02", e, executedParts...) {
			r.deviates("BI02", e.Position, fmt.Sprintf("<%s> is unknown", e.Name),
				"correct the name, or remove it")
		}
	}
}

// first reports a part that an earlier line already gave (BI02). A run would use only one of the
// two.
func (r *bibiReader) first(lines map[string]int, part, key string, at Position) {
	if line, twice := lines[key]; twice {
		r.broken("BI02", at, fmt.Sprintf("%s is already in line %d", part, line),
			"remove one of them")
		return
	}
	lines[key] = at.Line
}

// notExecuted reports each kind of part only once (BI03).
func (r *bibiReader) notExecuted(at Position, what string) {
	if !strings.Contains(r.named, what) {
		r.named += what + "\n"
		r.add("BI03", 0, at, what+": they are kept but not executed",
			"connect FMUs by <connection> of "+NamespaceOwn)
	}
}

func (r *bibiReader) brain(e *scxml.Element) {
	found, _ := r.children(e, "file", "populations")
	r.b.Populations = len(found["populations"])
	if len(found["file"]) == 0 {
		r.deviates("BI02", e.Position, "<brainModel> has no <file>", "add it")
		return
	}
	r.b.Brain = text(found["file"][0])
	if strings.EqualFold(path.Ext(r.b.Brain), ".fmu") {
		r.participant(Participant{Name: "brain", Src: r.b.Brain, Position: e.Position})
		return
	}
	r.notExecuted(e.Position, "brain models are Python or networks")
}

func (r *bibiReader) own(e *scxml.Element) {
	switch e.Name {
	case "fmu":
		r.only("BI04", e, "name", "src", "drives")
		p := Participant{Name: r.required(e, "name", "BI04"), Src: r.required(e, "src", "BI04"),
			Position: e.Position}
		p.Drives, _ = e.Attr("drives")
		r.driver(e, p)
		starts := map[string]int{}
		for _, c := range e.Elements() {
			if c.Name != "start" || c.Space != NamespaceOwn {
				r.broken("BI04", c.Position, fmt.Sprintf("<%s> is unknown in <fmu>", c.Name),
					"expected <start name value>")
				continue
			}
			r.only("BI04", c, "name", "value")
			r.hollow("BI04", c)
			value, given := c.Attr("value")
			if !given {
				r.broken("BI04", c.Position, "<start> has no value", `add value="…"`)
			}
			name := r.required(c, "name", "BI04")
			if line, twice := starts[name]; twice {
				r.broken("BI04", c.Position, fmt.Sprintf(
					"%s already has a start value in line %d", name, line), "remove one of them")
			}
			starts[name] = c.Position.Line
			p.Start = append(p.Start, StartValue{name, value, c.Position})
		}
		r.participant(p)
	case "connection":
		r.only("BI04", e, "from", "to")
		r.hollow("BI04", e)
		c := Connection{r.required(e, "from", "BI04"), r.required(e, "to", "BI04"), e.Position}
		if line, twice := r.targets[c.To]; twice {
			r.broken("BI04", e.At("to"), fmt.Sprintf("%s is already connected in line %d", c.To,
				line), "remove one of them")
		} else {
			r.targets[c.To] = c.Position.Line
		}
		r.b.Connections = append(r.b.Connections, c)
	default:
		r.broken("BI04", e.Position, fmt.Sprintf("<%s> is unknown", e.Name),
			"expected fmu or connection")
	}
}

// driver records what an FMU drives, which counts as a connection to it.
func (r *bibiReader) driver(e *scxml.Element, p Participant) {
	if p.Drives == "" {
		return
	}
	to := p.Drives + ".update"
	if line, twice := r.targets[to]; twice {
		r.broken("BI04", e.At("drives"), fmt.Sprintf("%s is already driven, by line %d", p.Drives,
			line), "let one FMU drive it")
	}
	r.targets[to] = p.Position.Line
}

func (r *bibiReader) participant(p Participant) {
	if line, twice := r.fmus[p.Name]; twice {
		r.broken("BI04", p.Position, fmt.Sprintf(
			"the name %q is already used in line %d", p.Name, line),
			"give one of them a different name")
	} else {
		r.fmus[p.Name] = p.Position.Line
	}
	if p.Name == "world" || strings.HasPrefix(p.Name, "world.") ||
		strings.ContainsAny(p.Name, " \t\r\n") {
		r.broken("BI04", p.Position,
			fmt.Sprintf("the name %q is reserved, or contains blanks", p.Name),
			"choose another name")
	}
	r.b.FMUs = append(r.b.FMUs, p)
}
