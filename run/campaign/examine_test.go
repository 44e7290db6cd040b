package campaign

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// gain is the model description of a component with one parameter.
const gain = `<fmiModelDescription fmiVersion="2.0" modelName="gain" guid="{1}">
<CoSimulation modelIdentifier="gain"/><ModelVariables><ScalarVariable name="gain"
valueReference="0" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
</ModelVariables><ModelStructure/></fmiModelDescription>`

// TestExamine_System: a sweep reports what a run of its system would warn of, with the place.
func TestExamine_System(t *testing.T) {
	folder := t.TempDir()
	s := of(Options{File: "plan.yaml"})
	s.experiment = filepath.Join(folder, "drive.ssd")
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{"modelDescription.xml", "binaries/linux64/gain.so",
		"binaries/aarch64-linux/gain.so", "binaries/win64/gain.dll", "binaries/darwin64/gain.dylib"} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(gain)) // libraries are not loaded
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "gain.fmu"), packed.Bytes(), 0o600))
	write := func(name string) {
		require.NoError(t, os.WriteFile(s.experiment, []byte(`<ssd:SystemStructureDescription
version="1.0" name="drive"
xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
<ssd:System name="top"><ssd:Elements>
<ssd:Component name="gain" type="application/x-fmu-sharedlibrary" source="gain.fmu">
<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="set"><ssv:Parameters>
<ssv:Parameter name="`+name+`"><ssv:Real value="2"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>
</ssd:ParameterBindings></ssd:Component></ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>`), 0o600))
	}
	lines := func() (lines []int) {
		for _, f := range s.examine() {
			if f.ID == "SSP-P2" {
				lines = append(lines, f.Place.Line)
			}
		}
		return lines
	}
	write("gain")
	require.Empty(t, lines())
	write("gian")
	require.Equal(t, []int{9}, lines())
}
