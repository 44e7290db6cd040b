package experiment

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gosmp/experiment/scxml"
)

// The elements of ExD: the elements of the schema, and others that are used in practice.
var (
	schemaElements = []string{"name", "thumbnail", "description", "timeout", "configuration",
		"maturity", "environmentModel", "visualModel", "bibiConf",
		"experimentControl", "experimentEvaluation", "cameraPose", "rosLaunch", "rngSeed",
		"physicsEngine"}
	// executedElements affect a run.
	executedElements = []string{"timeout", "environmentModel", "bibiConf", "experimentControl",
		"experimentEvaluation", "rngSeed", "physicsEngine"}
	practiceElements = []string{"tags", "skinModel", "gzbridgesettings", "cloneDate"}
)

// Read reads a description; file is its name in findings. The description is nil if the document
// is not an ExD at all; otherwise it holds what could be understood. The experiment can be run
// unless a finding is an error.
func Read(file string, document []byte, o Options) (*Description, Findings) {
	s := &scanner{file: file, space: Namespace, strict: o.Strict}
	root, err := scxml.ParseXML(document)
	if wrong := (*scxml.DocumentError)(nil); errors.As(err, &wrong) {
		s.broken("EX01", wrong.At, wrong.Reason, wrong.Remedy)
		return nil, s.list
	}
	if root.Name != "ExD" || root.Space != Namespace {
		s.broken("EX01", root.Position, fmt.Sprintf("the root element is <%s> of namespace %q",
			root.Name, root.Space), fmt.Sprintf("expected <ExD xmlns=%q>", Namespace))
		return nil, s.list
	}
	r := &reader{scanner: s, d: &Description{File: file}}
	r.read(root)
	r.stray(root, "EX02", "ExD", "configuration", "environmentModel", "robotPose", "visualModel",
		"visualPose", "bibiConf", "experimentControl", "experimentEvaluation", "stateMachine",
		"cameraPose", "cameraPosition", "cameraLookAt", "rosLaunch")
	r.list.Sort()
	return r.d, r.list
}

type reader struct {
	*scanner
	d *Description
}

func (r *reader) read(root *scxml.Element) {
	r.known(root)
	found, others := r.children(root, append(slices.Clone(schemaElements), practiceElements...)...)
	for _, e := range others {
		r.other(e)
	}
	for _, name := range append(slices.Clone(schemaElements), practiceElements...) {
		list := found[name]
		if len(list) > 1 && name != "configuration" {
			r.again(list[0], list[1])
		}
		if len(list) == 0 && slices.Contains([]string{"environmentModel", "bibiConf"}, name) {
			r.broken("EX02", root.Position, fmt.Sprintf("<ExD> has no <%s>", name),
				fmt.Sprintf("add <%s>", name))
		}
		if len(list) == 0 && slices.Contains([]string{"name", "thumbnail", "description"}, name) {
			r.deviates("EX02", root.Position, fmt.Sprintf("<ExD> has no <%s>", name),
				fmt.Sprintf("add <%s>", name))
		}
		if len(list) > 0 && slices.Contains(practiceElements, name) {
			r.deviates("EX21", list[0].Position,
				fmt.Sprintf("<%s> is used in practice, but the schema does not define it", name),
				"remove it if the file has to follow the schema")
		}
	}
	r.configurations(root, found["configuration"])
	r.simple(found)
	r.models(found)
	r.machines(found)
}

// again reports the second of two elements that may occur only once. The first one is used, so a
// second one is an error if runs depend on the element.
func (r *reader) again(first, second *scxml.Element) {
	report := r.deviates
	if slices.Contains(executedElements, first.Name) {
		report = r.broken
	}
	report("EX02", second.Position, fmt.Sprintf(
		"<%s> occurs again, first in line %d; the first one is used", first.Name,
		first.Position.Line), "remove one of them")
}

// other records an unknown element.
func (r *reader) other(e *scxml.Element) {
	if r.misnamed("EX02", e, executedElements...) {
		return
	}
	if e.Space == r.space {
		r.deviates("EX02", e.Position, fmt.Sprintf("<%s> is unknown", e.Name),
			"correct the name, or remove it")
	} else {
		r.deviates("EX20", e.Position, fmt.Sprintf("<%s> is of namespace %q, expected %q", e.Name,
			e.Space, r.space), "correct its prefix")
	}
	r.d.Extra = append(r.d.Extra, e)
}

