package system_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/system"
	"gosmp/internal/testfmu"
)

// TestRead_Warns: a run of a system states what the check finds about values without effect and
// about errors with which the system runs nevertheless.
func TestRead_Warns(t *testing.T) {
	fmu := testfmu.Build(t, testfmu.Recipe{Name: "unruly"})
	for parameter, warning := range map[string]string{
		`"u.gain"><ssv:Real value="2"/>`:                "",
		`"u.gian"><ssv:Real value="2"/>`:                `"u.gian" is not a variable of system s: the value has no effect [SSP-P2]`,
		`"u.gain"><ssv:Real value="NaN"/>`:              "the value NaN, expected a number [SSP-P3]",
		`"u.gain"><ssv:Real value="2" unit="furlong"/>`: "[SSP-U1]",
	} {
		file := filepath.Join(t.TempDir(), "s.ssd")
		require.NoError(t, os.WriteFile(file, []byte(`<ssd:SystemStructureDescription version="1.0"
 name="s" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
<ssd:System name="s"><ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="p"><ssv:Parameters><ssv:Parameter name=`+parameter+
			`</ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>
</ssd:ParameterBinding></ssd:ParameterBindings><ssd:Elements><ssd:Component name="u" source="`+
			filepath.ToSlash(fmu)+`"/></ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>`), 0o600))
		s, err := system.Read(file, "")
		require.NoError(t, err)
		if warning == "" {
			require.Empty(t, s.Warnings)
			continue
		}
		require.Len(t, s.Warnings, 1, "%v", s.Warnings)
		require.Contains(t, s.Warnings[0], "s.ssd:5:")
		require.True(t, strings.HasSuffix(s.Warnings[0], warning), s.Warnings[0])
	}
}
