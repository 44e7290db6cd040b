package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/sweep/queue/model"
)

// TestTables: docs/SCALE.md contains the figures of the model.
func TestTables(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/SCALE.md")
	require.NoError(t, err)
	var b strings.Builder
	write(&b)
	_, rest, found := strings.Cut(string(text), "<!-- go run ./sweep/queue/model/tables -->\n")
	require.True(t, found)
	tables, _, _ := strings.Cut(rest, "<!-- end -->")
	require.Equal(t, b.String(), tables)
}

// TestMeasured: the model uses the measured costs stated in docs/SCALE.md.
func TestMeasured(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/SCALE.md")
	require.NoError(t, err)
	p := model.Measured(1, 1, time.Second)
	for what, cost := range map[string]time.Duration{"of the server for each run": p.Fetch +
		p.Store + p.Ack, "of the worker, without the run itself": p.Worker,
		"of the coordinator": p.Publish + p.Collect} {
		require.Regexp(t, fmt.Sprintf(`\n\| processor time %s \| \d+ us \(%d\) \|`, what,
			cost.Microseconds()), string(text), "in brackets: while other work was done")
	}
	require.Contains(t, string(text),
		fmt.Sprintf("we assume %d us for publishing the run and %d us for",
			p.Publish.Microseconds(), p.Collect.Microseconds()))
}
