package finding_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

var list = finding.List{
	{ID: "SX07", Severity: finding.Error, Place: fault.Place{File: "m.scxml", Line: 3, Column: 9,
		Object: "state a"},
		Message: `target "b" does not exist`, Remedy: "declare it"},
	{ID: "SX09", Severity: finding.Warning, Place: fault.Place{File: "x.fmu", Entry: "d.xml"},
		Message: "unreachable"},
	{ID: "SX07", Severity: finding.Note, Message: "no more"},
}

func TestList_Text(t *testing.T) {
	var b strings.Builder
	require.NoError(t, list.WriteText(&b))
	require.Equal(t, `m.scxml:3:9: state a: error: target "b" does not exist [SX07]; declare it
x.fmu: d.xml: warning: unreachable [SX09]
note: no more [SX07]
`, b.String())
}

func TestList_WorstAndCount(t *testing.T) {
	worst, ok := list.Worst()
	require.True(t, ok)
	require.Equal(t, finding.Error, worst)
	require.Equal(t, 1, list.Count(finding.Warning))
	_, ok = finding.List{}.Worst()
	require.False(t, ok)
}

func TestList_JSONReadsBack(t *testing.T) {
	var b strings.Builder
	require.NoError(t, list.WriteJSON(&b))
	var back finding.List
	require.NoError(t, json.Unmarshal([]byte(b.String()), &back))
	require.Equal(t, list, back)

	b.Reset()
	require.NoError(t, finding.List(nil).WriteJSON(&b))
	require.Equal(t, "[]\n", b.String())
	require.Error(t, json.Unmarshal([]byte(`[{"severity":"bad"}]`), &back))
}

func TestList_SARIF(t *testing.T) {
	var b strings.Builder
	require.NoError(t, list.WriteSARIF(&b, finding.Tool{Name: "gosmp", Version: "1.0.0"}, nil))
	var log map[string]any
	require.NoError(t, json.Unmarshal([]byte(b.String()), &log))
	run := log["runs"].([]any)[0].(map[string]any)
	require.Len(t, run["results"], 3)
	require.Len(t, run["tool"].(map[string]any)["driver"].(map[string]any)["rules"], 2)
	require.Contains(t, b.String(), `"uri": "x.fmu/d.xml"`)
	require.Contains(t, b.String(), `"startLine": 3`)
	require.Contains(t, b.String(), `"level": "error"`)
	require.Contains(t, b.String(), `"fullyQualifiedName": "state a"`)
}

// TestList_SARIFColumns: columns count UTF-16 code units, one for an umlaut and two for a clef.
func TestList_SARIFColumns(t *testing.T) {
	source := func(name string) []byte {
		return map[string][]byte{"a.xml": []byte("<a>\r\n<b ü='\U0001d11e' c='1'/>\n"),
			"latin.xml": []byte("\xfc<b/>")}[name]
	}
	for _, c := range []struct {
		place  fault.Place
		column int // 0 for none
	}{
		{fault.Place{File: "a.xml", Line: 1, Column: 3}, 3},
		{fault.Place{File: "a.xml", Line: 2, Column: 4}, 4},
		{fault.Place{File: "a.xml", Line: 2, Column: 7}, 6},
		{fault.Place{File: "a.xml", Line: 2, Column: 14}, 11},
		{fault.Place{File: "latin.xml", Line: 1, Column: 2}, 0},
		{fault.Place{File: "a.xml", Line: 2}, 0},
		{fault.Place{File: "a.xml", Line: 2, Column: 100}, 0},
		{fault.Place{File: "a.xml", Line: 9, Column: 1}, 0},
		{fault.Place{File: "gone.xml", Line: 1, Column: 7}, 0},
		{fault.Place{File: "a.xml", Entry: "b.xml", Line: 1, Column: 1}, 0},
	} {
		var b strings.Builder
		require.NoError(t, finding.List{{ID: "X1", Place: c.place}}.WriteSARIF(&b,
			finding.Tool{Name: "gosmp"}, source))
		var log struct {
			Runs []struct {
				ColumnKind string
				Results    []struct {
					Locations []struct {
						PhysicalLocation struct{ Region struct{ StartColumn int } }
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(b.String()), &log))
		require.Equal(t, "utf16CodeUnits", log.Runs[0].ColumnKind)
		require.Equal(t, c.column,
			log.Runs[0].Results[0].Locations[0].PhysicalLocation.Region.StartColumn, "%v", c.place)
	}
}

func TestList_JUnit(t *testing.T) {
	for _, c := range []struct {
		list            finding.List
		tests, failures int
	}{{list, 3, 1}, {nil, 1, 0}} {
		var b strings.Builder
		require.NoError(t, c.list.WriteJUnit(&b, "m.scxml"))
		var suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		}
		require.NoError(t, xml.Unmarshal([]byte(b.String()), &suite))
		require.Equal(t, c.tests, suite.Tests)
		require.Len(t, suite.Cases, c.tests)
		require.Equal(t, c.failures, suite.Failures)
	}
}
