package scxml

import "fmt"

// InspectInvoked inspects the charts in files that a chart, or one of the charts inside it, invokes
// by a name that is known before they run, and the charts that these invoke. A chart fails only
// when it invokes a file that cannot be read, so these findings are no errors of the chart itself.
func InspectInvoked(c *Chart) Findings {
	w := invokedWalk{seen: map[string]bool{}}
	w.chart(c, true)
	return w.list
}

// InvokedFiles returns the names of the files with the charts that a chart itself, or one of the
// charts inside it, invokes. If ok is false, the list is incomplete, because a name is computed
// while the chart runs.
func InvokedFiles(c *Chart) (list []string, ok bool) {
	ok = true
	var visit func(c *Chart, own bool)
	visit = func(c *Chart, own bool) {
		for _, i := range c.invokes {
			switch g := i.Payload.Content; {
			case g != nil && g.Chart != nil:
				visit(g.Chart, false)
			case g != nil || !i.Src.Given:
			default:
				src, known := c.invokedFile(i, own)
				if ok = ok && known; known {
					list = append(list, src)
				}
			}
		}
	}
	visit(c, true)
	return list, ok
}

// Together returns a chart and the charts that it invokes, on all levels, including those in files.
// If complete is false, some of them are unknown before the chart runs, or cannot be read.
func Together(c *Chart) (list []*Chart, complete bool) {
	complete = true
	seen := map[string]bool{}
	var visit func(c *Chart, own bool)
	visit = func(c *Chart, own bool) {
		list = append(list, c)
		for _, i := range c.invokes {
			switch g := i.Payload.Content; {
			case i.Register != nil:
			case g != nil && g.Chart != nil:
				visit(g.Chart, false)
			default:
				src, known := c.invokedFile(i, own)
				if seen[src] && known {
					continue
				}
				seen[src] = true
				inner := c.inFile(src, known && g == nil && i.Type.Expr == nil)
				if complete = complete && inner != nil; inner != nil {
					visit(inner, false)
				}
			}
		}
	}
	visit(c, true)
	return list, complete
}

// inFile returns a chart in a file that the chart names, or nil if it is not known or cannot be
// read.
func (c *Chart) inFile(src string, known bool) *Chart {
	if !known || c.config.Load == nil {
		return nil
	}
	text, err := c.config.load(src)
	if err != nil {
		return nil
	}
	inner, _ := Inspect(src, text, c.config)
	return inner
}

type invokedWalk struct {
	seen map[string]bool // files
	list Findings
}

// chart inspects the files that a chart invokes. If own is set, no other chart invokes it.
func (w *invokedWalk) chart(c *Chart, own bool) {
	if c.config.Load == nil {
		return // the files are unknown
	}
	for _, i := range c.invokes {
		if g := i.Payload.Content; g != nil {
			if g.Chart != nil {
				w.chart(g.Chart, false)
			}
			continue
		}
		if i.Type.Expr != nil || !IsChartType(i.Type.Value) {
			continue
		}
		if src, known := c.invokedFile(i, own); known {
			w.file(c, i, src)
		}
	}
}

func (w *invokedWalk) file(c *Chart, i *Invoke, src string) {
	text, err := c.config.load(src)
	if err != nil {
		b := newBuilder(c, c.config)
		attribute := "src"
		if i.Src.Expr != nil {
			attribute = "srcexpr"
		}
		b.later(SX12, i.element.At(attribute),
			fmt.Sprintf("the chart %q cannot be read: %v", src, err),
			"correct "+attribute+", or put the file there")
		w.list = append(w.list, b.findings...)
		return
	}
	if w.seen[src] {
		return
	}
	w.seen[src] = true
	chart, list := Inspect(src, text, c.config)
	w.list = append(w.list, list...)
	if chart != nil {
		w.chart(chart, false)
	}
}
