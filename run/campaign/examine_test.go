package campaign

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamine_System: a sweep reports what a run of its system would warn of, with the place.
func TestExamine_System(t *testing.T) {
	s := of(Options{File: "plan.yaml"})
	s.experiment = filepath.Join(t.TempDir(), "drive.ssd")
	write := func(unit string) {
		require.NoError(t, os.WriteFile(s.experiment, []byte(`<ssd:SystemStructureDescription
version="1.0" name="drive"
xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"><ssd:System name="top">
<ssd:Connectors><ssd:Connector name="y" kind="output"><ssc:Real unit="`+unit+`"/></ssd:Connector>
</ssd:Connectors></ssd:System><ssd:Units><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>
</ssd:Units></ssd:SystemStructureDescription>`), 0o600))
	}
	units := func() (lines []int) {
		for _, f := range s.examine() {
			if f.ID == "SSP-U1" {
				lines = append(lines, f.Place.Line)
			}
		}
		return lines
	}
	write("m")
	require.Empty(t, units())
	write("furlong")
	require.Equal(t, []int{5}, units())
}
