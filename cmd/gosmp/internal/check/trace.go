package check

import (
	"fmt"
	"io"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/quantity"
	"gosmp/run/kind"
	"gosmp/trace/check"
)

// checkTrace checks a trace with OSI's rules about its messages.
func (c *Command) checkTrace(in *inputfile.File) (*checked, error) {
	from, err := in.OpenContent()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	report, err := check.File(in.Name, from, from.Size, check.Options{Type: c.Type, Rules: true})
	if err != nil {
		return nil, err
	}
	r := c.judge(in, kind.Trace, report.List())
	for k := range r.Findings {
		r.Findings[k].Count = report.Findings[k].Count
	}
	r.trace = report
	return r, nil
}

// writeTrace writes what a trace holds, and the findings, each followed by how often it occurred.
func (r *checked) writeTrace(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range r.trace.Channels {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s s to %s s\n", c.Topic, c.ShortType(),
			quantity.Of(c.Messages, "message"), check.Seconds(c.First), check.Seconds(c.Last))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(r.Findings) == 0 {
		fmt.Fprintln(out, "  no findings")
	}
	for _, f := range r.Findings {
		if f.Count > 1 {
			f.Message = fmt.Sprintf("%s (%s times)", f.Message, quantity.Grouped(f.Count))
		}
		f.Message += " [" + f.ID + "]"
		writeFinding(out, r.File, f.Finding)
	}
	return nil
}
