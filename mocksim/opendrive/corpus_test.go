package opendrive_test

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
)

// The folder GOSMP_MAPS holds third-party maps, also in subfolders. It may contain a labels.csv
// with the findings of a checker of ASAM's rules: file, rule, number of issues, and "completed" if
// the rule was applied.

// sameRules maps ASAM's rules to the ids of this package for the same rule. The ids of ASAM's rules
// are without "asam.net:xodr:" and the version.
var sameRules = map[string][]string{
	"xml.valid_xml_document":    {"X-XML"},
	"xml.root_tag_is_opendrive": {"X-XML"},
	"xml.fileheader_is_present": {"X-XML"},
	"xml.version_is_defined":    {"X-VERSION", "X-NUMBER"},
	"xml.valid_schema": {"X-SCHEMA-ELEMENT", "X-SCHEMA-ATTRIBUTE",
		"X-SCHEMA-REQUIRED", "X-SCHEMA-VALUE", "X-SCHEMA-CHILD", "X-SCHEMA-ORDER",
		"X-SCHEMA-NAMESPACE",
		"X-ID", "X-NUMBER", "X-PLAN-EMPTY", "X-SIGNAL-REFERENCE"},
	"road.geometry.contact_point":                        {"X-LINK-CONTACT"},
	"road.geometry.elem_asc_order":                       {"X-PLAN-ORDER"},
	"road.linkage.is_junction_needed":                    {"X-LINK-AMBIGUOUS"},
	"road.geometry.parampoly3.arclength_range":           {"X-POLY-LENGTH"},
	"road.geometry.parampoly3.normalized_range":          {"X-POLY-LENGTH"},
	"road.geometry.parampoly3.length_match":              {"X-POLY-LENGTH"},
	"road.geometry.paramPoly3.valid_parameters":          {"X-POLY-START"},
	"road.lane.border.overlap_with_inner_lanes":          {"X-LANE-BORDER"},
	"road.lane.level_true_one_side":                      {"X-LANE-LEVEL"},
	"road.lane.access.no_mix_of_deny_or_allow":           {"X-ACCESS"},
	"road.lane.link.lanes_across_lane_sections":          {"X-LANE-LINK", "X-LANE-ONESIDED"},
	"road.lane.link.new_lane_appear":                     {"X-LANE-ZERO-LINK"},
	"road.lane.link.zero_width_at_start":                 {"X-LANE-ZERO-LINK"},
	"road.lane.link.zero_width_at_end":                   {"X-LANE-ZERO-LINK"},
	"junctions.connection.connect_road_no_incoming_road": {"X-JUNCTION-IN"},
	"junctions.connection.one_connection_element":        {"X-JUNCTION-TWICE"},
	"junctions.connection.one_link_to_incoming": {"X-JUNCTION-DIRECTION",
		"X-JUNCTION-TWICE"},
	"junctions.connection.start_along_linkage":  {"X-JUNCTION-CONTACT"},
	"junctions.connection.end_opposite_linkage": {"X-JUNCTION-CONTACT"},
	// A lane without width does not meet the lane to which it is linked.
	"lane_smoothness.contact_point_no_horizontal_gaps": {"X-LANE-GAP", "X-PLAN-GAP",
		"X-LANE-ZERO-LINK"},
	"performance.avoid_redundant_info": {"X-REDUNDANT"},
}

// corpus returns the maps in the folder, with their names relative to it.
func corpus(t *testing.T) (folder string, files []string) {
	folder = os.Getenv("GOSMP_MAPS")
	if folder == "" {
		t.Skip("GOSMP_MAPS names no folder of maps")
	}
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".xodr") {
			name, _ := filepath.Rel(folder, path)
			files = append(files, filepath.ToSlash(name))
		}
		return err
	}))
	return folder, files
}

// examined returns the findings about a map, or the rule that prevents reading it.
func examined(path string) (rules map[string]finding.Severity, err error) {
	rules = map[string]finding.Severity{}
	m, err := opendrive.ReadFile(path)
	if err != nil {
		if _, rule, ok := strings.Cut(err.Error(), "rule "); ok {
			rules[strings.Fields(rule)[0]] = finding.Error
		}
		return rules, err
	}
	for _, f := range m.Check() {
		if old, ok := rules[f.ID]; !ok || f.Severity > old {
			rules[f.ID] = f.Severity
		}
	}
	return rules, nil
}

func TestCorpus_FindsWhatASAMsRulesFind(t *testing.T) {
	folder, files := corpus(t)
	labels := map[string]map[string]bool{} // file, rule: has issues
	f, err := os.Open(filepath.Join(folder, "labels.csv"))
	if err == nil {
		rows, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		for _, row := range rows {
			if rule, ok := strings.CutPrefix(row[1], "asam.net:xodr:"); ok &&
				row[3] == "completed" {
				_, rule, _ = strings.Cut(rule, ":")
				if labels[row[0]] == nil {
					labels[row[0]] = map[string]bool{}
				}
				labels[row[0]][rule] = labels[row[0]][rule] || row[2] != "0"
			}
		}
		require.NoError(t, f.Close())
	}
	type count struct{ hits, misses, alarms, silent int }
	counts := map[string]*count{}
	for _, file := range files {
		rules, err := examined(filepath.Join(folder, filepath.FromSlash(file)))
		if err != nil && len(rules) == 0 {
			t.Errorf("%s: %v", file, err)
		}
		for rule, has := range labels[file] {
			c := counts[rule]
			if c == nil {
				c = &count{}
				counts[rule] = c
			}
			found := foundBy(rules, rule)
			// A finding of another ASAM rule with the same id is not a false alarm of this one.
			if found && !has {
				for other, issues := range labels[file] {
					if issues && shareRule(rule, other) {
						found = false
					}
				}
			}
			switch {
			case has && found:
				c.hits++
			case has:
				c.misses++
				t.Logf("miss  %s %s", rule, file)
			case found:
				c.alarms++
				t.Logf("alarm %s %s", rule, file)
			default:
				c.silent++
			}
		}
	}
	for rule, c := range counts {
		t.Logf("%-60s %4d hits %4d misses %4d alarms %4d silent", rule, c.hits, c.misses, c.alarms,
			c.silent)
	}
}

// onlyErrors lists ids whose warnings are about what ASAM's rules leave open: an unknown version, a
// missing contact point, a reference to a signal beyond the end of a road.
var onlyErrors = []string{"X-VERSION", "X-JUNCTION-CONTACT", "X-SIGNAL-REFERENCE"}

// foundBy reports whether a map has findings that correspond to a rule of ASAM.
func foundBy(rules map[string]finding.Severity, rule string) bool {
	for _, id := range sameRules[rule] {
		if severity, ok := rules[id]; ok &&
			(severity == finding.Error || !slices.Contains(onlyErrors, id)) {
			return true
		}
	}
	return false
}

// shareRule reports whether two rules of ASAM are the same rule here.
func shareRule(a, b string) bool {
	for _, id := range sameRules[a] {
		for _, other := range sameRules[b] {
			if id == other {
				return true
			}
		}
	}
	return false
}
