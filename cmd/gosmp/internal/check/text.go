package check

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	kindnames "gosmp/run/kind"
	"gosmp/sensor/simsensor"
	"gosmp/trace"
)

// writeText writes a result as text: the name of the file once, its content, and the findings.
// shown has written the findings that were certain earlier; nil if none were.
func (r *checked) writeText(out io.Writer, shown *lister) error {
	if shown != nil {
		shown.end()
		return nil
	}
	fmt.Fprintln(out, r.File)
	if r.Recording != nil {
		if err := writeRecording(out, r.result.Recording); err != nil {
			return err
		}
	}
	if r.result.Trace != nil {
		return r.writeTrace(out)
	}
	if r.Recording == nil {
		r.writeList(out)
		return nil
	}
	for k, f := range r.Findings {
		writeFinding(out, r.File, f.Finding)
		last := k+1 == len(r.Findings) || r.Findings[k+1].ID != f.ID
		if more := f.Count - cli.ListedOfAKind; last && more > 0 &&
			r.listed(f.ID) == cli.ListedOfAKind {
			writeMore(out, more, strings.ReplaceAll(f.ID, "-", " "))
		}
	}
	return nil
}

// writeList writes the findings that were not written during the check.
func (r *checked) writeList(out io.Writer) {
	l := &lister{out: out, file: r.File, bySeverity: r.Kind == kindnames.FMU ||
		r.Kind == kindnames.System}
	list := make([]finding.Finding, len(r.Findings))
	for k := range list {
		list[k] = r.Findings[k].Finding
	}
	l.add(list)
	l.end()
}

// writeFinding writes a finding in a file whose name has already been printed.
func writeFinding(out io.Writer, file string, f finding.Finding) {
	place := f.Place
	if place.File == file {
		place.File = ""
	}
	text := f.Severity.String() + ": " + f.Message
	if at := placeText(place); at != "" {
		text = at + ": " + text
	}
	if f.Remedy != "" {
		text += "; " + f.Remedy
	}
	cli.WriteWrapped(out, text)
}

func writeMore(out io.Writer, more int64, id string) {
	fmt.Fprintf(out, "    and %s more: %s\n", quantity.Grouped(more), id)
}

// listed returns the number of findings with an id in the result.
func (r *checked) listed(id string) (n int) {
	for _, f := range r.Findings {
		if f.ID == id {
			n++
		}
	}
	return n
}

// placeText formats a place inside a file: "12:7" for rows, preceded by the entry of an archive.
func placeText(p fault.Place) string { return strings.TrimPrefix(p.String(), "line:") }

func writeRecording(out io.Writer, r *simsensor.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  rows\t%d, %d malformed, %d out of order\n", r.Rows, r.Rejected, r.Held)
	fmt.Fprintf(w, "  stamps\tin %s\n", unitOf(r))
	fmt.Fprintf(w, "  duration\t%s, closed by %s\n", cli.ShortTime(r.Duration.Seconds()),
		closing(r))
	for _, s := range r.Sensors {
		fmt.Fprintf(w, "  %v\t%d rows, %s Hz, distances %s to %s, median %s\n", s.Kind, s.Rows,
			cli.Plain(s.Rate),
			cli.ShortTime(s.Min.Seconds()), cli.ShortTime(s.Max.Seconds()),
			cli.ShortTime(s.Median.Seconds()))
	}
	return w.Flush()
}

// unitOf returns the unit of the time stamps and how it was determined.
func unitOf(r *simsensor.Report) string {
	doubtful := func(p simsensor.Problem) bool {
		return simsensor.KindOf(p) == simsensor.DoubtfulUnit
	}
	switch {
	case !r.Decided:
		return r.Unit.String() + ", as stated"
	case slices.ContainsFunc(r.Oddities, doubtful):
		return r.Unit.String() + ", with a doubt"
	case r.Duration == 0:
		return r.Unit.String() + ", the default"
	}
	return r.Unit.String() + ", determined from the rates of the sensors"
}

// closing describes how a round ends, and whether another can follow.
func closing(r *simsensor.Report) string {
	switch {
	case r.EndRow:
		return "end row"
	case r.Rows == 0:
		return "end of file; it cannot loop, because it has no rows"
	case r.Duration == 0:
		return "end of file; it cannot loop, because all rows have one time"
	}
	return "end of file, so it can loop"
}

// writeTrace writes the content of a trace and the findings, each followed by its number of
// occurrences.
func (r *checked) writeTrace(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range r.result.Trace.Channels {
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
		if f.More > 0 {
			writeMore(out, int64(f.More), f.ID)
		}
	}
	return nil
}
