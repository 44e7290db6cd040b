package completion_test

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/completion"
)

type line struct {
	Run struct {
		Files []string `arg:"" predictor:"color"`
		Mode  string   `enum:"fast,slow" default:"fast" short:"m"`
		Loud  bool
	} `cmd:""`
	Sweep struct {
		Go struct {
			Plan string `arg:"" predictor:"color"`
			Jobs int
		} `cmd:"" default:"withargs"`
		Report struct{} `cmd:""`
	} `cmd:""`
	Secret struct{} `cmd:"" hidden:""`
}

// TestCandidates: commands, flags, flag values and arguments are completed where they are allowed.
func TestCandidates(t *testing.T) {
	parser, err := kong.New(&line{})
	require.NoError(t, err)
	colors := func(string) []string { return []string{"red", "green", "grey"} }
	for text, want := range map[string][]string{
		"gosmp ":                  {"run", "sweep"},
		"gosmp s":                 {"sweep"},
		"gosmp run ":              {"red", "green", "grey"},
		"gosmp run red g":         {"green", "grey"},
		"gosmp run --m":           {"--mode"},
		"gosmp run --mode ":       {"fast", "slow"},
		"gosmp run -m s":          {"slow"},
		"gosmp run --loud gre":    {"green", "grey"},
		"gosmp run --mode fast r": {"red"},
		"gosmp sweep re":          {"report", "red"},
		"gosmp sweep red ":        {},
		"gosmp sweep --j":         {"--jobs"},
		"gosmp sweep --jobs ":     {},
		"gosmp nothing":           {},
	} {
		found := completion.Candidates(
			parser.Model.Node,
			text,
			completion.Predictors{"color": colors},
		)
		require.ElementsMatch(t, want, found, "%q", text)
	}
}
