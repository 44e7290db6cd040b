package ssp

import (
	"slices"

	"gosmp/internal/finding"
)

// Rule is a rule that [Check] applies.
type Rule struct {
	ID       string
	Severity finding.Severity // of most findings; a few cases are milder or more severe
	Title    string
}

// rules lists all rules, in the order of the reference.
var rules = []Rule{
	{"SSP-Z1", finding.Error,
		"The package is not a valid zip file for SSP, or a name occurs " +
			"twice with different content"},
	{"SSP-Z2", finding.Error, "The package has no SystemStructure.ssd in its root"},
	{"SSP-Z3", finding.Warning, "A file is in a location not defined by " +
		"SSP: tools may not find it"},
	{"SSP-X1", finding.Error, "The document is not well-formed XML"},
	{"SSP-X2", finding.Error,
		"An element or attribute does not exist in SSP, or has the wrong namespace"},
	{"SSP-X3", finding.Error,
		"The document violates the schema: order, number, required attributes, values, version"},
	{"SSP-X4", finding.Warning, "A prefix is not the usual one: some tools compare prefixes"},
	{"SSP-S1", finding.Error, "A source does not exist"},
	{"SSP-S2", finding.Error, "A source is absolute or leaves the folder"},
	{"SSP-S3", finding.Warning, "An optional part on which tools rely is missing"},
	{"SSP-S4", finding.Error, "A name is empty or duplicate, or a connection leads nowhere"},
	{"SSP-S5", finding.Error, "A connection joins incompatible connectors, or is redundant"},
	{"SSP-S6", finding.Error, "A connector differs from the variable of the FMU"},
	{"SSP-S7", finding.Error, "The FMU cannot be run in the way that the component requires"},
	{"SSP-F1", finding.Warning, "The FMU of a component violates FMI or OSMP rules"},
	{"SSP-S8", finding.Warning, "A connection is written in a way that some tools misread"},
	{"SSP-S9", finding.Warning, "A name or nesting that some tools refuse"},
	{"SSP-S10", finding.Note, "An element is not connected, not used, or part of a loop"},
	{"SSP-S11", finding.Error, "The system has no component, so that nothing can be run"},
	{"SSP-S12", finding.Warning, "A transformation turns every value into the same one"},
	{"SSP-P1", finding.Error, "A parameter binding has no readable source"},
	{"SSP-P2", finding.Warning, "A parameter or mapping has no settable target"},
	{"SSP-P3", finding.Error, "A parameter has a value of the wrong type, length or range"},
	{"SSP-P4", finding.Warning, "Two bindings set one variable to different values"},
	{"SSP-P5", finding.Warning,
		"A parameter looks like a path, for which SSP defines no base"},
	{"SSP-P6", finding.Warning, "A parameter names a file that the FMU cannot read"},
	{"SSP-U1", finding.Error, "A unit is not declared, or two units are of different dimensions"},
	{"SSP-U2", finding.Warning, "Units are probably wrong"},
	{"SSP-E1", finding.Warning, "The experiment does not define how to run the system"},
	{"SSP-O1", finding.Error,
		"An OSMP message is connected partially, from two sources, or crosswise"},
	{"SSP-O2", finding.Error, "An OSMP message is connected to an incompatible connector"},
	{"SSP-O3", finding.Warning, "An OSMP configuration request has no answer"},
}

// Rules lists all rules that [Check] applies.
func Rules() []Rule { return slices.Clone(rules) }

func severity(id string) finding.Severity {
	k := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	return rules[k].Severity
}
