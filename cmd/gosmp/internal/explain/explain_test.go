package explain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFind_EachRuleAndFamily: each rule is found by its id, and each family by one of its ids.
func TestFind_EachRuleAndFamily(t *testing.T) {
	require.NotEmpty(t, rules)
	for _, r := range rules {
		found, ok := find(part.ReplaceAllString(r.ID, "x"))
		require.True(t, ok, r.ID)
		require.Equal(t, r, found)
	}
	for _, id := range []string{"", "SX", "SX7", "OSMP", "trace"} {
		_, ok := find(id)
		require.False(t, ok, id)
	}
}
