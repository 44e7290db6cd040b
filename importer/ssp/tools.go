package ssp

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// tool describes a tool and the content that it cannot read according to its source code.
type tool struct {
	name string
	// prefixes means that the tool compares prefixes instead of namespaces.
	prefixes bool
	document func(r *toolReport, d *document) // checks a whole document
	// inside checks elements by name; an element is reported if its function returns true.
	inside map[string]func(r *toolReport, n *node) bool
	// lost describes what happens to elements that the tool drops or refuses.
	lost map[string]string
}

// Tools returns the names of the tools accepted by [Options.For].
func Tools() (names []string) {
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}

// The tools, as of these versions of their sources: libcosim 0.11, ecos 2025, FMPy 0.3.32, OpenMCx
// 0.3.
var tools = []tool{
	{
		name: "fmpy",
		lost: map[string]string{
			"ParameterBinding": "drops parameter bindings: the variables keep the start " +
				"values of the FMU",
			"DefaultExperiment": "does not read the default experiment: state the " +
				"times in the call",
			"LinearTransformation": "drops transformations: the " +
				"value is passed on unchanged",
			"BooleanMappingTransformation": "drops transformations: the " +
				"value is passed on unchanged",
			"IntegerMappingTransformation": "drops transformations: the " +
				"value is passed on unchanged",
			"EnumerationMappingTransformation": "drops transformations: the " +
				"value is passed on unchanged",
			"SignalDictionaryReference": "does not read signal dictionaries",
		},
	},
	{
		name: "libcosim", prefixes: true,
		lost: map[string]string{
			"SignalDictionaryReference": "does not read signal dictionaries",
			"Enumeration": "does not read connectors and parameters of the " +
				"type Enumeration",
			"Binary": "does not read connectors of the type Binary",
		},
		inside: map[string]func(*toolReport, *node) bool{
			"Connection": func(r *toolReport, n *node) bool {
				_, start := n.Attribute("startElement")
				_, end := n.Attribute("endElement")
				r.what = "needs startElement and endElement: it does not read " +
					"connectors of the system itself"
				return !start || !end
			},
			"Connector": untyped("needs a type in each connector"),
			"System":    nested("reads one level: components in nested systems are lost"),
		},
	},
	{
		name: "ecos", prefixes: true,
		lost: map[string]string{"SignalDictionaryReference": "does not read signal dictionaries"},
		document: func(r *toolReport, d *document) {
			if d.version > 1 {
				r.report(d.root, "reads SSP 1.0, and this is 2.0")
			}
		},
		inside: map[string]func(*toolReport, *node) bool{
			"LinearTransformation": func(r *toolReport, n *node) bool {
				_, is := n.Attribute("factor")
				r.what = "treats a missing factor as 0: write factor=\"1\""
				return !is
			},
		},
	},
	{
		name: "openmcx",
		lost: map[string]string{
			"ParameterMapping":                 "does not read parameter mappings",
			"LinearTransformation":             "does not read transformations",
			"BooleanMappingTransformation":     "does not read transformations",
			"IntegerMappingTransformation":     "does not read transformations",
			"EnumerationMappingTransformation": "does not read transformations",
			"SignalDictionaryReference":        "does not read signal dictionaries",
			"Enumeration":                      "does not read enumerations",
		},
		inside: map[string]func(*toolReport, *node) bool{
			"System":    nested("reads one level: nested systems are not read"),
			"Connector": calculated,
			"ParameterBinding": func(r *toolReport, n *node) bool {
				r.what = "reads inline values only, no files"
				return n.Get("source", "") != ""
			},
		},
	},
}

func untyped(what string) func(*toolReport, *node) bool {
	return func(r *toolReport, n *node) bool {
		r.what = what
		return !slices.ContainsFunc(n.Nodes, func(c *node) bool {
			return c.Space == ssc && typeNames[c.Name] != 0
		})
	}
}

func nested(what string) func(*toolReport, *node) bool {
	return func(r *toolReport, _ *node) bool {
		r.what = what
		return r.level > 1
	}
}

// calculated checks connectors for OpenMCx, which requires their types.
func calculated(r *toolReport, n *node) bool {
	if n.Get("kind", "") == string(CalculatedParameter) {
		r.what = "does not read connectors of the kind calculatedParameter"
		return true
	}
	return untyped("needs a type in each connector")(r, n)
}

// toolReport checks a document for a specific tool.
type toolReport struct {
	loader *loader
	tool   tool
	doc    *document
	seen   map[string]bool // each problem is reported only at its first occurrence
	level  int             // depth of nested systems
	what   string
}

// id returns the id of findings about a tool.
func (t tool) id() string { return "SSP-FOR-" + strings.ToUpper(t.name) }

func (r *toolReport) report(n *node, what string) {
	if r.seen[what] {
		return
	}
	r.seen[what] = true
	r.loader.findAs(finding.Error, r.tool.id(), r.doc.place(n), fmt.Sprintf("%s %s", r.tool.name,
		what), "write it differently, or run it with gosmp")
}

// checkTool reports content of a document that the tool in the options cannot read.
func (l *loader) checkTool(d *document) {
	k := slices.IndexFunc(tools, func(t tool) bool { return t.name == l.options.For })
	if k < 0 {
		return
	}
	r := &toolReport{loader: l, tool: tools[k], doc: d, seen: map[string]bool{}}
	if r.tool.document != nil {
		r.tool.document(r, d)
	}
	r.walk(d.root)
}

func (r *toolReport) walk(n *node) {
	usual := usualPrefixes[n.Space]
	if usual == "" {
		return // of an annotation
	}
	if r.tool.prefixes && n.Prefix != usual {
		r.report(n, fmt.Sprintf("compares prefixes: it does not see <%s>, expected <%s:%s>",
			n.Tag(), usual, n.Name))
	}
	if n.Name == "System" {
		r.level++
		defer func() { r.level-- }()
	}
	// elements other than the type of a connector
	declared := n.Name == "Enumeration" && n.Space == ssc && len(n.Nodes) > 0
	if what := r.tool.lost[n.Name]; what != "" && !declared {
		r.report(n, what)
	}
	if look := r.tool.inside[n.Name]; look != nil && look(r, n) {
		r.report(n, r.what)
	}
	for _, c := range n.Nodes {
		r.walk(c)
	}
}

// judgeTool reports how the tool in the options treats the system as a whole differently.
func (l *loader) judgeTool(top *element) {
	for _, key := range l.order {
		if d := l.documents[key]; d != nil && d.enclosing == nil {
			l.checkTool(d)
		}
	}
	if l.options.For != "fmpy" {
		return
	}
	t := tools[0]
	for _, e := range top.leaves() {
		for _, p := range e.ports {
			if p.connector.Kind == Input && len(p.outside.all) == 0 &&
				len(l.system.Connections) > 0 {
				l.findAs(finding.Error, t.id(), p.connector.Place,
					fmt.Sprintf("fmpy sets the unconnected input %s to 0", p.label()),
					"connect it, or remove the connector")
			}
		}
	}
	if len(l.system.Connections) > 0 {
		l.findAs(finding.Warning, t.id(), l.system.Experiment.Place,
			"fmpy delays every connection by a step: the results differ from a sequential run",
			"compare with gosmp run --algorithm parallel")
	}
}

// knownTool rejects an unknown tool.
func knownTool(name string) error {
	if name == "" || slices.Contains(Tools(), name) {
		return nil
	}
	return fault.New(ErrTool, fault.At("--for"), fmt.Sprintf("%q", name),
		strings.Join(Tools(), ", "))
}
