package yamldoc_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gosmp/internal/yamldoc"
)

// TestDecimal: numbers in other notations are refused, but not texts that look like them.
func TestDecimal(t *testing.T) {
	t.Parallel()
	check := func(text string) error {
		var n yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(text), &n), text)
		return yamldoc.Decimal(&n, "set")
	}
	for _, text := range []string{"1", "-1", "+12", "0", "1.5", ".5", "5.", "1e3", "-1.5E-3", "01.5",
		".inf", "-.inf", ".nan", "yes", "true", "null", "2026-01-01", "'1_0'", `"0x10"`, "!!str 0x10",
		"1 m", "a_1", "", "set: {a: 0x10}", "a: &x 1\nb: *x"} {
		require.NoError(t, check(text), text)
	}
	for _, text := range []string{"1_0", "0x10", "-0x1F", "010", "0o17", "0b11", "1_0.5", "1e1_0",
		"a: 0x10", "- [1, {b: 1_000}]", "a: &x 0x10\nb: *x"} {
		require.ErrorContains(t, check(text), "expected a decimal number such as 10, or a text in "+
			"quotes", text)
	}
}
