package examinationpage_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
	"gosmp/report/examinationpage"
)

func TestWrite_SaysWhatAnAuthorNeeds(t *testing.T) {
	r := &examine.Report{File: "x.fmu", Model: "<Lag>", Version: "2.0", Time: time.Second,
		Verdicts: []examine.Verdict{
			{Rule: examine.Rule{ID: "FMI2-R6", Says: "it resets", Clause: "FMI 2.0.5, 2.1.6",
				Severity: finding.Error, Suffers: "sweeps"}, Outcome: examine.Refuted,
				Found: "k is <1>", Expected: "0", Calls: []string{"fmi2Reset(c1)"},
				Program: "int main(void) { return 1 < 2; }"},
			{Rule: examine.Rule{ID: "FMI2-R11", Says: "halves"}, Outcome: examine.Refuted,
				Found: "a trifle"},
			{Rule: examine.Rule{ID: "FMI2-R2", Says: "it lives"}, Outcome: examine.Proved},
			{Rule: examine.Rule{ID: "FMI2-R9"}, Outcome: examine.NotTested, Why: "no states"},
		}}
	var b bytes.Buffer
	require.NoError(t, examinationpage.Write(&b, r))
	for _, text := range []string{"Examination of &lt;Lag&gt;",
		"1 of 3 rules proved, 2 refuted, 1 not tested",
		"FMI2-R6, error: it resets", "k is &lt;1&gt;", "FMI 2.0.5, 2.1.6", "sweeps",
		"<li>fmi2Reset(c1)</li>", "return 1 &lt; 2;", "<h2>Notes</h2>", "no states"} {
		require.Contains(t, b.String(), text)
	}
	require.NotContains(t, b.String(), "http://")
}

func TestWriteSystem_HasEachPart(t *testing.T) {
	part := func(model, id string) *examine.Report {
		return &examine.Report{Model: model, Version: "2.0", Trials: 3, Verdicts: []examine.Verdict{
			{Rule: examine.Rule{ID: id, Says: "it resets", Severity: finding.Error},
				Outcome: examine.Refuted, Found: "k is 1"},
			{Rule: examine.Rule{ID: "FMI2-R2", Says: "it lives"}, Outcome: examine.Proved}}}
	}
	s := &examinationpage.System{File: "a<b>.ssp", Parts: []examinationpage.Part{
		{Name: "component <one>", Report: part("One", "FMI2-R6")},
		{Name: "connection one.y -> two.u", Connection: true, Report: part("", "OSMP-V7")}},
		Findings: finding.List{{ID: "SSP-S1", Severity: finding.Warning, Message: "found <nothing>"}}}
	var b bytes.Buffer
	require.NoError(t, examinationpage.WriteSystem(&b, s))
	for _, text := range []string{"Examination of a&lt;b&gt;.ssp", "2 refuted", "in 6 processes",
		`<a href="#part1-">component &lt;one&gt;</a>`, `id="part1-FMI2-R6"`, `id="part2-OSMP-V7"`,
		"found &lt;nothing&gt;", "1 of 2 rules proved, 1 refuted, 0 not tested; One, FMI 2.0"} {
		require.Contains(t, b.String(), text)
	}
	require.NotContains(t, b.String(), "http://")
}

// TestWriteSystem_Heading checks that a system with errors, or without any examination, is not said
// to be in order.
func TestWriteSystem_Heading(t *testing.T) {
	fine := []examinationpage.Part{{Name: "one", Report: &examine.Report{Verdicts: []examine.Verdict{
		{Rule: examine.Rule{ID: "FMI2-R2"}, Outcome: examine.Proved}}}}}
	for heading, s := range map[string]*examinationpage.System{
		"nothing refuted": {Parts: fine},
		"0 refuted, 1 found by reading": {Parts: fine,
			Findings: finding.List{{ID: "SSP-S6", Severity: finding.Error}}},
		"nothing examined": {},
	} {
		var b bytes.Buffer
		require.NoError(t, examinationpage.WriteSystem(&b, s))
		require.Contains(t, b.String(), ">"+heading+"</span></h1>")
	}
}
