package inspect

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run/inspect"
	"gosmp/trace"
)

// readTrace describes a trace, or standard input.
func readTrace(name, messageType string) (*inspect.Trace, error) {
	o := trace.Options{Type: messageType, Restarts: trace.FollowRestarts}
	if name != cli.StandardOutput {
		return inspect.ReadTrace(name, o)
	}
	s, err := inputfile.OpenTrace(name, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // opened read-only
	return inspect.OfTrace(s)
}

// traceText prints a trace.
type traceText struct{ *inspect.Trace }

// print writes the document as JSON or as text, with all rows of its lists or the first ones.
func (d traceText) print(out io.Writer, asJSON, all bool) error {
	if asJSON {
		return cli.WriteJSON(out, d.Trace)
	}
	plaintext.Printf(out, "%s\n", d.File)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	plaintext.Printf(w, "  format\t%s\n", d.formatText())
	plaintext.Printf(w, "  messages\t%s in %s\n", quantity.Grouped(d.Messages),
		quantity.Of(len(d.Channels), "channel"))
	if d.Messages > 0 {
		plaintext.Printf(w, "  time\t%s s to %s s, %s s long\n", trace.Seconds(d.Info.Start),
			trace.Seconds(d.Info.End), trace.Seconds(d.Info.End-d.Info.Start))
	}
	if len(d.Drives) > 1 {
		for k, x := range shown(d.Info.Drives, all) {
			plaintext.Printf(w, "  drive %d\t%s s to %s s, %s\n", k+1, trace.Seconds(x.Start),
				trace.Seconds(x.End), quantity.Of(x.Messages, "message"))
		}
		more(w, d.Drives, all)
	}
	for _, key := range slices.Sorted(maps.Keys(d.Metadata)) {
		plaintext.Printf(w, "  %s\t%s\n", key, d.Metadata[key])
	}
	if len(d.Attachments) > 0 {
		plaintext.Printf(w, "  attachments\t%s\n", strings.Join(d.Attachments, ", "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range shown(d.Channels, all) {
		plaintext.Printf(w, "  %s\t%s\t%s\t%s\n", cmp.Or(c.Topic, "(no topic)"),
			trace.Channel{Type: c.Type}.ShortType(), quantity.Of(c.Messages, "message"), d.rate(c))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	more(out, d.Channels, all)
	if len(d.Drives) > 1 {
		cli.WriteWrapped(out, "the clock starts again "+quantity.Of(len(d.Drives)-1, "time")+
			"; "+trace.SplitRemedy)
	}
	if d.Damage != "" {
		cli.WriteWrapped(out, "damaged: "+d.Damage+"; gosmp repair writes the "+
			"remaining data to a new file")
	}
	return nil
}

// formatText describes the format of the file.
func (d traceText) formatText() string {
	switch {
	case d.Format == trace.MCAP && d.Indexed && d.Chunks == 0:
		return "MCAP without a chunk, by " + cmp.Or(d.Library, "an unnamed library")
	case d.Format == trace.MCAP && d.Indexed:
		return fmt.Sprintf("MCAP with %s, compression %s, %s bytes of %s, by %s",
			quantity.Of(d.Chunks, "chunk"), strings.Join(d.Compression, " and "),
			quantity.Grouped(d.Info.MCAP.Compressed), quantity.Grouped(d.Info.MCAP.Uncompressed),
			cmp.Or(d.Library, "an unnamed library"))
	case d.Format == trace.MCAP && d.Size < 0:
		return "MCAP, read from front to back"
	case d.Format == trace.MCAP:
		return "MCAP without a usable index"
	}
	return d.Format.Title()
}

// rate formats the number of messages per second on a channel, if that is meaningful.
func (d traceText) rate(c inspect.Channel) string {
	drives, length := int64(1), (d.Info.End - d.Info.Start).Seconds()
	if len(d.Info.Drives) > 1 {
		drives, length = int64(len(d.Info.Drives)), 0
		for _, x := range d.Info.Drives {
			length += (x.End - x.Start).Seconds()
		}
	}
	if c.Messages <= drives || length <= 0 {
		return ""
	}
	return cli.Plain(float64(c.Messages-drives)/length) + " Hz"
}
