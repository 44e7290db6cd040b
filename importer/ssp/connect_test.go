package ssp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// TestConnect checks that a connection created in Go equals one read from a document. Ports that do
// not fit are rejected, which leaves the system unchanged.
func TestConnect(t *testing.T) {
	s, _, err := ssp.Load(sound(t).pack(t), ssp.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	read := s.Connections
	s.Connections = nil
	for _, c := range read {
		from, to := c.From, c.To
		require.NoError(t, s.Connect(from, to), "%v to %v", from, to)
		last := s.Connections[len(s.Connections)-1]
		require.Equal(t, []ssp.Port{from, to}, []ssp.Port{last.From, last.To})
	}
	require.Len(t, s.Connections, len(read))
	for name, c := range map[string]struct{ from, to, want string }{
		"a second one":      {"a.p", "b.p", "a second connection, the first one is from a.p"},
		"no such component": {"z.p", "b.p", "a component of the system"},
		"no such consumer":  {"a.p", "z.p", "a component of the system"},
	} {
		part := func(text string) ssp.Port {
			return ssp.Port{Component: text[:1], Connector: text[2:]}
		}
		err := s.Connect(part(c.from), part(c.to))
		require.ErrorIs(t, err, ssp.ErrSystem, name)
		require.ErrorContains(t, err, c.want, name)
		require.Len(t, s.Connections, len(read), name)
	}
	s.Connections = nil
	err = s.Connect(ssp.Port{Component: "a", Connector: "on"},
		ssp.Port{Component: "b", Connector: "p"})
	require.ErrorIs(t, err, ssp.ErrSystem, "Boolean to Real")
	require.Empty(t, s.Connections)
}
