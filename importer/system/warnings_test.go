package system_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
)

// TestRead_JudgesAsTheCheck: a run of a system warns of what the check finds about values without
// effect, and refuses every system with an error, also one with which it could run.
func TestRead_JudgesAsTheCheck(t *testing.T) {
	fmu := testfmu.Build(t, testfmu.Recipe{Name: "unruly"})
	for _, c := range []struct{ parameter, connector, warning, refusal string }{
		{parameter: `"u.gain"><ssv:Real value="2"/>`},
		{parameter: `"u.gian"><ssv:Real value="2"/>`,
			warning: `"u.gian" is not a variable of system s: the value has no effect [SSP-P2]`},
		{parameter: `"u.gain"><ssv:Real value="NaN"/>`,
			refusal: "the value NaN, expected a number [SSP-P3]"},
		{parameter: `"u.gain"><ssv:Real value="2" unit="furlong"/>`,
			refusal: `the unit "furlong" is not declared in this file [SSP-U1]`},
		{parameter: `"u.gain"><ssv:Real value="2"/>`, connector: `kind="parametre"><ssc:Real/>`,
			refusal: `kind="parametre", expected `},
		{parameter: `"u.gain"><ssv:Real value="2"/>`, connector: `kind="parameter"><ssc:Reel/>`,
			refusal: "<ssc:Reel> is not an element of <ssd:Connector> [SSP-X2]"},
		{parameter: `"u.gain"><ssv:Real value="2"/>`,
			connector: `kind="parameter"><ssc:Real unit="furlong"/>`,
			refusal:   `the unit "furlong" is not declared in this file [SSP-U1]`},
	} {
		connectors := ""
		if c.connector != "" {
			connectors = `<ssd:Connectors><ssd:Connector name="gain" ` + c.connector +
				`</ssd:Connector></ssd:Connectors>`
		}
		file := filepath.Join(t.TempDir(), "s.ssd")
		require.NoError(t, os.WriteFile(file, []byte(`<ssd:SystemStructureDescription version="1.0"
 name="s" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
 xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
<ssd:System name="s"><ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="p"><ssv:Parameters><ssv:Parameter name=`+c.parameter+
			`</ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>
</ssd:ParameterBinding></ssd:ParameterBindings><ssd:Elements><ssd:Component name="u" source="`+
			filepath.ToSlash(fmu)+`">`+connectors+`</ssd:Component></ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>`), 0o600))
		s, err := system.Read(file, "")
		list, checked := system.Changing(file, ssp.Options{})
		if c.refusal != "" {
			require.ErrorIs(t, err, ssp.ErrSystem, c.refusal)
			require.ErrorContains(t, err, c.refusal)
			require.ErrorContains(t, checked, c.refusal)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, checked)
		require.Len(t, list, len(s.Warnings))
		if c.warning == "" {
			require.Empty(t, s.Warnings)
			continue
		}
		require.Len(t, s.Warnings, 1, "%v", s.Warnings)
		require.Contains(t, s.Warnings[0], "s.ssd:6:")
		require.True(t, strings.HasSuffix(s.Warnings[0], c.warning), s.Warnings[0])
	}
}
