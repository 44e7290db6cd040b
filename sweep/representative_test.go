package sweep_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

func TestRepresentatives(t *testing.T) {
	var cases []sweep.Case
	for k, pair := range [][2]string{{"5", "dry"}, {"7", "dry"}, {"3", "dry"}, {"6", "wet"},
		{"9", "dry"}, {"4", "wet"}} {
		cases = append(cases, sweep.Case{Index: k, Set: []sweep.Setting{{Name: "ego.x",
			Value: pair[0]}, {Name: "road.state", Value: pair[1]}}})
	}
	indices := func(most int) (list []int) {
		for _, c := range sweep.Representatives(cases, most) {
			list = append(list, c.Index)
		}
		return list
	}
	require.Equal(t, []int{0, 2, 3, 4}, indices(10),
		"the first, the least, the first wet one, the greatest")
	require.Equal(t, []int{0, 2}, indices(2))
	require.Empty(t, sweep.Representatives(nil, 10))
}
