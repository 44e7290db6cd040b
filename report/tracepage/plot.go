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
	Title   string
	channel string // of the sensor
	choose  func(a, b float64) float64
	only    func(metrics.Value) bool
	points  []point
	every   timebase.Time
}

type point struct {
	t         timebase.Time
	low, high float64
}

// mostOfMetric is the approximate maximum number of points of a curve.
const mostOfMetric = 600

// plots holds the curves of the metrics. The metrics of a sensor have a curve for each sensor.
type plots struct {
	kinds []series // in order, without points
	list  []*series
	of    map[source]*series
}

// source is a metric of the truth or of a sensor.
type source struct{ metric, channel string }

// newPlots returns the curves for a time span. The host's id is not known before the values.
func newPlots(span timebase.Time) *plots {
	below := func(v metrics.Value) bool { return v.Value <= 20 }
	p := &plots{of: map[source]*series{}, kinds: []series{
		{Metric: metrics.Metric{Name: metrics.Gap, Unit: "m"}, Title: "Minimum gap ahead",
			choose: math.Min},
		{Metric: metrics.Metric{Name: metrics.TimeToCollision, Unit: "s"},
			Title: "Minimum time to collision, up to 20 s", choose: math.Min, only: below},
		{Metric: metrics.Metric{Name: metrics.Headway, Unit: "s"},
			Title: "Minimum time headway, up to 20 s", choose: math.Min, only: below},
		{Metric: metrics.Metric{Name: metrics.Speed, Unit: "m/s"}, Title: "Maximum speed",
			choose: math.Max},
		{Metric: metrics.Metric{Name: metrics.DetectionRate, Unit: ""}, Title: "Detection rate",
			choose: math.Min},
		{Metric: metrics.Metric{Name: metrics.FalseDetections, Unit: ""}, Title: "False detections",
			choose: math.Max},
		{Metric: metrics.Metric{Name: metrics.PositionError, Unit: "m"},
			Title: "Maximum position error", choose: math.Max},
	}}
	for k := range p.kinds {
		p.kinds[k].every = span/mostOfMetric + 1
	}
	return p
}

// add adds a value to its curve.
func (p *plots) add(v metrics.Value) {
	key := source{v.Metric, v.Channel}
	if s := p.of[key]; s != nil {
		s.add(v)
		return
	}
	for _, kind := range p.kinds {
		if kind.Name != v.Metric {
			continue
		}
		s := &kind
		s.channel = v.Channel
		s.add(v)
		p.of[key], p.list = s, append(p.list, s)
	}
}

// add adds a value. The values of an interval become one point with their minimum and maximum.
func (s *series) add(v metrics.Value) {
	if s.only != nil && !s.only(v) {
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

// curves returns the metrics that have values, as curves of the page. The curves of one metric of
// several sensors share a panel, and their names contain the channels of the sensors.
func (p *plots) curves() (list []page.Curve) {
	for _, kind := range p.kinds {
		for _, s := range p.list {
			if s.Name != kind.Name || len(s.points) == 0 {
				continue
			}
			title := s.Title
			if s.channel != "" {
				title += " of " + s.channel
			}
			c := page.Curve{Channel: "metrics", Path: page.Named(title, s.Unit),
				Group: s.Title, Times: []float64{}}
			for _, at := range s.points {
				c.Append(at.t.Seconds(), at.low, at.high)
			}
			c.Round()
			list = append(list, c)
		}
	}
	return list
}
