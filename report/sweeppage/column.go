package sweeppage

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/sweep"
)

// unit is the length of an axis: positions range from 0 to unit.
const unit = 1000

// tick is a position on an axis with its label.
type tick struct {
	At    int    `json:"at"`
	Label string `json:"label"`
}

// scale maps values to an axis: numbers to scale, all other values side by side.
type scale struct {
	first     any
	numeric   bool
	low, high float64
	// numbers in ascending order, other values in the order of the table; at most manyValues+1
	// numbers
	distinct []any
	index    map[any]int // of the distinct values that are not numbers
}

// manyValues is the maximum number of different numbers that are shown individually.
const manyValues = 20

func newScale(values []any) *scale {
	s := &scale{numeric: true, low: math.Inf(1), high: math.Inf(-1), index: map[any]int{}}
	for _, v := range values {
		if v == nil {
			continue
		}
		if s.first == nil {
			s.first = v
		}
		x, is := v.(float64)
		if s.numeric = s.numeric && is; is {
			s.low, s.high = min(s.low, x), max(s.high, x)
		}
		if _, known := s.index[v]; !known {
			s.index[v] = len(s.distinct)
			s.distinct = append(s.distinct, v)
		}
	}
	if s.numeric {
		slices.SortFunc(s.distinct, func(a, b any) int {
			return cmp.Compare(a.(float64), b.(float64))
		})
		s.distinct, s.index = s.distinct[:min(len(s.distinct), manyValues+1)], nil
	}
	return s
}

// at returns the position of a value, or -1 for no value.
func (s *scale) at(v any) int {
	if v == nil {
		return -1
	}
	if !s.numeric {
		return (2*s.index[v] + 1) * unit / (2 * len(s.distinct))
	}
	return s.place(v.(float64))
}

// place returns the position of a number. It halves numbers so that even the difference between the
// greatest numbers is finite.
func (s *scale) place(x float64) int {
	span := s.high/2 - s.low/2
	if !(span > 0) {
		return unit / 2
	}
	return int(math.Round((x/2 - s.low/2) / span * unit))
}

// ticks returns at most eight labels.
func (s *scale) ticks() (list []tick) {
	const most = 8
	if s.numeric && len(s.distinct) > most {
		return s.round()
	}
	every := (len(s.distinct) + 2*most - 1) / (2 * most)
	for k := 0; k < len(s.distinct); k += every {
		t := tick{s.at(s.distinct[k]), short(label(s.distinct[k]), 16)}
		if s.numeric && len(list) > 0 && t.At-list[len(list)-1].At < unit/20 {
			continue
		}
		list = append(list, t)
	}
	return list
}

// round returns ticks at round numbers.
func (s *scale) round() (list []tick) {
	raw := (s.high/2 - s.low/2) / 3
	_, exponent, _ := strings.Cut(strconv.FormatFloat(raw, 'e', -1, 64), "e")
	step := raw
	for _, digits := range []string{"1", "2", "5", "10"} {
		x, err := strconv.ParseFloat(digits+"e"+exponent, 64)
		if err == nil && x >= raw {
			step = x
			break
		}
	}
	first := math.Ceil(s.low / step)
	for k := range 12 {
		x := (first + float64(k)) * step
		if x > s.high {
			break
		}
		list = append(list, tick{s.place(x), label(x)})
	}
	return list
}

// label formats a value for an axis.
func label(v any) string {
	if x, is := v.(float64); is {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return sweep.Text(v)
}

// longestName is the maximum length of parameter names next to values and axes, in letters.
const longestName = 60

// short truncates a text.
func short(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// column is a quantity of all runs.
type column struct {
	name      string
	parameter bool
	values    []any // of each run; nil if it has no value
	scale     *scale
}

func (c *column) varies() bool { return len(c.scale.distinct) > 1 }

func (c *column) positions(runs []int) []int {
	list := make([]int, len(runs))
	for k, n := range runs {
		list[k] = c.scale.at(c.values[n])
	}
	return list
}

// columns returns the parameters, followed by the other properties of runs: the seed, how far they
// got, and their metrics.
func columns(s Sweep) (list []*column) {
	add := func(name string, parameter bool, value func(sweep.Result) any) {
		c := &column{name: name, parameter: parameter, values: make([]any, len(s.Results))}
		for k, r := range s.Results {
			c.values[k] = value(r)
		}
		c.scale = newScale(c.values)
		list = append(list, c)
	}
	for k, name := range s.About.Parameters {
		add(name, true, func(r sweep.Result) any { return r.Case.Values[k] })
	}
	add("seed", false, func(r sweep.Result) any { return float64(r.Row.Seed) })
	add("simulated time, s", false, func(r sweep.Result) any { return r.Row.Time })
	add("steps", false, func(r sweep.Result) any { return float64(r.Row.Steps) })
	metrics := map[string]bool{}
	for _, r := range s.Results {
		for name := range r.Row.Metrics {
			metrics[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(metrics))
	for _, name := range names[:min(len(names), mostChoices)] {
		add(name, false, func(r sweep.Result) any {
			if v, ok := r.Row.Metrics[name]; ok {
				return v
			}
			return nil
		})
	}
	return list
}
