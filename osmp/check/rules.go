package check

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/osmp"
)

// problem reports a problem of a variable, or of the whole FMU if v is nil.
func (x *examiner) problem(s finding.Severity, rule string, v *archive.Variable, format string,
	values ...any) {
	f := finding.Finding{ID: rule, Severity: s, Place: fault.Place{Entry: "modelDescription.xml"},
		Message: fmt.Sprintf(format, values...)}
	if v != nil {
		f.Place.Object, f.Place.Line, f.Place.Column = v.Name, v.Line, v.Column
	}
	x.report.Problems = append(x.report.Problems, f)
}

// wrong reports a problem of a notional variable at the position of its first part.
func (x *examiner) wrong(rule string, n *Variable, format string, values ...any) {
	x.problem(finding.Error, rule, n.parts[0].Variable, "binary variable %s: "+format,
		append([]any{n.Name}, values...)...)
}

// check applies all rules.
func (x *examiner) check() {
	r := x.report
	x.checkForgotten()
	if len(r.Variables) > 0 || x.marks > 0 {
		x.checkMark()
		x.checkPackaging()
	}
	for k := range r.Variables {
		n := &r.Variables[k]
		x.checkRoles(n)
		x.checkParts(n)
		x.checkAgreement(n)
		x.checkMIMEType(n)
		x.checkName(n)
	}
	x.checkIndices()
	x.checkConfiguration()
}

// strict returns the severity of rules that OSMP 1.0.0 relaxed.
func (x *examiner) strict() finding.Severity {
	if strings.HasPrefix(x.report.Version, "0.") {
		return finding.Error
	}
	return finding.Warning
}

// checkMark applies the rules for the annotation of the FMU as a whole.
func (x *examiner) checkMark() {
	r := x.report
	carriesOSI := slices.ContainsFunc(r.Variables,
		func(n Variable) bool { return strings.HasPrefix(n.MIMEType, osmp.OSIMediaType) })
	switch {
	case x.marks == 0:
		x.problem(finding.Error, "OSMP-A1", nil,
			"there are binary variables, but no <osmp:osmp> annotation of the tool "+
				"%s marks the FMU", osmp.Tool)
		return
	case x.marks > 1:
		x.problem(finding.Error, "OSMP-A1", nil, "%d <osmp:osmp> annotations, expected one",
			x.marks)
	}
	if !isRelease(r.Version) {
		x.problem(finding.Error, "OSMP-A1", nil,
			"the version of OSMP is %q, expected three numbers like 1.6.0", r.Version)
	} else if !slices.Contains(releases, r.Version) {
		x.problem(finding.Warning, "OSMP-A1", nil,
			"gosmp does not know OSMP %s, expected a release up to %s", r.Version,
			releases[len(releases)-1])
	}
	switch {
	case r.OSIVersion == "" && carriesOSI:
		x.problem(x.strict(), "OSMP-A2", nil,
			"no osi-version, expected the release of OSI that the model is compiled against")
	case r.OSIVersion != "" && !isRelease(r.OSIVersion):
		x.problem(finding.Error, "OSMP-A2", nil,
			"osi-version is %q, expected three numbers like 3.8.0", r.OSIVersion)
	}
}

// checkPackaging applies the rules for the FMU as a whole.
func (x *examiner) checkPackaging() {
	m := x.model
	if m.Major() == 1 {
		x.problem(finding.Error, "OSMP-P1", nil, "FMI %s, expected FMI 2.0 or 3.0", m.FMIVersion)
	}
	if m.Interface(fmi.CoSimulation) == nil {
		x.problem(finding.Error, "OSMP-P1", nil, "no co-simulation interface, which OSMP requires")
	}
	if m.VariableNamingConvention != "structured" {
		x.problem(finding.Error, "OSMP-P3", nil,
			"variableNamingConvention is %s, expected structured", m.VariableNamingConvention)
	}
	if step := m.DefaultExperiment.StepSize; step == nil || *step <= 0 {
		x.problem(finding.Warning, "OSMP-P4", nil,
			"no stepSize above 0 in the default experiment: importers do not know how often the "+
				"model has new data")
	}
}

// checkForgotten finds variables that are named like parts of an OSMP binary variable but have no
// annotation.
func (x *examiner) checkForgotten() {
	for k := range x.model.Variables {
		v := &x.model.Variables[k]
		if slices.ContainsFunc(v.Annotations,
			func(a fmi.Annotation) bool { return a.Tool == osmp.Tool }) {
			continue
		}
		for _, role := range []osmp.Role{osmp.BaseLo, osmp.BaseHi, osmp.Size} {
			prefix, found := strings.CutSuffix(v.Name, "."+string(role))
			if found && isNamed(prefix) {
				x.problem(finding.Error, "OSMP-A3", v,
					"named like part of an OSMP binary variable, but without its annotation")
			}
		}
		if v.Type == fmi.Binary && isNamed(v.Name) {
			x.problem(finding.Error, "OSMP-A3", v,
				"named like an OSMP binary variable, but without its annotation")
		}
	}
}

