package trialpage

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"strconv"

	"gosmp/experiment/scxml/draw"
	"gosmp/experiment/trial"
	"gosmp/timebase"
)

// plot is the curve as SVG, with marks at the times at which machines changed their states.
func plot(c *trial.Curve, end timebase.Time, marks []timebase.Time) template.HTML {
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
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="960" height="%.0f" class="curve">`,
		height+34)
	for _, v := range [...]float64{low, high} {
		fmt.Fprintf(&b,
			`<path class="axis" d="M%.1f %.1fH%.1f"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			left, y(v), left+width, left-6, y(v)+4, strconv.FormatFloat(v, 'g', 4, 64))
	}
	for _, at := range draw.Ticks(0, end) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x(at), height+26,
			strconv.FormatFloat(at.Seconds(), 'g', 6, 64))
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
