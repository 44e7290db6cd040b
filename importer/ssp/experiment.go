package ssp

import (
	"fmt"
	"math"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
)

// Annotation is the type of the annotations of this project: element Step with the attribute size,
// in seconds, in an experiment or a component. [System] writes it.
const Annotation = "org.gosmp.ssp"

// annotations reads the annotations of an element, which were added by tools.
func annotations(n *node) (list []fmi.Annotation) {
	for _, a := range n.In(ssd, "Annotations").AllIn(ssc, "Annotation") {
		x := fmi.Annotation{Tool: a.Get("type", "")}
		for _, c := range a.Nodes {
			x.Elements = append(x.Elements, foreign(c))
		}
		list = append(list, x)
	}
	return list
}

func foreign(n *node) fmi.Element {
	e := fmi.Element{Prefix: n.Prefix, Namespace: n.Space, Name: n.Name}
	for _, a := range n.Attributes {
		e.Attributes = append(e.Attributes, fmi.Attribute{Namespace: a.Space, Name: a.Name,
			Value: a.Value})
	}
	for _, c := range n.Nodes {
		e.Elements = append(e.Elements, foreign(c))
	}
	return e
}

// stepSource is an annotation that contains a step size: its type, and the element and attribute
// inside it.
type stepSource struct {
	tool, element, attribute string
}

// The annotations for the base step, in order of precedence.
var baseSteps = []stepSource{
	{Annotation, "Step", "size"},
	{"com.opensimulationplatform", "FixedStepAlgorithm", "baseStepSize"},
	{"com.avl.model.connect.ssp.task", "Task", "deltaTime"},
	{"org.openmodelica", "", "stepSize"},
	// the master adapts its steps; the engine's have one size
	{"org.openmodelica", "VariableStepMaster", "initialStepSize"},
}

var componentSteps = []stepSource{
	{Annotation, "Step", "size"},
	{"com.opensimulationplatform", "StepSizeHint", "value"},
	{"com.avl.model.connect.ssp.component", "", "deltaTime"},
}

// stepOf finds a step size in the annotations of an element. It reports values that are no size.
func (l *loader) stepOf(d *document, n *node, sources []stepSource) Step {
	for _, s := range sources {
		for _, a := range n.In(ssd, "Annotations").AllIn(ssc, "Annotation") {
			if a.Get("type", "") != s.tool {
				continue
			}
			if found, value := l.findStep(d, a, s); found != nil {
				origin := "annotation " + s.tool + " (" + found.Tag() + " " + s.attribute + ")"
				return Step{value, origin, d.place(found)}
			}
		}
	}
	return Step{}
}

// findStep finds the attribute of a source below an annotation.
func (l *loader) findStep(d *document, n *node, s stepSource) (*node, float64) {
	for _, c := range n.Nodes {
		if text, is := c.Attribute(s.attribute); is && (s.element == "" || c.Name == s.element) {
			v, err := decimal.Float(strings.TrimSpace(text), 64)
			if err == nil && v > 0 && !math.IsInf(v, 0) {
				return c, v
			}
			l.find("SSP-E1", d.at(c, s.attribute), fmt.Sprintf("%s of <%s> is %q: it has no effect",
				s.attribute, c.Tag(), text), "write a number of seconds above 0")
		}
		if found, v := l.findStep(d, c, s); found != nil {
			return found, v
		}
	}
	return nil, 0
}

// experiment reads the default settings for running the system.
func (l *loader) experiment(d *document) {
	x := &l.system.Experiment
	n := d.root.In(ssd, "DefaultExperiment")
	x.Place = d.place(d.root)
	l.system.Annotations = annotations(d.root)
	if n != nil {
		x.Place = d.place(n)
		x.Start, x.Stop = l.optional(d, n, "startTime"), l.optional(d, n, "stopTime")
		x.Step = l.stepOf(d, n, baseSteps)
		l.system.Annotations = append(l.system.Annotations, annotations(n)...)
	}
	if x.Step.Seconds == 0 {
		x.Step = l.stepOf(d, d.root, baseSteps)
	}
	if x.Step.Seconds == 0 { // where OMSimulator writes it
		x.Step = l.stepOf(d, d.root.In(ssd, "System"), baseSteps)
	}
	noted := x.Step
	if x.Stop != nil {
		x.StopOrigin = "DefaultExperiment"
	}
	for _, c := range l.system.Components {
		if c.FMU == nil {
			continue
		}
		e := c.FMU.Model.DefaultExperiment
		if x.StopOrigin != "DefaultExperiment" && e.StopTime != nil && (x.Stop == nil ||
			*e.StopTime > *x.Stop) {
			x.Stop, x.StopOrigin = e.StopTime, "the FMU of "+c.Name+", the longest of all"
		}
		if noted.Seconds == 0 && e.StepSize != nil && *e.StepSize > 0 && (x.Step.Seconds == 0 ||
			*e.StepSize < x.Step.Seconds) {
			x.Step = Step{*e.StepSize, "the FMU of " + c.Name + ", the smallest of all",
				fault.Place{}}
		}
	}
	l.checkExperiment(n, noted)
}

func (l *loader) optional(d *document, n *node, name string) *float64 {
	number, is := l.number(d, n, name)
	if !is {
		return nil
	}
	return &number
}
