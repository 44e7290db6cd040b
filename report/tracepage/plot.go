package tracepage

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gosmp/timebase"
	"gosmp/trace/metrics"
)

// series are the values of one metric over time: of values at one time the one that counts.
type series struct {
	metrics.Metric
	Title  string
	choose func(a, b float64) float64
	only   func(metrics.Value) bool
	points []point
	every  timebase.Time
}

type point struct {
	t         timebase.Time
	low, high float64
}

// mostPoints is how many points a curve has about.
const mostPoints = 600

// plots are the curves of the page. The host's id is known only with the values.
func plots(span timebase.Time) []*series {
	list := []*series{
		{Metric: metrics.Metric{Name: metrics.Gap, Unit: "m"}, Title: "Minimum gap ahead",
			choose: math.Min},
		{Metric: metrics.Metric{Name: metrics.TimeToCollision, Unit: "s"},
			Title: "Minimum time to collision, up to 20 s", choose: math.Min,
			only: func(v metrics.Value) bool { return v.Value <= 20 }},
		{Metric: metrics.Metric{Name: metrics.Headway, Unit: "s"},
			Title: "Minimum time headway, up to 20 s", choose: math.Min,
			only: func(v metrics.Value) bool { return v.Value <= 20 }},
		{Metric: metrics.Metric{Name: metrics.Speed, Unit: "m/s"}, Title: "Maximum speed",
			choose: math.Max},
		{Metric: metrics.Metric{Name: metrics.DetectionRate, Unit: ""}, Title: "Detection rate",
			choose: math.Min},
		{Metric: metrics.Metric{Name: metrics.FalseDetections, Unit: ""}, Title: "False detections",
			choose: math.Max},
		{Metric: metrics.Metric{Name: metrics.PositionError, Unit: "m"},
			Title: "Maximum position error", choose: math.Max},
	}
	for _, s := range list {
		s.every = span/mostPoints + 1
	}
	return list
}

// add adds a value; those of one interval become a point with its least and greatest.
func (s *series) add(v metrics.Value) {
	if v.Metric != s.Name || s.only != nil && !s.only(v) {
		return
	}
	n := len(s.points)
	switch {
	case n > 0 && s.points[n-1].t == v.Time:
		x := s.choose(s.points[n-1].low, v.Value)
		s.points[n-1] = point{v.Time, x, x}
	case n > 1 && v.Time-s.points[n-2].t < s.every: // join the two before
		a, b := s.points[n-2], s.points[n-1]
		s.points[n-2] = point{a.t, math.Min(a.low, b.low), math.Max(a.high, b.high)}
		s.points[n-1] = point{v.Time, v.Value, v.Value}
	default:
		s.points = append(s.points, point{v.Time, v.Value, v.Value})
	}
}

const width, height, left, bottom = 720.0, 120.0, 56.0, 18.0

// SVG is the curve as a picture of its own.
func (s *series) SVG(first, last timebase.Time) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range s.points {
		low, high = math.Min(low, p.low), math.Max(high, p.high)
	}
	if low > 0 && low < high/2 {
		low = 0
	}
	if high-low < 1e-9 {
		low, high = low-0.5, high+0.5
	}
	x := func(t timebase.Time) float64 {
		return left + (width-left-8)*float64(t-first)/float64(max(1, last-first))
	}
	y := func(v float64) float64 { return 6 + (height-bottom-6)*(high-v)/(high-low) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %v %v" role="img" aria-label="%s">`, width,
		height, s.Title)
	for _, v := range []float64{low, (low + high) / 2, high} {
		fmt.Fprintf(&b,
			`<line class="grid" x1="%v" x2="%v" y1="%.1f" y2="%.1f"/><text x="%v" y="%.1f" text-anchor="end">%s</text>`, left, width-8, y(v), y(v),
			left-5, y(v)+4, strconv.FormatFloat(v, 'g', 4, 64))
	}
	for k := range 5 {
		t := first + (last-first)*timebase.Time(k)/4
		fmt.Fprintf(&b, `<text x="%.1f" y="%v" text-anchor="middle">%s s</text>`,
			min(x(t), width-24), height-4, strconv.FormatFloat(seconds(t, 100), 'f', -1, 64))
	}
	b.WriteString(`<path class="curve" d="` + s.path(x, y) +
		`"/><line class="cursor" x1="0" x2="0" y1="6" y2="`)
	fmt.Fprintf(&b, `%v"/></svg>`, height-bottom)
	return b.String()
}

// path is the curve, broken where values are missing for long.
func (s *series) path(x func(timebase.Time) float64, y func(float64) float64) string {
	var b strings.Builder
	for k, p := range s.points {
		command := "L"
		if k == 0 || p.t-s.points[k-1].t > max(3*s.every, timebase.Second/2) {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", command, x(p.t), y(p.low))
		if p.high > p.low {
			fmt.Fprintf(&b, "L%.1f %.1f", x(p.t), y(p.high))
		}
	}
	if len(s.points) == 1 {
		b.WriteString("h2")
	}
	return b.String()
}
