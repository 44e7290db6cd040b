package examine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// TestConnection passes the messages of one FMU to another one in a separate process.
func TestConnection(t *testing.T) {
	producer := build(t, 2, "-DOSMP")
	join := func(consumer, in string) *examine.Report {
		r, err := examine.Connection(context.Background(), examine.Handover{From: producer,
			To: consumer, Out: "OSMPSensorDataOut", In: in}, examine.Options{})
		require.NoError(t, err)
		require.Empty(t, r.Mistakes())
		return r
	}
	r := join(build(t, 2, "-DOSMP"), "OSMPSensorViewIn")
	require.Equal(t, 2, r.Count(examine.Proved), "%+v", r.Verdicts)

	r = join(build(t, 2, "-DOSMP -DLATEREAD"), "OSMPSensorViewIn")
	late := r.Verdict("OSMP-V7")
	require.Equal(t, examine.Refuted, late.Outcome)
	require.Contains(t, late.Found, "with the messages of OSMPSensorDataOut")
	require.NotEmpty(t, late.Program)

	r = join(build(t, 2, "-DOSMP"), "OSMPSensorDataOut")
	require.Equal(t, 2, r.Count(examine.NotTested))
	require.Contains(t, r.Verdict("OSMP-V5").Why, "from an output for messages to an input")
}
