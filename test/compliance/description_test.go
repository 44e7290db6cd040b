package compliance_test

import (
	"cmp"
	"strings"
)

// description contains what an importer reads from modelDescription.xml.
type description struct {
	GUID             string `xml:"guid,attr"`
	Description      string `xml:"description,attr"`
	Version          string `xml:"version,attr"`
	GenerationTool   string `xml:"generationTool,attr"`
	NamingConvention string `xml:"variableNamingConvention,attr"`
	CoSimulation     struct {
		ModelIdentifier string `xml:"modelIdentifier,attr"`
	}
	Experiment struct {
		Start     string `xml:"startTime,attr"`
		Stop      string `xml:"stopTime,attr"`
		Tolerance string `xml:"tolerance,attr"`
		Step      string `xml:"stepSize,attr"`
	} `xml:"DefaultExperiment"`
	Units      []named  `xml:"UnitDefinitions>Unit"`
	Categories []named  `xml:"LogCategories>Category"`
	Variables  []scalar `xml:"ModelVariables>ScalarVariable"`
}

type named struct {
	Name string `xml:"name,attr"`
}

// scalar is a ScalarVariable with its one type element.
type scalar struct {
	Name        string   `xml:"name,attr"`
	Reference   string   `xml:"valueReference,attr"`
	Description string   `xml:"description,attr"`
	Causality   string   `xml:"causality,attr"`
	Variability string   `xml:"variability,attr"`
	Initial     string   `xml:"initial,attr"`
	Real        *element `xml:"Real"`
	Integer     *element `xml:"Integer"`
	Boolean     *element `xml:"Boolean"`
	String      *element `xml:"String"`
}

// element is Real, Integer, Boolean or String.
type element struct {
	Start *string `xml:"start,attr"`
	Min   string  `xml:"min,attr"`
	Max   string  `xml:"max,attr"`
	Unit  string  `xml:"unit,attr"`
}

// kind returns the first letter of the type.
func (s scalar) kind() string {
	switch {
	case s.Real != nil:
		return "R"
	case s.Integer != nil:
		return "I"
	case s.Boolean != nil:
		return "B"
	}
	return "S"
}

func (s scalar) value() element {
	for _, e := range []*element{s.Real, s.Integer, s.Boolean, s.String} {
		if e != nil {
			return *e
		}
	}
	return element{}
}

// absent stands for a missing attribute.
const absent = "-"

// lines returns the description in the format that compliance.c reads.
func (d description) lines() []string {
	e := d.Experiment
	lines := []string{"guid\t" + d.GUID, strings.Join([]string{"experiment", e.Start, e.Stop,
		e.Tolerance, e.Step}, "\t")}
	for _, c := range d.Categories {
		lines = append(lines, "category\t"+c.Name)
	}
	for _, v := range d.Variables {
		x, start := v.value(), absent
		if x.Start != nil {
			start = *x.Start
		}
		lines = append(lines, strings.Join([]string{"variable", v.kind(), v.Reference, v.Causality,
			v.Variability,
			cmp.Or(v.Initial, absent), v.Name, start, cmp.Or(x.Min, absent), cmp.Or(x.Max, absent)},
			"\t"))
	}
	return lines
}