// configurations checks EX03 and EX06.
func (r *reader) configurations(root *scxml.Element, list []*scxml.Element) {
	places := map[*scxml.Element]int{}
	for k, e := range root.Elements() {
		places[e] = k
	}
	for i, e := range list {
		r.known(e, "src", "type")
		r.d.Configurations = append(r.d.Configurations, Configuration{Src: r.required(e, "src",
			"EX06"), Type: r.required(e, "type", "EX06"), Position: e.Position})
		if i > 0 && places[e] != places[list[i-1]]+1 {
			r.deviates("EX03", e.Position, "the <configuration> elements are not adjacent",
				fmt.Sprintf("move it directly after the one in line %d", list[i-1].Position.Line))
		}
	}
}

var picture = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9._/-]*\.(png|gif|jpe?g)$`)
})

// simple reads the elements that hold one value.
func (r *reader) simple(found map[string][]*scxml.Element) {
	first := func(name string) (*scxml.Element, string) {
		if list := found[name]; len(list) > 0 {
			if name != "timeout" {
				r.known(list[0])
			}
			return list[0], text(list[0])
		}
		return nil, ""
	}
	d := r.d
	_, d.Name = first("name")
	_, d.Text = first("description")
	_, d.Tags = first("tags")
	_, d.CloneDate = first("cloneDate")
	e, value := first("thumbnail")
	if d.Thumbnail = value; e != nil {
		d.ThumbnailAt = e.Position
	}
	if e != nil && !picture().MatchString(value) {
		r.deviates("EX04", e.Position,
			fmt.Sprintf(
				"the thumbnail is %q, expected letters, digits, . _ - / and the ending png, "+
					"gif, jpg or jpeg", value), "rename the picture")
	}
	if e, value = first("maturity"); e != nil {
		d.Maturity = value
		r.oneOf("maturity", value, "EX07", e.Position, "development", "production")
	}
	if e, value = first("rngSeed"); e != nil {
		if seed, ok := r.positive("rngSeed", value, "EX18", e.Position); ok {
			d.Seed = &seed
		}
	}
	if e, value = first("physicsEngine"); e != nil {
		d.Physics, d.PhysicsAt = value, e.Position
		r.oneOf("physicsEngine", value, "EX19", e.Position, "ode", "opensim")
	}
	if e, _ = first("timeout"); e != nil {
		r.timeout(e)
	}
}

// timeout checks EX05. An experiment without one runs until its machines decide.
func (r *reader) timeout(e *scxml.Element) {
	v, ok := parseFloat(e.Text())
	if !ok || v < 0 {
		r.broken("EX05", e.Position, fmt.Sprintf("the timeout is %q, expected seconds", text(e)),
			"write a number that is not negative")
		return
	}
	r.d.Timeout = &Timeout{Seconds: v}
	r.known(e, "time")
	if clock, given := e.Attr("time"); given {
		r.oneOf("the clock of the timeout", clock, "EX05", e.At("time"), "simulation", "real")
		r.deviates("EX21", e.At("time"),
			"the attribute time of <timeout> is used in practice, but the schema "+
				"does not define it", "remove it if the file has to follow the schema")
		r.d.Timeout.Clock = clock
	}
}

// models reads the elements for worlds, bodies and views.
func (r *reader) models(found map[string][]*scxml.Element) {
	one := func(name string, read func(*scxml.Element)) {
		if list := found[name]; len(list) > 0 {
			read(list[0])
		}
	}
	one("environmentModel", r.environment)
	one("visualModel", func(e *scxml.Element) {
		r.known(e, "src", "scale")
		v := &Visual{Src: r.required(e, "src", "EX09"), Position: e.Position}
		if scale, ok := r.number(e, "scale", "EX09"); ok {
			v.Scale = &scale
		}
		poses, others := r.children(e, "visualPose")
		r.unexpected("EX09", others)
		if len(poses["visualPose"]) != 1 {
			r.deviates("EX09", e.Position,
				fmt.Sprintf("<visualModel> has %d <visualPose>, expected one",
					len(poses["visualPose"])), "give it one")
		}
		if len(poses["visualPose"]) > 0 {
			v.Pose = r.robotPose(poses["visualPose"][0], "EX09").Pose
		}
		r.d.Visual = v
	})
	one("skinModel", func(e *scxml.Element) {
		r.known(e, "src", "visual")
		visual, _ := e.Attr("visual")
		src, given := e.Attr("src")
		if !given {
			src = text(e)
		}
		r.d.Skin = &Skin{Src: src, Visual: visual, Position: e.Position}
	})
	one("bibiConf", func(e *scxml.Element) {
		r.known(e, "src", "processes")
		r.d.BIBI = Reference{Src: r.required(e, "src", "EX10"), Processes: 1, Position: e.Position}
		if value, given := e.Attr("processes"); given {
			n, ok := r.positive("processes", value, "EX10", e.At("processes"))
			if r.d.BIBI.given = ok; ok {
				r.d.BIBI.Processes = int(min(n, 1<<31-1))
			}
		}
	})
	one("cameraPose", r.camera)
	one("rosLaunch", func(e *scxml.Element) {
		r.known(e, "src")
		r.d.Launch = &Launch{r.required(e, "src", "EX17"), e.Position}
	})
	one("gzbridgesettings", r.bridge)
}

func (r *reader) unexpected(id string, list []*scxml.Element) {
	for _, e := range list {
		r.deviates(id, e.Position, fmt.Sprintf("<%s> is unknown", e.Name),
			"correct the name, or remove it")
	}
}

// machines checks EX11 and EX12.
func (r *reader) machines(found map[string][]*scxml.Element) {
	for i, name := range []string{"experimentControl", "experimentEvaluation"} {
		to := []*[]Machine{&r.d.Control, &r.d.Evaluation}[i]
		if len(found[name]) == 0 {
			continue
		}
		e := found[name][0]
		r.known(e)
		list, others := r.children(e, "stateMachine")
		for _, o := range others {
			r.broken("EX11", o.Position, fmt.Sprintf("<%s> is unknown in <%s>", o.Name, name),
				"expected <stateMachine>")
		}
		if len(list["stateMachine"]) == 0 {
			r.deviates("EX11", e.Position, fmt.Sprintf("<%s> has no <stateMachine>", name),
				"add one, or remove the list")
		}
		seen := map[string]int{}
		for _, m := range list["stateMachine"] {
			machine := r.machine(m)
			if line := seen[machine.ID]; line > 0 {
				r.broken("EX11", m.At("id"),
					fmt.Sprintf("the id %q is already "+
						"used by the machine in line %d", machine.ID, line),
					"give one of them a different id")
			}
			seen[machine.ID] = m.Position.Line
			*to = append(*to, machine)
		}
	}
}

func (r *reader) machine(e *scxml.Element) Machine {
	r.known(e, "id", "src")
	m := Machine{ID: r.required(e, "id", "EX11"), Position: e.Position}
	if strings.ContainsAny(m.ID, " \t\r\n") {
		r.broken("EX11", e.At("id"), fmt.Sprintf("the id %q contains blanks", m.ID),
			"write a name without blanks")
	}
	m.Src, _ = e.Attr("src")
	kind, space, given := e.XSIType()
	switch m.Kind = MachineKind(kind); {
	case !given:
		r.broken("EX12", e.Position, fmt.Sprintf("the state machine %q has no xsi:type", m.ID),
			`write xsi:type="SCXMLStateMachine" or "SMACHStateMachine"`)
		return m
	case m.Kind != SCXML && m.Kind != SMACH:
		r.broken("EX12", e.Position, fmt.Sprintf("the state machine %q has the xsi:type %q", m.ID,
			kind), "expected SCXMLStateMachine or SMACHStateMachine")
		return m
	case space != Namespace:
		r.deviates("EX12", e.Position, fmt.Sprintf("the xsi:type %s of %q is of namespace %q", kind,
			m.ID, space), "give it the prefix of "+Namespace)
	}
	for _, c := range e.Elements() {
		if c.Name == "scxml" && m.Kind == SCXML && m.Chart == nil {
			m.Chart = c
			continue
		}
		r.unexpected("EX12", []*scxml.Element{c})
	}
	switch {
	case m.Kind == SMACH && m.Src == "":
		r.broken("EX12", e.Position, fmt.Sprintf("the SMACH machine %q has no src", m.ID),
			`add src="….exd"`)
	case m.Kind == SCXML && m.Src == "" && m.Chart == nil:
		r.broken("EX12", e.Position, fmt.Sprintf("the SCXML machine %q has neither src nor <scxml>",
			m.ID), "add one of them")
	case m.Src != "" && m.Chart != nil:
		r.deviates("EX12", e.Position,
			fmt.Sprintf("the SCXML machine %q has src and <scxml>; the inline <scxml> counts",
				m.ID), "remove one of them")
	}
	return m
}
