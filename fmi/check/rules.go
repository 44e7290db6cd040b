package check

import (
	"fmt"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// clauses maps each rule to its clauses in FMI 1.0, 2.0.5 and 3.0.2. The rules themselves are in
// docs/FMU_RULES.md.
var clauses = map[string][3]string{
	"Z1": {"4", "2.3", "2.5.1"}, "Z2": {"4", "2.3", "2.5.1"}, "Z3": {"4", "2.3", "2.5.1"},
	"Z4": {"4", "2.3", "2.5.1"}, "Z5": {"4", "2.3", "2.5.1"}, "Z6": {"4", "2.3", "2.5.1"},
	"Z7": {"4", "2.3", "2.5.1"}, "Z8": {"4", "2.3", "2.6"},
	"X1": {"3", "2.2", "2.4"}, "X2": {"3.1", "2.2.1", "2.4.1"}, "X3": {"3.1", "2.2.1", "2.4.1"},
	"X4": {"3.1", "4.3.1", "2.4.2"}, "X5": {"3.1", "2.2.1", "2.4.1"},
	"X6": {"3", "2.2.1", "2.4.1"}, "X7": {"3", "2.2", "2.4"}, "X8": {"3.1", "2.2.1", "2.4.1"},
	"X9": {"3.5", "2.2.6", "2.4.10"},
	"V1": {"3.4", "2.2.7", "2.4.7.4"}, "V2": {"3.4", "2.2.7", "2.4.7.4"},
	"V3": {"3.4", "2.2.7", "2.4.7.4"}, "V4": {"3.4", "2.2.7", "2.4.7.4"},
	"V5": {"3.4", "2.2.7", "2.4.7.4"}, "V6": {"3.4", "2.2.7", "2.4.7.4"},
	"V7": {"3.4", "2.2.7", "2.4.7.4"}, "V8": {"3.4", "2.2.7", "2.4.7"},
	"V9": {"3.4", "2.2.7", "2.4.7.2"}, "V10": {"3.4", "2.2.7", "2.4.7.4"},
	"V11": {"3.4", "2.2.7", "2.4.7.3"}, "V12": {"3.4", "2.2.7", "2.4.7.3"},
	"V13": {"3.4", "2.2.7", "2.4.7.4"}, "V14": {"3.4", "2.2.9", "2.4.7.5"},
	"V15": {"3.4", "2.2.7", "2.4.7.4"}, "V16": {"3.4", "2.2.7", "2.4.7.4"},
	"V17": {"3.4", "2.2.7", "2.4.7.4"}, "V18": {"3.4", "2.2.7", "2.4.7.4"},
	"U1": {"3.2", "2.2.2", "2.4.3"}, "U2": {"3.2", "2.2.2", "2.4.3"},
	"T1": {"3.3", "2.2.3", "2.4.4"}, "T2": {"3.3", "2.2.3", "2.4.4"},
	"T3": {"3.3", "2.2.3", "2.4.4"}, "T4": {"3.3", "2.2.3", "2.4.4"},
	"L1": {"3.1", "2.2.4", "2.4.5"}, "E1": {"3.1", "2.2.5", "2.4.6"},
	"E2": {"3.1", "2.2.5", "2.4.6"},
	"M1": {"3", "2.2.8", "2.4.8"}, "M2": {"3", "2.2.8", "2.4.8"}, "M3": {"3", "2.2.8", "2.4.8"},
	"M4": {"3", "2.2.8", "2.4.8"}, "M5": {"3", "2.2.8", "2.4.8"}, "M6": {"3", "2.2.8", "2.4.8"},
	"M7": {"3", "2.2.8", "2.4.8"}, "M8": {"3", "2.2.8", "2.4.8"},
	"C1": {"3.6", "4.3.1", "4.4"}, "C2": {"3.6", "4.3.1", "4.4"}, "C3": {"3.6", "4.3.1", "4.4"},
	"C4": {"3.6", "4.3.1", "2.4.7.4"}, "C5": {"3.6", "4.3.1", "4.4"},
	"D1": {"4", "2.3", "2.5.1"}, "D2": {"4", "2.3", "2.5.1"}, "D3": {"4", "2.3", "2.5.1"},
	"D4": {"4", "2.3", "2.4.9"}, "D5": {"4", "2.3", "2.5.1"}, "D6": {"4", "2.3", "2.5.1"},
	"B1": {"4", "2.3", "2.5.1"}, "B2": {"4", "2.3", "2.5.1"}, "B3": {"4", "2.3", "2.5.1"},
	"B4": {"2.1", "2.1.2", "2.2"}, "B5": {"2.1", "2.1.2", "2.2"}, "B6": {"4", "2.3", "2.5.1"},
	"B7": {"4", "2.3", "2.5.1"}, "B8": {"4", "2.3", "2.5.1"}, "B9": {"4", "2.3", "2.5.1"},
	"B10": {"4", "2.3", "2.5.1"}, "B11": {"4", "2.3", "2.5.1"}, "B12": {"4", "2.3", "2.5.1"},
	"B13": {"4", "2.3", "2.5.1"}, "B14": {"4", "2.3", "2.5.1"}, "B15": {"4", "2.3", "2.5.1"},
}

// releases are the releases of FMI whose clauses are cited.
var releases = [...]string{fmi.FMI1: "FMI 1.0", fmi.FMI2: "FMI 2.0.5", fmi.FMI3: "FMI 3.0.2"}

// Clause returns the clause of a version of FMI for a rule of docs/FMU_RULES.md, such as "FMI
// 2.0.5, 2.2.7"; it returns an empty string for a row that is not on that page.
func Clause(v fmi.Version, row string) string {
	c, known := clauses[row]
	if !known {
		return ""
	}
	return releases[v] + ", " + c[v-1]
}

// ID returns the id of a rule in findings about FMUs of the given version, such as "FMI2-V3".
func ID(v fmi.Version, row string) string { return fmt.Sprintf("FMI%d-%s", v, row) }

// fact describes a breach of a rule: its subject, what was found, what was expected, and how to
// repair it. Empty parts are omitted.
type fact struct{ what, found, expected, remedy string }

func (f fact) message() string {
	text, lead := f.what, ": "
	for _, part := range [...]string{word("found ", f.found), word("expected ", f.expected)} {
		if part != "" {
			text, lead = text+lead+part, ", "
		}
	}
	return text
}

func word(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// reporter collects findings for one FMU.
type reporter struct {
	major fmi.Version
	notes bool   // whether to report findings that apply to most FMUs
	row   string // row of all findings, unless empty
	list  finding.List
	tally finding.Tally
}

func (r *reporter) add(s finding.Severity, row string, place fault.Place, f fact) {
	if r.row != "" {
		row = r.row
	}
	r.tally.Add(&r.list, finding.Finding{
		ID: ID(r.major, row), Severity: s, Place: place, Clause: Clause(r.major, row),
		Message: archive.Plain(f.message()), Found: archive.Plain(f.found),
		Expected: archive.Plain(f.expected), Remedy: archive.Plain(f.remedy),
	})
}

func (r *reporter) error(row string, place fault.Place, f fact) {
	r.add(finding.Error, row, place, f)
}

func (r *reporter) warn(row string, place fault.Place, f fact) {
	r.add(finding.Warning, row, place, f)
}

func (r *reporter) note(row string, place fault.Place, f fact) {
	r.add(finding.Note, row, place, f)
}

// remark adds a note that applies to most FMUs and is therefore reported only on request.
func (r *reporter) remark(row string, place fault.Place, f fact) {
	if r.notes {
		r.note(row, place, f)
	}
}

// quoted shortens and quotes a text for use in messages.
func quoted(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}

// nearest returns the most similar name, or an empty string if no name is similar.
func nearest(name string, names []string) string {
	if near := similar.Names(name, names); len(near) > 0 {
		return near[0]
	}
	return ""
}

// listed returns the first names of a list, and the number of remaining names.
func listed(names []string) string {
	const most = 5
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}
