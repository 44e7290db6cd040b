package sweeps

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"gosmp/run/campaign"
)

// TestOptions_EachFlagIsOne: each flag of gosmp sweep is an option of package campaign under the
// same name, which decides whether the command that repeats a sweep needs it, except for flags
// about what is printed.
func TestOptions_EachFlagIsOne(t *testing.T) {
	parser, err := kong.New(&runSweep{})
	require.NoError(t, err)
	var flags []string
	for _, f := range parser.Model.Flags {
		if name := "--" + f.Name; name != "--help" && name != "--json" && name != "--dry-run" {
			flags = append(flags, name)
		}
	}
	require.ElementsMatch(t, campaign.Names(), flags)
}
