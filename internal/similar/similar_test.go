package similar

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", longestName+1)
	for _, c := range []struct {
		name  string
		names []string
		near  []string
	}{
		{"spede", []string{"brake", "speed", "spend"}, []string{"speed", "spend"}},
		{"Ego", []string{"egos", "EGO"}, []string{"EGO", "egos"}},
		{"bb", []string{"b"}, nil},
		{"gian", []string{"in", "gain"}, []string{"gain"}},
		{"x", []string{"y", "z"}, nil},
		{"ab", []string{"cd"}, nil},
		{"abcd", []string{"abxy", "axyz"}, []string{"abxy"}},
		{"name", []string{"names1", "names12"}, []string{"names1"}},
		{"a1", []string{"a2", "a3", "a4", "a5"}, []string{"a2", "a3", "a4"}},
		{"", []string{"a", ""}, []string{""}},
		{"Trace", []string{"trace.file", "traces.x", "abc.trace", "abc.trace.b", "trce"},
			[]string{"trce", "trace.file", "abc.trace"}},
		{"a", []string{"a.b", "b.a", "ab", "a."}, []string{"a.b", "b.a"}},
		{long, []string{long}, nil},
		{"any", nil, nil},
	} {
		require.Equal(t, c.near, Names(c.name, c.names), "%q in %q", c.name, c.names)
	}
}

func TestHint(t *testing.T) {
	require.Equal(t, `did you mean "gain"?`, Hint("gian", []string{"force", "gain"}))
	require.Equal(t, `did you mean "a,1" or "a,2"?`, Hint("a,", []string{"a,1", "a,2"}))
	require.Empty(t, Hint("gian", []string{"force"}))
}
