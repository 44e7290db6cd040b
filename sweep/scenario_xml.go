package sweep

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/xmltext"
)

// element is an element of a document, with the attributes and children that it may have.
type element struct {
	name     string
	form     string // its key in forms
	line     int
	values   map[string]string
	children []*element
}

// shape is what an element may have.
type shape struct {
	attributes []string // all of which are required, but for those with a ?
	children   []string
	free       bool // the Range may be missing
	skipped    bool // the content does not matter
}

func (s shape) childrenText() string { return strings.Join(s.children, " or ") }

// forms are the elements of a ParameterValueDistribution; an element with two forms follows the name of
// its parent. No element contains itself, which bounds the depth of documents.
var forms = map[string]shape{
	"OpenSCENARIO":               {children: []string{"FileHeader", "ParameterValueDistribution"}},
	"FileHeader":                 {skipped: true},
	"ParameterValueDistribution": {children: []string{"ScenarioFile", "Deterministic", "Stochastic"}},
	"ScenarioFile":               {attributes: []string{"filepath"}},

	"Deterministic": {children: []string{"DeterministicSingleParameterDistribution", "DeterministicMultiParameterDistribution"}},
	"DeterministicSingleParameterDistribution": {attributes: []string{"parameterName"}, children: []string{"DistributionSet", "DistributionRange"}},
	"DistributionSet":                          {children: []string{"Element"}},
	"DistributionSet/Element":                  {attributes: []string{"value"}},
	"DistributionRange":                        {attributes: []string{"stepWidth"}, children: []string{"Range"}},
	"Range":                                    {attributes: []string{"lowerLimit", "upperLimit"}},
	"DeterministicMultiParameterDistribution":  {children: []string{"ValueSetDistribution"}},
	"ValueSetDistribution":                     {children: []string{"ParameterValueSet"}},
	"ParameterValueSet":                        {children: []string{"ParameterAssignment"}},
	"ParameterAssignment":                      {attributes: []string{"parameterRef", "value"}},

	"Stochastic": {attributes: []string{"numberOfTestRuns", "randomSeed?"}, children: []string{"StochasticDistribution"}},
	"StochasticDistribution": {attributes: []string{"parameterName"}, children: []string{"ProbabilityDistributionSet", "NormalDistribution",
		"LogNormalDistribution", "UniformDistribution", "PoissonDistribution", "Histogram"}},
	"ProbabilityDistributionSet":         {children: []string{"Element"}, free: true},
	"ProbabilityDistributionSet/Element": {attributes: []string{"value", "weight"}},
	"NormalDistribution":                 {attributes: []string{"expectedValue", "variance"}, children: []string{"Range"}, free: true},
	"LogNormalDistribution":              {attributes: []string{"expectedValue", "variance"}, children: []string{"Range"}, free: true},
	"UniformDistribution":                {children: []string{"Range"}},
	"PoissonDistribution":                {attributes: []string{"expectedValue"}, children: []string{"Range"}, free: true},
	"Histogram":                          {children: []string{"Bin"}, free: true},
	"Bin":                                {attributes: []string{"weight"}, children: []string{"Range"}},
}

func form(e *element) shape { return forms[e.form] }

// scenarioParser reads a document of known elements. Entities are not expanded: a document type is
// refused.
type scenarioParser struct {
	file    string
	decoder *xml.Decoder
	line    int // of the token
}

func parseScenario(file string, text []byte) (*element, error) {
	r := &scenarioParser{file: file, decoder: xmltext.NewDecoder(bytes.NewReader(text))}
	outside := &element{}
	if err := r.content(outside, shape{children: []string{"OpenSCENARIO"}}); err != nil {
		return nil, err
	}
	if len(outside.children) != 1 {
		return nil, r.refuse("", fmt.Sprintf("%d root elements", len(outside.children)), "one, OpenSCENARIO")
	}
	return outside.children[0], nil
}

func (r *scenarioParser) refuse(object, found, expected string) error {
	return &Error{Place: fault.Place{File: r.file, Line: r.line, Object: object}, Kind: ErrPlan, Found: found, Expected: expected}
}

// content reads the children of an element, up to its end.
func (r *scenarioParser) content(e *element, s shape) error {
	for {
		r.line, _ = r.decoder.InputPos()
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) && e.name == "" {
			return nil
		}
		if err != nil {
			return r.syntax(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			child, err := r.element(e, s, t)
			if err != nil {
				return err
			}
			e.children = append(e.children, child)
		case xml.EndElement:
			return nil
		case xml.CharData:
			if text := bytes.TrimSpace(t); len(text) > 0 {
				return r.refuse(e.name, "the text "+clipped(string(text)), "elements only")
			}
		case xml.Directive:
			return r.refuse(e.name, "a document type", "none, as in all documents of OpenSCENARIO")
		}
	}
}

// clipped quotes the beginning of a text.
func clipped(text string) string {
	if r := []rune(text[:min(len(text), 200)]); len(r) > 40 {
		return strconv.Quote(string(r[:40]) + "...")
	}
	return strconv.Quote(text)
}

func (r *scenarioParser) syntax(err error) error {
	if e := (*xmltext.Error)(nil); errors.As(err, &e) {
		r.line, _ = r.decoder.InputPos()
		return r.refuse("", e.Found(), e.Expected())
	}
	if s := (*xml.SyntaxError)(nil); errors.As(err, &s) {
		r.line, err = s.Line, errors.New(s.Msg)
	}
	return &Error{Place: fault.Place{File: r.file, Line: r.line}, Kind: ErrPlan, Cause: err}
}

func (r *scenarioParser) element(parent *element, s shape, t xml.StartElement) (*element, error) {
	e := &element{name: t.Name.Local, form: t.Name.Local, line: r.line, values: map[string]string{}}
	if !slices.Contains(s.children, e.name) {
		expected := s.childrenText()
		if expected == "" {
			expected = "no element here"
		}
		return nil, r.refuse(parent.name, "the element "+clipped(e.name), expected)
	}
	if _, ok := forms[e.name]; !ok {
		e.form = parent.name + "/" + e.name
	}
	if form(e).skipped {
		if err := r.decoder.Skip(); err != nil {
			return nil, r.syntax(err)
		}
		return e, nil
	}
	if err := r.attributes(e, t.Attr); err != nil {
		return nil, err
	}
	return e, r.content(e, form(e))
}

func (r *scenarioParser) attributes(e *element, list []xml.Attr) error {
	known := form(e).attributes
	for _, a := range list {
		name := a.Name.Local
		if a.Name.Space != "" || name == "xmlns" {
			continue // of other namespaces, such as the place of the schema
		}
		if !slices.Contains(known, name) && !slices.Contains(known, name+"?") {
			expected := strings.ReplaceAll(strings.Join(known, ", "), "?", "")
			if expected == "" {
				expected = "no attributes"
			}
			return r.refuse(e.name, "the attribute "+clipped(name), expected)
		}
		if _, twice := e.values[name]; twice {
			return r.refuse(e.name, "the attribute "+clipped(name)+" twice", "it once")
		}
		e.values[name] = a.Value
	}
	for _, name := range known {
		if _, ok := e.values[name]; !ok && !strings.HasSuffix(name, "?") {
			return r.refuse(e.name, "no attribute "+name, "one")
		}
	}
	return nil
}
