package ssp

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// fileKind is one of the four kinds of documents.
type fileKind struct {
	space, root, ending, title string
}

var (
	description = fileKind{ssd, "SystemStructureDescription", ".ssd",
		"system structure description"}
	values     = fileKind{ssv, "ParameterSet", ".ssv", "parameter set"}
	mapping    = fileKind{ssm, "ParameterMapping", ".ssm", "parameter mapping"}
	dictionary = fileKind{ssb, "SignalDictionary", ".ssb", "signal dictionary"}
)

// document is a file, or a document contained in another one.
type document struct {
	kind         fileKind
	home         *container
	name         string // in home
	root         *node
	version      int // major
	units        map[string]fmi.Unit
	enumerations map[string][]item
	ids          map[string]bool
	enclosing    *document
	parameters   []parameter // of a set: the parameters with usable values
}

type item struct {
	name  string
	value int64
}

// place returns the location of an element in the document.
func (d *document) place(n *node) fault.Place {
	p := d.home.place(d.name)
	p.Line, p.Column = n.Line, n.Column
	return p
}

// at returns the location of an element with the name of the object concerned.
func (d *document) at(n *node, object string) fault.Place {
	p := d.place(n)
	p.Object = object
	return p
}

// loader reads a system and collects its faults.
type loader struct {
	options   Options
	findings  finding.List
	tally     finding.Tally
	faults    []error
	further   int // faults beyond mostFaults
	documents map[documentKey]*document
	order     []documentKey // of documents as they were read
	packages  map[documentKey]*container
	fmus      map[documentKey]*fmuFile
	library   map[string]*container // its folders
	system    *System
	depth     int
	nodes     int // number of elements in the tree
	parts     int // connectors, connections and values
	followed  int // connections followed from a destination to its sources
}

type documentKey struct {
	home *container
	name string
}

func newLoader(o Options) *loader {
	return &loader{
		options: o, documents: map[documentKey]*document{}, packages: map[documentKey]*container{},
		fmus:    map[documentKey]*fmuFile{},
		library: map[string]*container{},
		system:  &System{},
	}
}

// find reports a finding with the severity of its rule.
func (l *loader) find(id string, p fault.Place, message, remedy string) {
	l.findAs(severity(id), id, p, message, remedy)
}

func (l *loader) findAs(s finding.Severity, id string, p fault.Place, message, remedy string) {
	l.tally.Add(&l.findings, finding.Finding{ID: id, Severity: s, Place: p, Message: message,
		Remedy: remedy})
}

// stop reports a finding that prevents the system from running as written.
func (l *loader) stop(id string, p fault.Place, message, remedy string) {
	l.find(id, p, message, remedy)
	l.refuse(id, p, message, remedy)
}

// refuse is like stop, but for a cause about which there is a finding already.
func (l *loader) refuse(id string, p fault.Place, message, remedy string) {
	if len(l.faults) == mostFaults {
		l.further++
		return
	}
	l.faults = append(l.faults, refusal(finding.Finding{ID: id, Place: p, Message: message,
		Remedy: remedy}))
}

// mostFaults is the number of faults that an error names.
const mostFaults = 1000

// refused returns all faults as an error.
func (l *loader) refused() error {
	if l.further == 0 {
		return errors.Join(l.faults...)
	}
	return errors.Join(append(l.faults,
		fmt.Errorf("%w: and %d more faults", ErrSystem, l.further))...)
}

// refusal returns a finding as an error.
func refusal(f finding.Finding) error {
	text := strings.ReplaceAll(f.Message, "\n", `\n`) // a name cannot begin a line of its own
	return fault.Wrap(ErrSystem, f.Place, errors.New(text+" ["+f.ID+"]")).WithHint(f.Remedy)
}

// read reads a document of the given kind. If this is not possible, it returns nil and reports the
// reason as a finding of the given rule.
func (l *loader) read(home *container, name string, kind fileKind, from fault.Place,
	rule string) *document {
	key := documentKey{home, name}
	if d, is := l.documents[key]; is {
		return d
	}
	l.order = append(l.order, key)
	text, err := home.read(name)
	if err != nil {
		l.documents[key] = nil
		if errors.Is(err, fs.ErrNotExist) {
			l.stop(rule, from, fmt.Sprintf("%s does not exist%s", name,
				butLike(home.similar(name))), "correct the reference or add the file")
		} else {
			l.stop(rule, from, fmt.Sprintf("%s cannot be read: %v", name, err),
				"write the file again")
		}
		return nil
	}
	d := l.parse(&document{kind: kind, home: home, name: name}, text)
	l.documents[key] = d
	return d
}

func butLike(similar string) string {
	if similar == "" {
		return ""
	}
	return ", but " + similar + " does: the case of letters counts"
}

