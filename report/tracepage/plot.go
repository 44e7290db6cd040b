package tracepage

import (
	"math"

	"gosmp/report/internal/page"
	"gosmp/timebase"
	"gosmp/trace/metrics"
)

// series holds the values of one metric over time. If there are several at the same time, choose
// selects one.
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

// mostOfMetric is the approximate maximum number of points of a curve.
const mostOfMetric = 600

// plots returns the curves of the page. The host's id is not known before the values.
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
		s.every = span/mostOfMetric + 1
	}
	return list
}

// add adds a value. The values of an interval become one point with their minimum and maximum.
func (s *series) add(v metrics.Value) {
	if v.Metric != s.Name || s.only != nil && !s.only(v) {
		return
	}
	n := len(s.points)
	switch {
	case n > 0 && s.points[n-1].t == v.Time:
		x := s.choose(s.points[n-1].low, v.Value)
		s.points[n-1] = point{v.Time, x, x}
	case n > 1 && v.Time-s.points[n-2].t < s.every: // join the two previous points
		a, b := s.points[n-2], s.points[n-1]
		s.points[n-2] = point{a.t, math.Min(a.low, b.low), math.Max(a.high, b.high)}
		s.points[n-1] = point{v.Time, v.Value, v.Value}
	default:
		s.points = append(s.points, point{v.Time, v.Value, v.Value})
	}
}

// metricCurves returns the metrics that have values, as curves of the page.
func metricCurves(measured []*series) (list []page.Curve) {
	for _, s := range measured {
		if len(s.points) == 0 {
			continue
		}
		c := page.Curve{Channel: "metrics", Path: page.Named(s.Title, s.Unit), Times: []float64{}}
		for _, p := range s.points {
			c.Append(p.t.Seconds(), p.low, p.high)
		}
		c.Round()
		list = append(list, c)
	}
	return list
}
