package scxml

import (
	"fmt"
	"path"
	"strings"
)

// InspectInvoked inspects the charts in files that a chart, or one of the charts inside it, invokes
// by a name that is known before they run, and the charts that these invoke. A chart fails only
// when it invokes a file that cannot be read, so these findings are no errors of the chart itself.
func InspectInvoked(c *Chart) Findings {
	w := invokedWalk{root: c, seen: map[string]bool{}}
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
	invoked, seen := Invocations(c), map[*Chart]bool{}
	var visit func(c *Chart)
	visit = func(c *Chart) {
		seen[c] = true
		list = append(list, c)
		for _, i := range c.invokes {
			if i.Register != nil {
				continue
			}
			inner := invoked[i]
			if complete = complete && inner != nil; inner != nil && !seen[inner] {
				visit(inner)
			}
		}
	}
	visit(c)
	return list, complete
}

// Invocations returns the charts that a chart and the charts that it invokes start, on all levels,
// by the element that starts them: charts inside the element, and charts in files. Each file is one
// chart. Charts that are unknown before the chart runs, or that cannot be read, are missing.
func Invocations(c *Chart) map[*Invoke]*Chart {
	all, files := map[*Invoke]*Chart{}, map[string]*Chart{c.nextTo(path.Base(slashed(c.File))): c}
	root := c
	var visit func(c *Chart, own bool)
	visit = func(c *Chart, own bool) {
		for _, i := range c.invokes {
			if g := i.Payload.Content; g != nil {
				if g.Chart != nil {
					all[i] = g.Chart
					visit(g.Chart, false)
				}
				continue
			}
			src, known := c.invokedFile(i, own)
			if !known || i.Type.Expr != nil || !IsChartType(i.Type.Value) {
				continue
			}
			name := root.nextTo(src)
			inner, read := files[name]
			if !read {
				inner = c.inFile(src, name)
				files[name] = inner // before it is visited, because it may invoke itself
				if inner != nil {
					visit(inner, false)
				}
			}
			if inner != nil {
				all[i] = inner
			}
		}
	}
	visit(c, true)
	return all
}

// nextTo returns the name of a file that a chart, or a chart that it invokes, refers to.
func (c *Chart) nextTo(src string) string {
	return path.Join(path.Dir(slashed(c.File)), strings.TrimPrefix(slashed(src), "file:"))
}

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// inFile returns a chart in a file, or nil if it cannot be read. The name is for messages.
func (c *Chart) inFile(src, name string) *Chart {
	if c.config.Load == nil {
		return nil
	}
	text, err := c.config.load(src)
	if err != nil {
		return nil
	}
	inner, _ := Inspect(name, text, c.config)
	return inner
}

type invokedWalk struct {
	root *Chart
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
	chart, list := Inspect(w.root.nextTo(src), text, c.config)
	w.list = append(w.list, list...)
	if chart != nil {
		w.chart(chart, false)
	}
}
