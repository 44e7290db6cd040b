package run

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"gosmp/run"
)

// TestOptions_EachFlagIsOne: each flag of gosmp run is an option of package run under the same
// name, except for flags that define where the command writes.
func TestOptions_EachFlagIsOne(t *testing.T) {
	parser, err := kong.New(&Command{}, Variables())
	require.NoError(t, err)
	var flags []string
	for _, f := range parser.Model.Flags {
		if name := "--" + f.Name; name != "--help" && name != "--json" && name != "--log-file" {
			flags = append(flags, name)
		}
	}
	require.ElementsMatch(t, run.Names(), flags)
}
