package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOptions_Shared: a setting for a single FMU takes precedence.
func TestOptions_Shared(t *testing.T) {
	names := []string{"source", "sensor", "a=b"}
	for _, c := range []struct {
		o    Options
		want [3]bool
	}{
		{Options{}, [3]bool{}},
		{Options{Shared: true}, [3]bool{true, true, true}},
		{Options{Shared: true, Isolation: map[string]bool{"sensor": false}}, [3]bool{true, false,
			true}},
		{Options{Isolation: map[string]bool{"sensor": true, "a=b": true}}, [3]bool{false, true,
			true}},
	} {
		require.NoError(t, c.o.checkIsolation(names))
		require.Equal(
			t,
			c.want,
			[3]bool{c.o.shared("source"), c.o.shared("sensor"), c.o.shared("a=b")},
		)
	}
	for name, want := range map[string]string{
		"sensr": `--isolate: found "sensr", expected sensor`,
		"x":     `--isolate: found "x", expected the name of an FMU: source, sensor, a=b`,
	} {
		o := Options{Isolation: map[string]bool{name: true}}
		require.EqualError(t, o.checkIsolation(names), want)
	}
}
