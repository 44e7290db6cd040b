package tracepage

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/report/internal/page"
	"gosmp/trace/signal"
)

// Limits of the curves of a page.
const (
	mostIntervals = 600
	mostNumbers   = 160_000
)

// curves holds the curves of the page, and the number of omitted numbers.
type curves struct {
	page.Curves
	Constant int  // numbers that never change
	LeftOut  int  // numbers for which there was no room
	More     bool // even more than that
}

// importance lists name parts at the ends of paths, by importance to readers.
var importance = []string{".position.", ".velocity.", ".acceleration.", ".orientation.",
	"classification.", "_rate."}

func rank(c *signal.Curve) int {
	for k, part := range importance {
		if strings.Contains("."+c.Path, part) {
			return k
		}
	}
	return len(importance)
}

// chosen returns the curves of a page. Curves of single values come before curves of list elements,
// so that there is room for all kinds.
func chosen(c *signal.Collector, intervals int) *curves {
	all, constant := c.Changing()
	r := &curves{page.Curves{List: []page.Curve{}, Times: []float64{},
		Channels: map[string][]float64{}}, constant, c.LeftOut, c.More}
	if room := max(1, mostNumbers/max(1, intervals)); len(all) > room {
		r.LeftOut += len(all) - room
		order := map[*signal.Curve]int{}
		for k, u := range all {
			order[u] = k
		}
		listed := func(u *signal.Curve) int { return strings.Count(u.Path, "[") }
		slices.SortStableFunc(all, func(a, b *signal.Curve) int {
			return cmp.Or(cmp.Compare(min(1, listed(a)), min(1, listed(b))),
				cmp.Compare(rank(a), rank(b)))
		})
		all = all[:room]
		slices.SortFunc(all, func(a, b *signal.Curve) int {
			return cmp.Compare(order[a], order[b])
		})
	}
	for _, u := range all {
		r.List = append(r.List, curveOf(u))
		if r.Channels[u.Channel] == nil {
			times := make([]float64, intervals)
			for k := range times {
				times[k] = seconds(c.At(u.Channel, k))
			}
			r.Channels[u.Channel] = times
		}
	}
	return r
}

func curveOf(u *signal.Curve) page.Curve {
	c := page.Curve{Channel: u.Channel, Path: u.Path, Unit: u.Unit}
	for k, low := range u.Least {
		switch high := u.Greatest[k]; {
		case math.IsNaN(low):
			c.Values = append(c.Values, nil)
		case low == high:
			c.Values = append(c.Values, low)
		default:
			c.Values = append(c.Values, [2]float64{low, high})
		}
	}
	c.Round()
	if u.Enum != nil {
		c.Names = map[string]string{}
		for k := range u.Enum.Values().Len() {
			v := u.Enum.Values().Get(k)
			c.Names[strconv.Itoa(int(v.Number()))] = string(v.Name())
		}
	}
	return c
}
