package check

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run/kind"
	"gosmp/trace"
	"gosmp/trace/check"
)

// checkTrace checks the messages of a trace against OSI's rules.
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
	c.Channel, err = inputfile.ResolveChannelsAt(in.Name, from, from.Size, c.Channel,
		trace.Options{Type: c.Type})
	if err != nil {
		return nil, err
	}
	if err := c.selectChannels(report); err != nil {
		return nil, err
	}
	r := c.judge(in, kind.Trace, report.List())
	for k := range r.Findings {
		r.Findings[k].Count = report.Findings[k].Count
	}
	r.trace = report
	return r, nil
}

// selectChannels keeps only the channels of --channel in a report, with their findings and the
// findings about the file.
func (c *Command) selectChannels(r *check.Report) error {
	if len(c.Channel) == 0 {
		return nil
	}
	var have []*trace.Channel
	var others []string
	chosen := trace.Selection{Topics: c.Channel}
	r.Channels = slices.DeleteFunc(r.Channels, func(own *check.Channel) bool {
		have = append(have, own.Channel)
		if chosen.Wants(own.Channel) {
			return false
		}
		others = append(others, "channel "+own.Topic)
		return true
	})
	if err := chosen.Require(have); err != nil {
		return cli.Invalid("--channel", err)
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f check.Finding) bool {
		return slices.ContainsFunc(others, func(o string) bool {
			return f.Place.Object == o || strings.HasPrefix(f.Place.Object, o+",")
		})
	})
	return nil
}

// writeTrace writes the content of a trace and the findings, each followed by its number of
// occurrences.
func (r *checked) writeTrace(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range r.trace.Channels {
		plaintext.Printf(w, "  %s\t%s\t%s\t%s s to %s s\n", c.Topic, c.ShortType(),
			quantity.Of(c.Messages, "message"), trace.Seconds(c.First), trace.Seconds(c.Last))
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