// isNamed reports whether OSMP defines a name.
func isNamed(name string) bool {
	_, known := osmp.Named(name)
	return known
}

// checkRoles requires each of the three roles exactly once, or the role full exactly once.
func (x *examiner) checkRoles(n *Variable) {
	count := map[osmp.Role]int{}
	for _, p := range n.parts {
		count[p.role]++
	}
	wanted := []osmp.Role{osmp.BaseLo, osmp.BaseHi, osmp.Size}
	if count[osmp.Full] > 0 {
		wanted = []osmp.Role{osmp.Full}
		if len(count) > 1 {
			x.wrong("OSMP-A8", n,
				"role full next to base.lo, base.hi or size, expected either one Binary or "+
					"three integers")
		}
		if x.model.Major() < 3 {
			x.wrong("OSMP-A3", n,
				"role full, which needs the Binary variables of FMI 3.0, in FMI %s",
				x.model.FMIVersion)
		}
	}
	for _, role := range wanted {
		switch {
		case count[role] == 0:
			x.wrong("OSMP-A8", n, "no variable has the role %s, expected one named %s.%s", role,
				n.Name, role)
		case count[role] > 1:
			x.wrong("OSMP-A8", n, "%d variables have the role %s, expected one", count[role], role)
		}
	}
	x.checkReferences(n)
}

// checkReferences reports integers that share one variable.
func (x *examiner) checkReferences(n *Variable) {
	seen := map[uint32]string{}
	for _, p := range n.parts {
		if other, twice := seen[p.ValueReference]; twice && other != p.Name {
			x.problem(finding.Error, "OSMP-B2", p.Variable,
				"has the valueReference %d of %s, expected three different integers",
				p.ValueReference, other)
		}
		seen[p.ValueReference] = p.Name
	}
}

// checkParts applies the rules for each actual variable.
func (x *examiner) checkParts(n *Variable) {
	for _, p := range n.parts {
		name, kind := p.prefix+"."+string(p.role), fmi.Integer
		switch {
		case p.role == osmp.Full:
			name, kind = p.prefix, fmi.Binary
		case x.model.Major() >= 3:
			kind = fmi.Int32
		}
		if p.Name != name {
			x.problem(finding.Error, "OSMP-A9", p.Variable,
				"the annotation has the name %s and the role %s, expected "+
					"the variable to be named %s",
				p.prefix, p.role, name)
		}
		if p.Type != kind {
			x.problem(finding.Error, "OSMP-B2", p.Variable, "a variable of type %s, expected %s",
				p.Type, kind)
		}
		x.checkStart(p)
		x.checkBounds(p)
	}
}

// checkBounds reports bounds that exclude values of an address or a size: an address may have any
// bits, and its halves are signed.
func (x *examiner) checkBounds(p part) {
	low, hasLow := bound(p.Min)
	high, hasHigh := bound(p.Max)
	switch {
	case p.role == osmp.Full:
	case p.role == osmp.Size && hasLow && low > 0:
		x.problem(finding.Error, "OSMP-B5", p.Variable,
			"min is %q, expected 0 or no min: the size 0 means that there is no data", p.Min)
	case p.role == osmp.Size && hasHigh && high <= 0:
		x.problem(finding.Error, "OSMP-B5", p.Variable,
			"max is %q, expected no max: the size of a message may be any positive number", p.Max)
	case p.role != osmp.Size && (hasLow && low > math.MinInt32 || hasHigh && high < math.MaxInt32):
		x.problem(finding.Error, "OSMP-B3", p.Variable,
			"min is %q and max is %q, expected no bounds: the halves of an address may have any "+
				"value, also a negative one", p.Min, p.Max)
	}
}

// bound parses a minimum or maximum; ok is false if there is none.
func bound(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil
}

// checkStart requires a start value that means "no data", unless FMI forbids a start value.
func (x *examiner) checkStart(p part) {
	empty, wanted := func(text string) bool {
		n, err := strconv.ParseInt(text, 10, 64)
		return err == nil && n == 0
	}, "0"
	if p.role == osmp.Full {
		empty, wanted = func(text string) bool { return text == "" }, "an empty one"
	}
	switch {
	case len(p.Start) == 0 && p.Initial == fmi.Calculated: // FMI forbids a start value
	case len(p.Start) == 0:
		x.problem(finding.Error, "OSMP-B7", p.Variable,
			"no start value, expected %s, which means that there is no data", wanted)
	case !empty(strings.TrimSpace(p.Start[0])):
		x.problem(finding.Error, "OSMP-B7", p.Variable,
			"the start value is %s, expected %s, which means that there is no data", p.Start[0],
			wanted)
	}
}

