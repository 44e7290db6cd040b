package sweep

import (
	"slices"

	"gosmp/internal/decimal"
)

// Representatives returns, in order, at most the given number of cases: the first one, and the
// first ones that set something to its least number, to its greatest number or to a text. An
// experiment that accepts their settings also accepts the settings of most other cases.
func Representatives(cases []Case, most int) (list []Case) {
	chosen := map[int]bool{0: true}
	texts := map[Setting]bool{}
	type extremes struct {
		least, greatest float64
		at              [2]int
	}
	numbers := map[string]*extremes{}
	for k, c := range cases {
		for _, x := range c.Set {
			v, err := decimal.Float(x.Value, 64)
			if err != nil {
				if !texts[x] && len(chosen) < most {
					texts[x], chosen[k] = true, true
				}
				continue
			}
			e := numbers[x.Name]
			if e == nil {
				e = &extremes{v, v, [2]int{k, k}}
				numbers[x.Name] = e
			}
			if v < e.least {
				e.least, e.at[0] = v, k
			}
			if v > e.greatest {
				e.greatest, e.at[1] = v, k
			}
		}
	}
	for _, e := range numbers {
		chosen[e.at[0]], chosen[e.at[1]] = true, true
	}
	for k, c := range cases {
		if chosen[k] {
			list = append(list, c)
		}
	}
	return slices.Clip(list[:min(most, len(list))])
}
