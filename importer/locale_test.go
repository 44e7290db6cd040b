//go:build linux && cgo

package importer_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// TestRun_DecimalComma runs FMUs that adopt the user's locale, in which the decimal mark is a comma
// or has two bytes. Values, results and the log of calls must not depend on it.
func TestRun_DecimalComma(t *testing.T) {
	lives := func(version int, orders ...string) (csv string, calls []string, printed []string) {
		r := newRun(open(t, testfmu.Recipe{Version: version, Orders: orders}), "out", "clock")
		r.pool.Options.LogCalls = true
		r.options.Start = []importer.StartValue{{Name: "in", Value: "0.25"}}
		r.spec.Stop = timebase.Second / 5
		require.NoError(t, r.do(t))
		for _, m := range r.messages {
			if m.Call {
				calls = append(calls, address.ReplaceAllString(m.Text, "ADDRESS"))
			}
		}
		return r.csv.String(), calls, r.printed
	}
	plain, plainCalls := map[int]string{}, map[int][]string{}
	for _, version := range []int{2, 3} {
		plain[version], plainCalls[version], _ = lives(version)
		require.Contains(t, strings.Join(plainCalls[version], "\n"), "0.1")
	}
	for name, separator := range map[string]string{"de_DE": ",", "ps_AF": "٫"} {
		folder := t.TempDir()
		out, err := exec.Command("localedef", "-i", name, "-f", "UTF-8",
			filepath.Join(folder, name+".UTF-8")).CombinedOutput()
		if err != nil {
			t.Skipf("no %s on this machine: %v %s", name, err, out)
		}
		for _, version := range []int{2, 3} {
			t.Setenv("LOCPATH", folder)
			t.Setenv("LC_ALL", name+".UTF-8")
			csv, calls, printed := lives(version, "Instantiate locale 0 1")
			require.Equal(t, []string{"set, 0" + separator + "5"}, printed)
			require.Equal(t, plain[version], csv)
			require.Equal(t, plainCalls[version], calls)
		}
	}
}
