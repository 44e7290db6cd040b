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
	"gosmp/run/kind"
	"gosmp/trace"
)

// Trace is the output of inspect for a trace. Its JSON form is a contract.
type Trace struct {
	FormatVersion int               `json:"formatVersion"`
	File          string            `json:"file"`
	Kind          string            `json:"kind"`
	Size          int64             `json:"size"`
	Format        trace.Format      `json:"format"`
	Indexed       bool              `json:"indexed"`
	Messages      int64             `json:"messages"`
	Start         float64           `json:"start"` // s
	End           float64           `json:"end"`
	Channels      []traceChannel    `json:"channels"`
	Metadata      map[string]string `json:"metadata"`
	Library       string            `json:"library"`
	Chunks        int               `json:"chunks"`
	Compression   []string          `json:"compression"`
	Attachments   []string          `json:"attachments"`
	Drives        []traceDrive      `json:"drives"`
	Damage        string            `json:"damage"`

	info *trace.Info
}

type traceChannel struct {
	Topic           string `json:"topic"`
	Type            string `json:"type"`
	Encoding        string `json:"encoding"`
	OSIVersion      string `json:"osiVersion"`
	ProtobufVersion string `json:"protobufVersion"`
	Description     string `json:"description"`
	Messages        int64  `json:"messages"`
}

// traceDrive is a part of the trace between two restarts of its clock.
type traceDrive struct {
	Messages int64   `json:"messages"`
	Start    float64 `json:"start"` // s
	End      float64 `json:"end"`
}

// ReadTrace summarizes a trace, from its index or, without an index, from the whole trace.
func ReadTrace(name, messageType string) (*Trace, error) {
	s, err := inputfile.OpenTrace(name, trace.Options{Type: messageType,
		Restarts: trace.FollowRestarts})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // opened read-only
	info, err := trace.Survey(s)
	if err != nil && !trace.IsDamage(err) {
		return nil, err
	}
	d := &Trace{FormatVersion: 1, File: info.Name, Kind: kind.Trace, Size: info.Size,
		Format: info.Format, Indexed: info.Indexed, Messages: info.Messages,
		Start: info.Start.Seconds(), End: info.End.Seconds(), Channels: []traceChannel{},
		Drives: []traceDrive{}, Metadata: info.Metadata, Library: info.MCAP.Library,
		Chunks: info.MCAP.Chunks, Compression: append([]string{}, info.MCAP.Compression...),
		Attachments: append([]string{},
			info.MCAP.Attachments...), info: info}
	if err != nil {
		d.Damage = err.Error()
	}
	for _, x := range info.Drives {
		d.Drives = append(d.Drives, traceDrive{x.Messages, x.Start.Seconds(), x.End.Seconds()})
	}
	for k, c := range s.Channels() {
		d.Channels = append(d.Channels, traceChannel{c.Topic, c.Type, c.Encoding, c.OSIVersion,
			c.ProtobufVersion, c.Description, info.Counts[k]})
	}
	return d, nil
}

// Print writes the document as JSON or as text, with all rows of its lists or the first ones.
func (d *Trace) Print(out io.Writer, asJSON, all bool) error {
	if asJSON {
		return cli.WriteJSON(out, d)
	}
	plaintext.Printf(out, "%s\n", d.File)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	plaintext.Printf(w, "  format\t%s\n", d.formatText())
	plaintext.Printf(w, "  messages\t%s in %s\n", quantity.Grouped(d.Messages),
		quantity.Of(len(d.Channels), "channel"))
	if d.Messages > 0 {
		plaintext.Printf(w, "  time\t%s s to %s s, %s s long\n", trace.Seconds(d.info.Start),
			trace.Seconds(d.info.End), trace.Seconds(d.info.End-d.info.Start))
	}
	if len(d.Drives) > 1 {
		for k, x := range shown(d.info.Drives, all) {
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
func (d *Trace) formatText() string {
	switch {
	case d.Format == trace.MCAP && d.Indexed && d.Chunks == 0:
		return "MCAP without a chunk, by " + cmp.Or(d.Library, "an unnamed library")
	case d.Format == trace.MCAP && d.Indexed:
		return fmt.Sprintf("MCAP with %s, compression %s, %s bytes of %s, by %s",
			quantity.Of(d.Chunks, "chunk"), strings.Join(d.Compression, " and "),
			quantity.Grouped(d.info.MCAP.Compressed), quantity.Grouped(d.info.MCAP.Uncompressed),
			cmp.Or(d.Library, "an unnamed library"))
	case d.Format == trace.MCAP && d.Size < 0:
		return "MCAP, read from front to back"
	case d.Format == trace.MCAP:
		return "MCAP without a usable index"
	}
	return d.Format.Title()
}

// rate formats the number of messages per second on a channel, if that is meaningful.
func (d *Trace) rate(c traceChannel) string {
	drives, length := int64(1), (d.info.End - d.info.Start).Seconds()
	if len(d.info.Drives) > 1 {
		drives, length = int64(len(d.info.Drives)), 0
		for _, x := range d.info.Drives {
			length += (x.End - x.Start).Seconds()
		}
	}
	if c.Messages <= drives || length <= 0 {
		return ""
	}
	return cli.Plain(float64(c.Messages-drives)/length) + " Hz"
}
