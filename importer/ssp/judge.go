package ssp

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/finding"
	"gosmp/timebase"
)

// checkPackage checks the entries of a package (SSP 2.0, 3).
func (l *loader) checkPackage(c *container) {
	if !c.packed() {
		return
	}
	for _, f := range c.zip.File {
		place := c.place(archive.Plain(f.Name))
		bad := func(format string, args ...any) {
			l.find("SSP-Z1", place, fmt.Sprintf(format, args...), "pack the files again")
		}
		if first := c.byName[f.Name]; first != f && !archive.Same(first, f) {
			bad("the name occurs twice, with different content")
		}
		switch {
		case f.Method != zip.Store && f.Method != zip.Deflate:
			bad("compressed by method %d, expected 0 or 8", f.Method)
		case f.Flags&1 != 0:
			bad("encrypted")
		case f.ReaderVersion > 20:
			bad("needs version %d.%d of zip to unpack, expected at most 2.0", f.ReaderVersion/10,
				f.ReaderVersion%10)
		case strings.Contains(f.Name, `\`) || strings.HasPrefix(f.Name, "/") ||
			slices.Contains(strings.Split(f.Name, "/"), ".."):
			bad("the name is not a path inside the package")
		case f.Mode()&fs.ModeSymlink != 0:
			bad("a symbolic link")
		case !utf8.ValidString(f.Name) || f.NonUTF8 && !isASCII(f.Name):
			bad("the name is not encoded in UTF-8")
		}
		l.checkPosition(c, f.Name)
	}
	l.checkVariants(c)
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f })
}

// checkPosition reports files in places not intended by SSP.
func (l *loader) checkPosition(c *container, name string) {
	folder, _, inside := strings.Cut(name, "/")
	ending := strings.ToLower(path.Ext(name))
	switch {
	case inside && folder != "resources" && folder != "documentation" && folder != "extra":
		if strings.HasSuffix(name, "/") || !slices.Contains([]string{".fmu", ".ssv", ".ssm", ".ssb",
			".ssp"}, ending) {
			return
		}
		fallthrough
	case !inside && ending != ".ssd":
		if !strings.HasSuffix(name, "/") {
			l.find("SSP-Z3", c.place(name), "it is outside resources/",
				"move it to resources/, and update the references")
		}
	}
}

// checkVariants reports descriptions with the same name, because users choose variants by name.
func (l *loader) checkVariants(c *container) {
	names := map[string]string{}
	for _, entry := range c.descriptions() {
		text, err := c.read(entry)
		if err != nil {
			continue
		}
		root, wrong := parse(text)
		if wrong != nil || root.Name != description.root || !strings.HasPrefix(root.Get("version",
			""), "2") {
			continue
		}
		name := root.Get("name", "")
		if other := names[name]; other != "" {
			l.find("SSP-Z1", c.place(entry),
				fmt.Sprintf("the description has the name %q, like %s", name, other),
				"give each variant a different name")
		}
		names[name] = entry
	}
}

// comparePort compares a connector with the FMU's variable.
func (l *loader) comparePort(e *element, p *port) {
	c := p.connector
	c.Variable = e.fmu.variable(c.Name)
	if c.Variable == nil {
		if m, is := e.fmu.messagesByName()[c.Name]; is {
			l.compareMessage(p, m)
			return
		}
		var names []string
		for _, v := range e.fmu.fmu.Model.Variables {
			names = append(names, v.Name)
		}
		id := "SSP-S6"
		if c.Type == fmi.Binary && e.fmu.fmu.Model.Major() < fmi.FMI3 {
			id = "SSP-O2"
		}
		l.stop(id, c.Place, fmt.Sprintf("the FMU has no variable %q%s", c.Name, didYouMean(c.Name,
			names)), "correct the name of the connector")
		return
	}
	l.compareVariable(p, c.Variable)
}

func (l *loader) compareMessage(p *port, m message) {
	c := p.connector
	if c.Kind != m.kind && c.Kind != Unspecified {
		l.find("SSP-S6", c.Place,
			fmt.Sprintf("%s is of kind %s, but the FMU's message is of kind %s", c.Name, c.Kind,
				m.kind), "correct the kind")
	}
	if c.Type != fmi.Binary && c.Type != 0 {
		l.find("SSP-S6", c.Place, fmt.Sprintf("%s is of type %s, but a message is Binary",
			c.Name, c.Type), "write Binary")
	}
	l.sameMessage(c.MIMEType, m.mime, c.Place)
}

func (l *loader) compareVariable(p *port, v *archive.Variable) {
	c := p.connector
	if !kindMatches(c.Kind, v) && p.owner.fmu.fmu.Model.Major() > fmi.FMI1 {
		l.find("SSP-S6", c.Place,
			fmt.Sprintf("%s is of kind %s, but the FMU's variable is of kind %s", c.Name, c.Kind,
				causality(v)), "correct the kind")
	}
	if c.Type == 0 {
		return
	}
	if plainType(c.Type) != plainType(v.Type) {
		l.find("SSP-S6", c.Place,
			fmt.Sprintf("%s is of type %s, but the FMU's variable is of type %s", c.Name, c.Type,
				v.Type), "correct the type")
	}
	if n, m := len(c.Dimensions), len(v.Dimensions); n != m {
		l.find("SSP-S6", c.Place,
			fmt.Sprintf("%s has %d dimensions, and the variable of the FMU %d", c.Name, n, m),
			"correct the dimensions")
		return
	}
	for k, d := range v.Dimensions {
		if d.Start != nil && c.Dimensions[k] != 0 && c.Dimensions[k] != *d.Start {
			l.find("SSP-S6", c.Place, fmt.Sprintf("dimension %d of %s is %d, and %d in the FMU",
				k+1, c.Name, c.Dimensions[k], *d.Start), "correct the size")
		}
	}
	if has := fmuUnit(p.owner, c); has.ok {
		if stated, declared := p.doc.units[c.Unit]; declared {
			l.compareUnits(p, stated, has.unit)
		}
	}
}

// compareUnits reports a connector whose unit differs from the unit of its variable.
func (l *loader) compareUnits(p *port, stated, has fmi.Unit) {
	_, _, ok := stated.Conversion(has)
	switch {
	case !ok:
		l.find("SSP-U1", p.connector.Place,
			fmt.Sprintf("%s is in %s, and in %s in the FMU: the dimensions differ",
				p.connector.Name,
				unitText(stated), unitText(has)), "write the unit of the FMU")
	case !isSame(stated, has):
		l.find("SSP-U2", p.connector.Place, fmt.Sprintf("%s is in %s, and in %s in the FMU",
			p.connector.Name, unitText(stated), unitText(has)),
			"write the unit of the FMU: the connection converts")
	}
}

func causality(v *archive.Variable) string {
	if v.Variability == fmi.Constant {
		return string(v.Causality) + ", constant"
	}
	return string(v.Causality)
}

func kindMatches(k Kind, v *archive.Variable) bool {
	return k == Unspecified || string(k) == string(v.Causality) ||
		k == Constant && v.Variability == fmi.Constant
}

// compareInterface compares the connectors of a component with the connectors of the system that
// replaces it.
func (l *loader) compareInterface(e, s *element) {
	for _, n := range e.node.In(ssd, "Connectors").AllIn(ssd, "Connector") {
		name, kind := n.Get("name", ""), Kind(n.Get("kind", ""))
		p := s.portByName[name]
		switch {
		case p == nil:
			var names []string
			for _, p := range s.ports {
				names = append(names, p.connector.Name)
			}
			l.stop("SSP-S6", e.doc.at(n, s.label()),
				fmt.Sprintf("the system of the component has no connector %q%s", name,
					didYouMean(name, names)), "correct the name of the connector")
		case p.connector.Kind != kind:
			l.find("SSP-S6", e.doc.at(n, s.label()),
				fmt.Sprintf("%s is of the kind %s, but in the "+
					"system of the component it is %s", name,
					kind,
					p.connector.Kind), "correct the kind")
		}
	}
}

// judge looks for problems that do not prevent reading the system.
func (l *loader) judge(top *element) {
	l.judgeRequests(top)
	l.judgeNames(top, 0)
	for _, e := range top.leaves() {
		l.judgeTypes(e)
		l.judgeFiles(e)
	}
	if len(l.faults) > 0 {
		return // unconnected or unused connectors may be mistakes
	}
	if len(top.leaves()) == 0 {
		l.find("SSP-S11", top.place(), "the system has no component", "add one, with an FMU")
	}
	for _, e := range top.leaves() {
		l.judgeInputs(e)
	}
	l.judgeLoops()
	l.judgeUse()
}

var plainName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_]+$`)
})

// judgeNames reports names and nesting that some tools reject.
func (l *loader) judgeNames(e *element, level int) {
	for _, c := range e.children {
		if !plainName().MatchString(c.name) {
			l.find("SSP-S9", c.place(),
				fmt.Sprintf("the name %q contains characters other "+
					"than letters, digits and _", c.name),
				"some tools refuse it: OMSimulator did so with a hyphen")
		}
		if c.system {
			if level == 1 {
				l.find("SSP-S9", c.place(),
					"a system in a system in a system: libcosim and OpenMCx read one level",
					"flatten it with gosmp convert")
			}
			l.judgeNames(c, level+1)
		}
	}
}

// judgeTypes reports missing content that is optional but that tools rely on.
func (l *loader) judgeTypes(e *element) {
	var without []string
	for _, p := range e.ports {
		if p.connector.Type == 0 {
			without = append(without, p.connector.Name)
		}
	}
	if len(without) > 0 {
		l.find("SSP-S3", e.place(), fmt.Sprintf("%s without a type: %s", plural(len(without),
			"connector"), few(without)),
			"add <ssc:Real/> or the like: libcosim and OMSimulator expect it")
	}
	if e.fmu != nil && len(e.fmu.fmu.Model.Interfaces) > 1 && e.component.Mode == "any" {
		l.find("SSP-S3", e.place(),
			"the FMU has several interfaces, and the component does not select one",
			`write implementation="CoSimulation"`)
	}
	if _, stated := e.node.Attribute("type"); !stated && e.component.Source != "" &&
		!strings.EqualFold(path.Ext(e.component.Source), ".fmu") {
		l.find("SSP-S3", e.place(), fmt.Sprintf("no type, and the source %q does not end in .fmu",
			e.component.Source), "write type=\""+e.component.Type+`"`)
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func few(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + " ..."
	}
	return strings.Join(names, ", ")
}

// judgeInputs reports inputs that keep their start values.
func (l *loader) judgeInputs(e *element) {
	var open []string
	for _, p := range e.ports {
		given := slices.ContainsFunc(e.component.Starts,
			func(s Start) bool { return s.Variable == p.connector.Name })
		if p.kind() == Input && len(p.outside.all) == 0 && !given {
			open = append(open, p.connector.Name)
		}
	}
	if len(open) > 0 {
		l.find("SSP-S10", e.place(), fmt.Sprintf("%s without connection or value: %s",
			plural(len(open), "input"), few(open)),
			"connect it, or give it a start value")
	}
}

// judgeLoops reports components that depend on each other.
func (l *loader) judgeLoops() {
	for _, loop := range l.system.Loops() {
		l.find("SSP-S10", l.system.Component(loop[0]).Place,
			fmt.Sprintf("a loop: %s; one of its connections lags by a step", strings.Join(loop,
				", ")),
			"check that the lag is intended, or run it with --algorithm parallel")
	}
}

// judgeUse reports files in a package that nothing refers to.
func (l *loader) judgeUse() {
	for _, c := range l.system.packages {
		if !c.packed() || c.within != "" {
			continue
		}
		for _, f := range c.zip.File {
			switch strings.ToLower(path.Ext(f.Name)) {
			case ".fmu", ".ssv", ".ssm", ".ssb", ".ssp":
				if !c.used[f.Name] && len(c.descriptions()) == 1 {
					l.find("SSP-S10", c.place(f.Name), "it is not referenced",
						"remove it, or refer to it")
				}
			}
		}
	}
}

// checkExperiment reports missing settings that the user must provide to run the system.
func (l *loader) checkExperiment(n *node, noted Step) {
	x := l.system.Experiment
	switch {
	case n == nil:
		l.find("SSP-E1", x.Place, "no DefaultExperiment: start and stop times depend on the tool",
			"add <ssd:DefaultExperiment startTime=\"0\" stopTime=\"...\"/>")
	case n.Get("stopTime", "") == "":
		l.find("SSP-E1", x.Place, "no stopTime: the length of the run depends on the tool",
			"add stopTime")
	case x.Stop == nil: // there is a finding about its text
	case !timebase.InRange(startOf(x)) || !timebase.InRange(*x.Stop):
		l.find("SSP-E1", x.Place, fmt.Sprintf("from startTime %s to stopTime %s, expected times "+
			"of a clock in nanoseconds, below 9.2e9 s", plain(startOf(x)), plain(*x.Stop)),
			"correct the times")
	case *x.Stop <= startOf(x):
		l.find("SSP-E1", x.Place, fmt.Sprintf("stopTime %s is not after startTime %s",
			plain(*x.Stop), plain(startOf(x))), "correct the times")
	}
	if noted.Seconds > 0 {
		l.findAs(finding.Note, "SSP-E1", noted.Place,
			fmt.Sprintf("the step size %s s is given only in an %s, which few tools read",
				plain(noted.Seconds),
				noted.Origin), "give it on the command line of other tools")
	}
}

func startOf(x Experiment) float64 {
	if x.Start == nil {
		return 0
	}
	return *x.Start
}
