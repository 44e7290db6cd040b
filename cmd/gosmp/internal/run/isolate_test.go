package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseIsolation_NamesCountMoreThanAll(t *testing.T) {
	names := []string{"source", "sensor", "a=b"}
	for _, c := range []struct {
		values []string
		want   [3]bool
	}{
		{nil, [3]bool{}},
		{[]string{"process"}, [3]bool{}},
		{[]string{"shared"}, [3]bool{true, true, true}},
		{[]string{"shared", "sensor=process"}, [3]bool{true, false, true}},
		{[]string{"sensor=shared", "a=b=shared"}, [3]bool{false, true, true}},
	} {
		i, err := parseIsolation(c.values, names)
		require.NoError(t, err)
		require.Equal(t, c.want, [3]bool{i.shared("source"), i.shared("sensor"), i.shared("a=b")}, c.values)
	}
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"none"}, `--isolate: found "none", expected process or shared`},
		{[]string{"sensr=shared"}, `--isolate: found "sensr", expected sensor`},
		{[]string{"x=shared"}, `--isolate: found "x", expected the name of an FMU: source, sensor, a=b`},
		{[]string{"shared", "process"}, "--isolate: found process as a second value"},
		{[]string{"source=shared", "source=process"}, "--isolate: found source=process as a second value"},
	} {
		_, err := parseIsolation(c.values, names)
		require.ErrorContains(t, err, c.want)
	}
}
