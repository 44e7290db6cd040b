package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run"
)

func TestIsolation_ForAllAndForOne(t *testing.T) {
	for _, c := range []struct {
		values []string
		shared bool
		named  map[string]bool
	}{
		{nil, false, map[string]bool{}},
		{[]string{"process"}, false, map[string]bool{}},
		{[]string{"shared"}, true, map[string]bool{}},
		{[]string{"shared", "sensor=process"}, true, map[string]bool{"sensor": false}},
		{[]string{"sensor=shared", "a=b=shared"}, false, map[string]bool{"sensor": true,
			"a=b": true}},
	} {
		var o run.Options
		require.NoError(t, (&Command{Isolate: c.values}).isolation(&o))
		require.Equal(t, c.shared, o.Shared)
		require.Equal(t, c.named, o.Isolation)
	}
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"none"}, `--isolate: found "none", expected process or shared`},
		{[]string{"shared", "process"}, "--isolate: found process as a second value"},
		{[]string{"source=shared", "source=process"},
			"--isolate: found source=process as a second value"},
	} {
		require.ErrorContains(t, (&Command{Isolate: c.values}).isolation(&run.Options{}), c.want)
	}
}
