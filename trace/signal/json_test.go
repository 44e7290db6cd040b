package signal_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace/signal"
)

func TestJSON(t *testing.T) {
	var value any
	require.NoError(t, json.Unmarshal([]byte(`{"b": true, "x": {"y": 1.5, "name": "n"},
		"list": [{"id": 7, "v": 1}, {"id": 9, "v": 2}], "numbers": [3, 4], "n": null}`), &value))
	var paths []string
	signal.EachOfJSON(value, func(path string) { paths = append(paths, path) })
	require.Equal(t, []string{"b", "list[0].id", "list[0].v", "list[1].id", "list[1].v",
		"numbers[0]", "numbers[1]", "x.y"}, paths)
	for path, want := range map[string]map[string]float64{
		"b": {"": 1}, "x.y": {"": 1.5}, "list[0].v": {"": 1}, "list[id=9].v": {"": 2},
		"list[*].v": {"7": 1, "9": 2}, "numbers[*]": {"0": 3, "1": 4}, "numbers[1]": {"": 4},
		"x.name": {}, "x": {}, "list.v": {}, "z.y": {}, "numbers[id=1]": {}, "x.y.z": {},
	} {
		p, err := signal.Parse(path)
		require.NoError(t, err)
		got := map[string]float64{}
		p.NumbersOfJSON(value, func(label string, number float64) { got[label] = number })
		require.Equal(t, want, got, path)
	}
}
