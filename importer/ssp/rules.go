package ssp

import (
	"slices"

	"gosmp/internal/finding"
)

// Rule is a rule that [Check] checks.
type Rule struct {
	ID       string
	Severity finding.Severity // of most findings; a few cases of a rule are milder or more severe
	Title    string
}

// rules lists all rules, in the order of the reference.
var rules = []Rule{
	{"SSP-Z1", finding.Error,
		"The package is not a zip file that SSP allows, or a name occurs twice with " +
			"different content"},
	{"SSP-Z2", finding.Error, "The package has no SystemStructure.ssd in its root"},
	{"SSP-Z3", finding.Warning, "A file lies where SSP does not put it: tools may not find it"},
	{"SSP-X1", finding.Error, "The document is not well-formed XML"},
	{"SSP-X2", finding.Error,
		"An element or attribute is not one of SSP, or has the wrong namespace"},
	{"SSP-X3", finding.Error,
		"The document breaks the schema: order, number, required attributes, values, version"},
	{"SSP-X4", finding.Warning, "A prefix is not the usual one: some tools compare prefixes"},
	{"SSP-S1", finding.Error, "A source does not exist"},
	{"SSP-S2", finding.Error, "A source is absolute or leaves the folder"},
	{"SSP-S3", finding.Warning, "Something optional is missing that tools rely on"},
	{"SSP-S4", finding.Error, "A name is empty or double, or a connection leads to nothing"},
	{"SSP-S5", finding.Error, "A connection joins connectors that do not fit, or is one too many"},
	{"SSP-S6", finding.Error, "A connector differs from the variable of the FMU"},
	{"SSP-S7", finding.Error, "The FMU cannot be run in the way that the component requires"},
	{"SSP-F1", finding.Warning, "The FMU of a component breaks rules of FMI or OSMP"},
	{"SSP-S8", finding.Warning, "A connection is written in a way that some tools misread"},
	{"SSP-S9", finding.Warning, "A name or nesting that some tools refuse"},
	{"SSP-S10", finding.Note, "Something is not connected, not used, or in a loop"},
	{"SSP-P1", finding.Error, "A parameter binding has no readable source"},
	{"SSP-P2", finding.Warning, "A parameter or mapping meets nothing that can be set"},
	{"SSP-P3", finding.Error, "A parameter has a value of the wrong type, length or range"},
	{"SSP-P4", finding.Warning, "Two bindings set one variable to different values"},
	{"SSP-P5", finding.Warning,
		"A parameter looks like a path, which SSP resolves against nothing"},
	{"SSP-U1", finding.Error, "A unit is not declared, or two units are of different dimensions"},
	{"SSP-U2", finding.Warning, "Units that are probably not meant"},
	{"SSP-E1", finding.Warning, "The experiment does not say how to run the system"},
	{"SSP-O1", finding.Error,
		"A message of OSMP is connected in part, from two sources, or crosswise"},
	{"SSP-O2", finding.Error, "A message of OSMP is connected to something else"},
	{"SSP-O3", finding.Warning, "A configuration request of OSMP has no answer"},
}

// Rules lists all rules that [Check] knows.
func Rules() []Rule { return slices.Clone(rules) }

func severity(id string) finding.Severity {
	k := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	return rules[k].Severity
}
