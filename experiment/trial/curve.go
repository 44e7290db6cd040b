package trial

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"gosmp/cosim"
	"gosmp/experiment/scxml/draw"
	"gosmp/timebase"
)

// Bounds of what a report shows.
const (
	maxCurves  = 24
	maxBuckets = 600
)

// curve is the course of a variable for the report: the extremes of stretches of equal length,
// which grow so that memory is bounded.
type curve struct {
	Name, Unit string
	Every      int // rows in a bucket
	Rows       int // of the last bucket
	Buckets    []bucket
	signal     *cosim.Signal
}

// bucket is a stretch of time with the extremes in it.
type bucket struct {
	Start     timebase.Time
	Low, High float64
	Last      float64
}

// follow adds a curve, unless there is one of that name, or too many.
func (t *Trial) follow(name string, s *cosim.Signal) {
	known := slices.ContainsFunc(t.curves, func(c *curve) bool { return c.Name == name })
	if !known && len(t.curves) < maxCurves && !s.Variable.Kind.IsBlob() {
		t.curves = append(t.curves, &curve{Name: name, Unit: s.Variable.Unit, Every: 1, signal: s})
	}
}

// add takes the present value. Values that are not finite have no place in a picture.
func (c *curve) add(now timebase.Time) {
	r := reading{signal: c.signal}
	r.look()
	v := r.number()
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if n := len(c.Buckets); n > 0 && c.Rows < c.Every {
		b := &c.Buckets[n-1]
		b.Low, b.High, b.Last = min(b.Low, v), max(b.High, v), v
		c.Rows++
		return
	}
	if len(c.Buckets) == maxBuckets {
		c.join()
	}
	c.Buckets, c.Rows = append(c.Buckets, bucket{now, v, v, v}), 1
}

// join makes one bucket of two.
func (c *curve) join() {
	half := c.Buckets[:0]
	for k := 0; k+1 < len(c.Buckets); k += 2 {
		a, b := c.Buckets[k], c.Buckets[k+1]
		half = append(half, bucket{a.Start, min(a.Low, b.Low), max(a.High, b.High), b.Last})
	}
	c.Buckets, c.Every = half, 2*c.Every
}

// plot is the curve as SVG, with marks at the times at which machines changed their states.
func (c *curve) plot(end timebase.Time, marks []timebase.Time) template.HTML {
	const left, width, height = 60.0, 880.0, 110.0
	low, high := math.Inf(1), math.Inf(-1)
	for _, b := range c.Buckets {
		low, high = min(low, b.Low), max(high, b.High)
	}
	if len(c.Buckets) == 0 || end <= 0 {
		return ""
	}
	if least := 1e-9 * max(1, math.Abs(low)); high-low < least {
		low, high = low-max(1, least), high+max(1, least)
	}
	x := func(t timebase.Time) float64 { return left + float64(float64(t)/float64(end)*width) }
	y := func(v float64) float64 { return 10 + float64((high-v)/(high-low)*height) }
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="%.0f" class="curve">`, height+34)
	for _, v := range [...]float64{low, high} {
		fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fH%.1f"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			left, y(v), left+width, left-6, y(v)+4, strconv.FormatFloat(v, 'g', 4, 64))
	}
	for _, at := range draw.Ticks(0, end) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x(at), height+26, strconv.FormatFloat(at.Seconds(), 'g', 6, 64))
	}
	for _, t := range marks {
		fmt.Fprintf(&b, `<path class="mark" d="M%.1f 10v%.0f"/>`, x(t), height)
	}
	b.WriteString(`<path class="line" d="`)
	for k, p := range c.Buckets {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(k, 1)], x(p.Start), y(p.Low))
		if p.High > p.Low {
			fmt.Fprintf(&b, "V%.1fV%.1f", y(p.High), y(p.Last))
		}
	}
	b.WriteString(`"/></svg>`)
	return template.HTML(b.String()) //nolint:gosec // numbers only
}
