package check_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	fmicheck "gosmp/fmi/check"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/elftest"
	"gosmp/internal/finding"
	"gosmp/osmp/check"
	"gosmp/sensor/dummysensor"
)

// rendered returns the model description of OSMPDummySensor as it is packed.
func rendered(t *testing.T) string {
	t.Helper()
	d := dummysensor.Definition()
	d.GUID = "0123456789abcdef0123456789abcdef"
	var b bytes.Buffer
	require.NoError(t, modeldescription.Render(&b, d))
	return b.String()
}

func examine(t *testing.T, description string) (*archive.ModelDescription, *check.Report) {
	t.Helper()
	m, err := archive.Parse(strings.NewReader(description))
	require.NoError(t, err)
	return m, check.Examine(m)
}

// messages formats the findings, one per line.
func messages(list finding.List) string {
	var lines []string
	for _, f := range list {
		lines = append(lines, line(f))
	}
	return strings.Join(lines, "\n")
}

// line formats a finding on one line that begins with the severity; the column is omitted.
func line(f finding.Finding) string {
	place := cmp.Or(f.Place.Object, f.Place.Entry)
	if f.Place.Line > 0 {
		place += fmt.Sprintf(" (line %d)", f.Place.Line)
	}
	return fmt.Sprintf("%v: %s: %s [%s]", f.Severity, place, f.Message, f.ID)
}

func TestExamine_OwnFMUHasNoProblems(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	library := elftest.Library{Exports: fmicheck.Functions(fmi.FMI2, fmi.CoSimulation)}.Bytes()
	for name, content := range map[string][]byte{"modelDescription.xml": []byte(rendered(t)),
		"binaries/linux64/OSMPDummySensor.so": library} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	f, err := archive.Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	report, err := fmicheck.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), fmicheck.Options{})
	require.NoError(t, err)
	require.Empty(t, messages(report.Findings))

	d := dummysensor.Definition()
	require.Equal(t, d.ModelName, f.Model.ModelName)
	count := 0
	for k, v := range d.Variables.All() {
		found := f.Model.Variables[k]
		require.Equal(t, []any{v.Name, v.Reference(fmi.FMI2), v.Description}, []any{found.Name,
			found.ValueReference, found.Description})
		count++
	}
	require.Len(t, f.Model.Variables, count)

	r := check.Examine(f.Model)
	require.Empty(t, messages(r.Problems))
	require.Equal(t, check.SensorModel, r.Kind)
	require.Equal(t, []string{"0.3.0", "3.8.0"}, []string{r.Version, r.OSIVersion})
	require.Equal(t, [][]string{{"SensorView", "text/csv; format=simsensor"}, {"SensorData"}},
		[][]string{r.Inputs, r.Outputs})
	text, err := json.Marshal(r.Variables)
	require.NoError(t, err)
	require.Len(t, r.Variables, 5)
	require.Contains(t, string(text), `{"name":"OSMPSensorViewIn",`+
		`"mimeType":"application/x-open-simulation-interface; type=SensorView; `+
		`version=3.8.0","message":"SensorView",`+
		`"messageVersion":"3.8.0","causality":"input","variability":"discrete",`+
		`"valueReferences":{"base.lo":0,"base.hi":1,"size":2,"full":null}}`)
}