// parse creates a document from a text; nil if the text is not of the document's kind.
func (l *loader) parse(d *document, text []byte) *document {
	root, wrong := parse(text)
	if wrong != nil {
		p := d.home.place(d.name)
		p.Line, p.Column = wrong.Line, wrong.Column
		l.stop("SSP-X1", p, "not well-formed: "+wrong.Error(), "correct the XML")
		return nil
	}
	d.root = root
	return l.accept(d)
}

// accept checks the root element and validates its whole content with the grammar.
func (l *loader) accept(d *document) *document {
	root := d.root
	if root.Name != d.kind.root || root.Space != d.kind.space {
		l.stop("SSP-X2", d.place(root),
			fmt.Sprintf("the root element is %s of the namespace %q, expected %s of %q",
				root.Name, root.Space, d.kind.root, d.kind.space),
			"correct the namespace or the name of the root element")
		return nil
	}
	d.version = 1
	if strings.HasPrefix(root.Get("version", ""), "2") {
		d.version = 2
	}
	if e := d.enclosing; e != nil && d.version > e.version {
		l.find("SSP-X3", d.place(root),
			fmt.Sprintf("<%s> is of SSP %s in a file of SSP %s: a file has one version", root.Tag(),
				root.Get("version", ""), e.root.Get("version", "")),
			"write one version in both places")
	}
	d.ids = map[string]bool{}
	l.checkGrammar(d)
	d.units, d.enumerations = map[string]fmi.Unit{}, map[string][]item{}
	for _, n := range root.In(d.kind.space, "Units").AllIn(ssc, "Unit") {
		l.unit(d, n)
	}
	for _, n := range root.In(d.kind.space, "Enumerations").AllIn(ssc, "Enumeration") {
		l.enumeration(d, n)
	}
	l.checkContent(d)
	return d
}

func (l *loader) unit(d *document, n *node) {
	name := n.Get("name", "")
	if _, twice := d.units[name]; twice {
		l.find("SSP-S4", d.place(n), fmt.Sprintf("the unit %q is declared twice", name),
			"keep one of them")
		return
	}
	base := n.In(ssc, "BaseUnit")
	u := fmi.Unit{Name: name, Factor: 1}
	if base != nil {
		var e [8]int
		for k, b := range fmi.BaseUnits() {
			e[k], _ = strconv.Atoi(strings.TrimSpace(base.Get(b, "0")))
		}
		u.SetExponents(e)
		u.Factor, u.Offset = l.finite("SSP-U1", d, base, "factor", 1),
			l.finite("SSP-U1", d, base, "offset", 0)
		if u.Factor == 0 {
			l.find("SSP-U1", d.place(base),
				fmt.Sprintf("the unit %q has the factor 0: no value can be converted to it", name),
				"correct the factor")
		}
	}
	d.units[name] = u
}

func (l *loader) enumeration(d *document, n *node) {
	name := n.Get("name", "")
	if _, twice := d.enumerations[name]; twice {
		l.find("SSP-S4", d.place(n), fmt.Sprintf("the enumeration %q is declared twice", name),
			"keep one of them")
		return
	}
	items := []item{}
	for _, i := range n.AllIn(ssc, "Item") {
		v, _ := strconv.ParseInt(strings.TrimSpace(i.Get("value", "")), 10, 64)
		items = append(items, item{i.Get("name", ""), v})
	}
	d.enumerations[name] = items
}

// number returns an attribute as a number, or false without one. A text that is not a number, for
// which the grammar has a finding, stops the system: with any other number it would not do what it
// says.
func (l *loader) number(d *document, n *node, name string) (float64, bool) {
	text, is := n.Attribute(name)
	if !is {
		return 0, false
	}
	v, err := fmi.Real.ParseValue(text)
	if err != nil {
		l.refuse("SSP-X3", d.place(n), fmt.Sprintf("%s=%q, expected a number", name, text),
			"correct the value")
		return 0, false
	}
	return v.(float64), true
}

// finite returns a factor or an offset, which is part of the given rule.
func (l *loader) finite(rule string, d *document, n *node, name string, otherwise float64) float64 {
	x, is := l.number(d, n, name)
	if !is {
		return otherwise
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		l.stop(rule, d.place(n), fmt.Sprintf("%s=%q, expected a finite number", name,
			n.Get(name, "")), "correct the value")
		return otherwise
	}
	return x
}

// truth returns an attribute as a Boolean. Any other text, for which the grammar has a finding,
// stops the system.
func (l *loader) truth(d *document, n *node, name string) bool {
	text := strings.TrimSpace(n.Get(name, "false"))
	if !slices.Contains([]string{"true", "1", "false", "0"}, text) {
		l.refuse("SSP-X3", d.place(n), fmt.Sprintf("%s=%q, expected true or false", name, text),
			"correct the value")
	}
	return isTrue(n, name)
}

func isTrue(n *node, name string) bool {
	text := strings.TrimSpace(n.Get(name, "false"))
	return text == "true" || text == "1"
}
