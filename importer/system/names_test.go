//go:build linux && cgo

package system_test

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// Names of elements may contain any characters (SSP: rule 10 of the reference), and texts of
// parameters reach the FMU unchanged (rule 21).
func TestRead_AnyNameRunsAndTextsReachTheFMU(t *testing.T) {
	path := structure(t, build(t, testfmu.Recipe{OSMP: true}))
	plain, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, name := range []string{"a-1", "a b", "a.b", "Kühler", "a=b", "a,b[1]", "a'&quot;"} {
		text := strings.NewReplacer(`name="a"`, `name="`+name+`"`, `Element="a"`, `Element="`+name+
			`"`, `<ssv:Real value="3"/></ssv:Parameter>`,
			`<ssv:Real value="3"/></ssv:Parameter><ssv:Parameter name="text">`+
				`<ssv:String value="&lt; two  words, größer "/></ssv:Parameter>`).
			Replace(string(plain))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		s, err := system.Read(path, "")
		require.NoError(t, err)
		pool := &importer.Pool{}
		e, err := s.Engine(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)}, pool,
			func(*system.Part) importer.Options { return importer.Options{} })
		require.NoError(t, err)
		name = strings.ReplaceAll(name, "&quot;", `"`)
		clock, said := e.Watch(name+".clock"), e.Watch(name+".texted")
		_, err = e.Run(context.Background())
		require.NoError(t, err, name)
		require.InDelta(t, 1, math.Float64frombits(clock.Cells()[0]), 1e-9)
		require.Equal(t, "< two  words, größer ", string(said.Blobs()[0]))
		require.NoError(t, pool.Close())
	}
}
