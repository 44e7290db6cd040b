package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring[int]
		var model []int
		r.restart(rapid.Uint64().Draw(t, "first number")) // numbers may wrap around
		for i := range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(model) > 0 && rapid.Bool().Draw(t, "drop") {
				r.drop()
				model = model[1:]
			} else {
				r.push(i)
				model = append(model, i)
			}
			require.Equal(t, len(model), r.len())
			for k, v := range model {
				require.Equal(t, v, *r.at(r.head + uint64(k)))
			}
		}
	})
}
