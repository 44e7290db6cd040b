package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/sensor/simsensor"
)

// textWidth is how wide the lines of a report are at most.
const textWidth = 100

// writeText writes a result for people: the file once, what is in it, and the findings.
func (r *checked) writeText(out io.Writer) error {
	fmt.Fprintln(out, r.File)
	if r.Recording != nil {
		if err := writeRecording(out, r.Recording.report); err != nil {
			return err
		}
	}
	if r.trace != nil {
		return r.writeTrace(out)
	}
	if r.Recording == nil {
		r.writeList(out)
		return nil
	}
	for k, f := range r.Findings {
		writeFinding(out, r.File, f.Finding)
		last := k+1 == len(r.Findings) || r.Findings[k+1].ID != f.ID
		if more := f.Count - listedOfAKind; last && more > 0 && r.listed(f.ID) == listedOfAKind {
			writeMore(out, more, strings.ReplaceAll(f.ID, "-", " "))
		}
	}
	return nil
}

// writeList writes the findings of each id together, the first three of them.
func (r *checked) writeList(out io.Writer) {
	if len(r.Findings) == 0 {
		fmt.Fprintln(out, "  no findings")
	}
	var ids []string
	byID := map[string][]finding.Finding{}
	for _, f := range r.Findings {
		if byID[f.ID] == nil {
			ids = append(ids, f.ID)
		}
		byID[f.ID] = append(byID[f.ID], f.Finding)
	}
	for _, id := range ids {
		for k, f := range byID[id] {
			if k < listedOfAKind {
				f.Message += " [" + id + "]"
				writeFinding(out, r.File, f)
			}
		}
		if more := len(byID[id]) - listedOfAKind; more > 0 {
			writeMore(out, int64(more), id)
		}
	}
}

// writeFinding writes a finding of a file, whose name has been printed above.
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
	writeWrapped(out, text)
}

func writeMore(out io.Writer, more int64, id string) {
	fmt.Fprintf(out, "    and %s more: %s\n", grouped(more), id)
}

// listed is how many findings of an id the result lists.
func (r *checked) listed(id string) (n int) {
	for _, f := range r.Findings {
		if f.ID == id {
			n++
		}
	}
	return n
}

// placeText is a place inside a file: "12:7" for rows, with the entry of an archive in front.
func placeText(p fault.Place) string { return strings.TrimPrefix(p.String(), "line:") }

func writeRecording(out io.Writer, r *simsensor.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  rows\t%d, %d malformed, %d out of order\n", r.Rows, r.Rejected, r.Held)
	fmt.Fprintf(w, "  stamps\tin %s\n", unitOf(r))
	fmt.Fprintf(w, "  duration\t%s, closed by %s\n", shortTime(r.Duration.Seconds()), closing(r))
	for _, s := range r.Sensors {
		fmt.Fprintf(w, "  %v\t%d rows, %s Hz, distances %s to %s, median %s\n", s.Kind, s.Rows, plain(s.Rate),
			shortTime(s.Min.Seconds()), shortTime(s.Max.Seconds()), shortTime(s.Median.Seconds()))
	}
	return w.Flush()
}

// shortTime writes seconds without trailing zeros.
func shortTime(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + " s" }

// writeWrapped writes a text in lines of at most textWidth, the first indented by two blanks and
// the others by four.
func writeWrapped(out io.Writer, text string) {
	indent, line := "  ", ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(indent)+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textWidth {
			fmt.Fprintf(out, "%s%s\n", indent, line)
			indent, line = "    ", ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintf(out, "%s%s\n", indent, line)
}

// grouped writes a number with a blank between thousands, "1 186".
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + " " + text[k:]
	}
	return text
}

// unitOf is the unit of the stamps, and where it comes from.
func unitOf(r *simsensor.Report) string {
	doubtful := func(p simsensor.Problem) bool { return simsensor.KindOf(p) == simsensor.DoubtfulUnit }
	switch {
	case !r.Decided:
		return r.Unit.String() + ", as stated"
	case slices.ContainsFunc(r.Oddities, doubtful):
		return r.Unit.String() + ", with a doubt"
	case r.Duration == 0:
		return r.Unit.String() + ", the default"
	}
	return r.Unit.String() + ", by the rates of the sensors"
}

// closing describes what ends a round, and whether another can follow.
func closing(r *simsensor.Report) string {
	switch {
	case r.EndRow:
		return "end row"
	case r.Rows == 0:
		return "end of file; without rows it cannot loop"
	case r.Duration == 0:
		return "end of file; with all rows at one time it cannot loop"
	}
	return "end of file, so it can loop"
}

// plain writes a number of 0 or more without an exponent: all digits before the point, and four in
// all if there are not as many.
func plain(v float64) string {
	if v == 0 {
		return "0"
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(v))))
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// quantity is a number with its noun: "1 message", "2 000 messages".
func quantity[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(int64(n)) + " " + noun
}