// checkAgreement requires that all parts agree.
func (x *examiner) checkAgreement(n *Variable) {
	first := n.parts[0]
	for _, p := range n.parts[1:] {
		if p.Causality != first.Causality || p.Variability != first.Variability {
			x.problem(finding.Error, "OSMP-B6", p.Variable,
				"%s and %s, but %s is %s and %s: causality and variability have to be equal",
				p.Causality, p.Variability, first.Name, first.Causality, first.Variability)
		}
		if p.mimeType != first.mimeType {
			x.problem(finding.Error, "OSMP-A7", p.Variable,
				"the MIME type is %q, but the MIME type of %s is %q: they have to be equal",
				p.mimeType, first.Name, first.mimeType)
		}
	}
	if first.role == osmp.Full && first.typed && first.mimeType != first.MIMEType {
		x.wrong("OSMP-A7", n,
			"the MIME type is %q in the annotation and %q in the variable, expected the same",
			first.mimeType, first.MIMEType)
	}
}

// checkMIMEType applies the rules for the MIME type and reads the message from it.
func (x *examiner) checkMIMEType(n *Variable) {
	if !n.parts[0].typed {
		x.wrong("OSMP-A3", n, "the annotation has no mime-type")
	}
	media, parameters, ok := osmp.ParseMIMEType(n.MIMEType)
	if !ok {
		if n.parts[0].typed {
			x.wrong("OSMP-A4", n, "%q is not a MIME type, expected type/subtype; name=value",
				n.MIMEType)
		}
		return
	}
	if k, isKnown := osmp.Named(n.Name); isKnown && (media != osmp.OSIMediaType ||
		parameters["type"] != k.Message) {
		x.wrong(rulesOf(k).mimeType, n,
			"the MIME type is %q, expected %s; type=%s by the name%s", n.MIMEType,
			osmp.OSIMediaType, k.Message, rulesOf(k).section)
	}
	if media != osmp.OSIMediaType {
		return
	}
	x.checkParameters(n, parameters)
	version := parameters["version"]
	switch {
	case parameters["type"] == "":
		x.wrong("OSMP-A5", n,
			"the MIME type %q does not name a message, expected type=SensorView or another one",
			n.MIMEType)
	case version == "" && x.report.OSIVersion == "":
		x.wrong("OSMP-A6", n, "neither the MIME type nor osi-version names an OSI release")
	case version != "" && !isRelease(version):
		x.wrong("OSMP-A5", n, "the MIME type has version=%s, expected three numbers like 3.8.0",
			version)
	case version != "" && x.report.OSIVersion != "" && version != x.report.OSIVersion:
		x.problem(x.strict(), "OSMP-A6", n.parts[0].Variable,
			"binary variable %s: the MIME type has OSI %s, but osi-version is %s",
			n.Name, version, x.report.OSIVersion)
	}
}

// checkParameters reports parameters of an OSI MIME type that OSMP does not define, and messages
// that do not exist.
func (x *examiner) checkParameters(n *Variable, parameters map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if name != "type" && name != "version" {
			x.problem(finding.Warning, "OSMP-A5", n.parts[0].Variable, "binary variable %s: the "+
				"MIME type has the parameter %s, expected only type and version", n.Name, name)
		}
	}
	if message := parameters["type"]; message != "" && !slices.Contains(topLevel, message) {
		x.problem(finding.Warning, "OSMP-A5", n.parts[0].Variable, "binary variable %s: the MIME "+
			"type has type=%s, expected a top-level message of OSI, such as SensorView", n.Name,
			message)
	}
}

// checkName applies the rules that follow from the name.
func (x *examiner) checkName(n *Variable) {
	if !fmi.IsStructuredName(n.Name) {
		x.wrong("OSMP-B1", n, "%q is not a structured name", n.Name)
	}
	if v := x.actual[n.Name]; v != nil && n.parts[0].role != osmp.Full {
		x.problem(finding.Error, "OSMP-B9", v,
			"has the name of a binary variable, which no variable may have")
	}
	k, isKnown := osmp.Named(n.Name)
	switch {
	case !isKnown && strings.HasPrefix(n.Name, "OSMP"):
		x.problem(finding.Warning, "OSMP-K4", n.parts[0].Variable,
			"binary variable %s: a name that no OSMP release defines", n.Name)
	case isKnown && n.Causality != k.Causality:
		x.wrong(rulesOf(k).words, n, "causality is %s, expected %s by the name%s", n.Causality,
			k.Causality, rulesOf(k).section)
	case isKnown && !slices.Contains(k.Variabilities(), n.Variability):
		x.wrong(rulesOf(k).words, n, "variability is %s, expected %s by the name%s",
			n.Variability, join(k.Variabilities()), rulesOf(k).section)
	}
}

func join(words []fmi.Variability) string {
	var list []string
	for _, w := range words {
		list = append(list, string(w))
	}
	return strings.Join(list, " or ")
}
