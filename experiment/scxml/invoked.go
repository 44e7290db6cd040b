package scxml

import "fmt"

// InspectInvoked inspects the charts in files that a chart, or one of the charts inside it, invokes
// by name, and the charts that these invoke. A chart fails only when it invokes a file that cannot
// be read, so these findings are no errors of the chart itself.
func InspectInvoked(c *Chart) Findings {
	w := invokedWalk{seen: map[string]bool{}}
	w.chart(c)
	return w.list
}

type invokedWalk struct {
	seen map[string]bool // files
	list Findings
}

func (w *invokedWalk) chart(c *Chart) {
	if c.config.Load == nil {
		return // the files are unknown
	}
	for _, i := range c.invokes {
		if g := i.Payload.Content; g != nil {
			if g.Chart != nil {
				w.chart(g.Chart)
			}
			continue
		}
		if !i.Src.Given || i.Src.Expr != nil || i.Type.Expr != nil || !IsChartType(i.Type.Value) {
			continue
		}
		w.file(c, i)
	}
}

func (w *invokedWalk) file(c *Chart, i *Invoke) {
	text, err := c.config.load(i.Src.Value)
	if err != nil {
		b := newBuilder(c, c.config)
		b.later(SX12, i.element.At("src"),
			fmt.Sprintf("the chart %q cannot be read: %v", i.Src.Value, err),
			"correct src, or put the file there")
		w.list = append(w.list, b.findings...)
		return
	}
	if w.seen[i.Src.Value] {
		return
	}
	w.seen[i.Src.Value] = true
	chart, list := Inspect(i.Src.Value, text, c.config)
	w.list = append(w.list, list...)
	if chart != nil {
		w.chart(chart)
	}
}
