package curves

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// shorten labels the marks of an axis with large numbers that change little relative to the lowest
// mark, which the name of the axis states: five digits would be the same at each mark.
func shorten(axis *plot.Axis) {
	const longest = 9999 // of a label, in units of a step
	if !(axis.Min < axis.Max) {
		return
	}
	marks, major := plot.DefaultTicks{}.Ticks(axis.Min, axis.Max), []float64{}
	for _, m := range marks {
		if !m.IsMinor() {
			major = append(major, m.Value)
		}
	}
	if len(major) < 2 {
		return
	}
	base, step := major[0], major[1]-major[0]
	if max(math.Abs(axis.Min), math.Abs(axis.Max))/step <= longest {
		return
	}
	for k := range marks {
		if !marks[k].IsMinor() {
			over := math.Round((marks[k].Value-base)/step*1e3) / 1e3
			marks[k].Label = "+" + strconv.FormatFloat(float64(over*step), 'g', 4, 64)
		}
	}
	axis.Tick.Marker = plot.ConstantTicks(marks)
	decimals := max(0, int(math.Ceil(-float64(math.Log10(step))-1e-3)))
	above := "above " + strconv.FormatFloat(base, 'f', min(decimals, 17), 64)
	if axis.Label.Text != "" {
		above = axis.Label.Text + ", " + above
	}
	axis.Label.Text = above
}
