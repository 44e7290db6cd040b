package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/mcap"
)

// errConvertedPart ends a conversion that has left something out, which has been printed.
var errConvertedPart = &verdict{"the output is incomplete, see above"}

type convertCommand struct {
	Files       []string          `arg:"" placeholder:"FILE" predictor:"file" help:"Traces: .osi, MCAP or JSON Lines; several are merged by time. - is standard input. Or a system (.ssp, .ssd), or FMUs, each as FILE or NAME=FILE. Or a SMACH script (.exd)."`
	Out         string            `short:"o" required:"" placeholder:"FILE" help:"Where to write; - is standard output."`
	To          string            `enum:",osi,mcap,jsonl,csv,txth,objects" default:"" placeholder:"FORMAT" help:"Format of the output: osi, mcap, jsonl, csv (the fields of one channel), txth (protobuf text for people to read), or objects (a row for each moving object); by default the extension of the output decides."`
	Type        string            `placeholder:"TYPE" help:"Type of the messages of an .osi file whose name does not say it: SensorView, sv, ..."`
	Channel     []string          `placeholder:"TOPIC" sep:"none" help:"Keep only these channels: a topic or a type such as SensorView or sv. May be repeated."`
	Field       []string          `placeholder:"PATH" sep:"none" help:"Keep only these fields, and version and timestamp: moving_object.base.position. May be repeated."`
	From        float64           `placeholder:"S" help:"Leave out messages before this time, in seconds."`
	Until       float64           `placeholder:"S" help:"Leave out messages at this time or later, in seconds."`
	SensorView  bool              `name:"sensor-view" help:"Make a SensorView of each GroundTruth."`
	Topic       string            `placeholder:"TOPIC" help:"Topic of the channel of an .osi file; the default is its type."`
	Compression string            `enum:"none,lz4,zstd" default:"zstd" placeholder:"NAME" help:"Compression of MCAP: none, lz4 or zstd, the default."`
	Metadata    map[string]string `placeholder:"KEY=VALUE" help:"OSI's metadata of an MCAP file: description, authors, data_sources, zero_time, creation_time."`
	System      systemFlags       `embed:"" group:"System"`
	JSON        bool              `name:"json" help:"Print what was written as one JSON document."`
}

// Help returns the text that follows the list of flags.
func (convertCommand) Help() string {
	return `Messages pass byte for byte, unless --field or --sensor-view changes them. Files with an index are read in the order of time. ` +
		`A topic that occurs in several files gets a number appended.

An output that ends in .ssp is a system of FMUs in one package: the system that a command line of gosmp run names, or a system of files, in ` +
		`which nested systems, parameter files, dictionaries and units are resolved. The same input produces the same bytes.

An output that ends in .scxml is a statechart, translated from a SMACH script of the Neurorobotics Platform (.exd, .py). What has not been ` +
		`translated is listed with its line in the script.

The exit code is 0 when all is written, 1 when something is missing (an input is damaged and was used up to the damage, or later messages ` +
		`have fields that the first one lacks, so that the CSV has no columns for them), and 2 for files that cannot be read.

A JSON document has the members formatVersion (1), files, output, format, messages, start and end (in seconds), and missing, a list of texts.`
}

// converted is the JSON document, a contract.
type converted struct {
	FormatVersion int          `json:"formatVersion"`
	Files         []string     `json:"files"`
	Output        string       `json:"output"`
	Format        trace.Format `json:"format"`
	Messages      int64        `json:"messages"`
	Start         float64      `json:"start"`
	End           float64      `json:"end"`
	Missing       []string     `json:"missing"`

	first, last timebase.Time
}

// Run converts.
func (c *convertCommand) Run() error {
	if c.writesSystem() {
		return c.convertSystem()
	}
	if c.translates() {
		return c.translate()
	}
	format, err := c.format()
	if err != nil {
		return err
	}
	for _, name := range c.Files {
		if same(name, c.Out) {
			return unexpected("--out", fmt.Sprintf("%q, one of the inputs", c.Out), "another file")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Metadata)) {
		if trace.IsComputed(key) {
			return unexpected("--metadata", fmt.Sprintf("%q, which follows from the channels", key), "description, authors or the like")
		}
	}
	r := &converted{FormatVersion: 1, Files: c.Files, Output: c.Out, Format: format, Missing: []string{}}
	k := newCopier(r)
	source, err := c.open(k.enclose)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	if err := transformFile(c.Out, func(w io.Writer) error { return c.copy(source, w, k) }); err != nil {
		return err
	}
	if err := r.print(besides(c.Out), c.JSON); err != nil {
		return flushed(err)
	}
	if len(r.Missing) > 0 {
		return errConvertedPart
	}
	return nil
}

// formatOf is the format of a trace by the ending of its name, trace.Unknown for other endings.
func formatOf(name string) trace.Format {
	return map[string]trace.Format{".osi": trace.OSIFile, ".mcap": trace.MCAP, ".jsonl": trace.JSONLines, ".ndjson": trace.JSONLines, ".csv": trace.CSV,
		".txth": trace.Text}[strings.ToLower(filepath.Ext(name))]
}

// format is that of the output.
func (c *convertCommand) format() (trace.Format, error) {
	f := cmp.Or(trace.Format(c.To), formatOf(c.Out))
	if f == trace.Unknown {
		return f, unexpected("--out", fmt.Sprintf("%q", c.Out), "a name that ends in .osi, .mcap, .jsonl, .csv or .txth, or --to")
	}
	return f, nil
}

// open opens the files, filters them, and joins them.
func (c *convertCommand) open(enclosed func(any) error) (trace.Source, error) {
	o := trace.Options{Type: c.Type, Topic: c.Topic, Select: trace.Selection{Topics: c.Channel}, Enclosed: enclosed}
	var err error
	if o.Select.Start, err = traceTime("--from", c.From); err != nil {
		return nil, err
	}
	if o.Select.End, err = traceTime("--until", c.Until); err != nil {
		return nil, err
	}
	if o.Select.End != 0 && o.Select.End <= o.Select.Start {
		return nil, unexpected("--until", fmt.Sprint(c.Until), fmt.Sprintf("a time after --from %v", c.From))
	}
	var sources []trace.Source
	for _, name := range c.Files {
		s, err := openTrace(name, o)
		if err != nil {
			for _, opened := range sources {
				_ = opened.Close() // it was only read
			}
			return nil, err
		}
		sources = append(sources, s)
	}
	s := sources[0]
	if len(sources) > 1 {
		s = trace.Merge(sources...)
	}
	if c.SensorView {
		s = trace.Wrap(s, 0)
	}
	if len(c.Field) > 0 {
		s = trace.Prune(s, c.Field)
	}
	return s, nil
}

// copy writes all messages.
func (c *convertCommand) copy(source trace.Source, to io.Writer, k *copier) error {
	r := k.result
	options := trace.SinkOptions{Compression: mcap.Compression(strings.TrimPrefix(c.Compression, "none")), Metadata: map[string]string{}}
	for key, value := range source.Info().Metadata {
		// Of a file with an index, all channels are known before the first message.
		if !source.Info().Indexed || !trace.IsComputed(key) {
			options.Metadata[key] = value
		}
	}
	for key, value := range c.Metadata {
		options.Metadata[key] = value
	}
	sink, err := trace.Create(to, r.Format, options)
	if err != nil {
		return err
	}
	k.sink = sink
	if r.Format == trace.MCAP { // whose metadata name the releases of all channels
		for _, channel := range source.Channels() {
			if (&trace.Selection{Topics: c.Channel}).Wants(channel) {
				if _, err := k.channel(channel); err != nil {
					return err
				}
			}
		}
	}
	damage, err := eachMessage(source, k.write)
	if err != nil {
		return err
	}
	if damage != nil {
		r.Missing = append(r.Missing, damage.Error()+"; gosmp repair may find more after it")
	}
	if err := sink.Close(); err != nil {
		return err
	}
	if k.empty > 0 {
		r.Missing = append(r.Missing, quantity(k.empty, "message")+" of length 0, because some readers refuse such .osi files")
	}
	if l, is := sink.(trace.LeftOut); is && l.LeftOut() > 0 {
		r.Missing = append(r.Missing, quantity(l.LeftOut(), "field")+" without a column, because the first message does not have all fields; jsonl keeps them")
	}
	r.Start, r.End = r.first.Seconds(), r.last.Seconds()
	return nil
}

// copier writes the messages of a source to a sink.
type copier struct {
	sink     trace.Sink
	result   *converted
	channels map[*trace.Channel]*trace.Channel
	topics   []string
	message  trace.Message
	empty    int // messages that an .osi file cannot hold
}

func newCopier(r *converted) *copier {
	return &copier{result: r, channels: map[*trace.Channel]*trace.Channel{}}
}

// channel is the channel of the sink; topics that are taken get a number.
func (k *copier) channel(c *trace.Channel) (*trace.Channel, error) {
	if known := k.channels[c]; known != nil {
		return known, nil
	}
	copied := *c
	for n := 2; slices.Contains(k.topics, copied.Topic); n++ {
		copied.Topic = fmt.Sprintf("%s %d", c.Topic, n)
	}
	added, err := k.sink.Add(copied)
	if err != nil {
		return nil, err
	}
	k.channels[c] = added
	k.topics = append(k.topics, added.Topic)
	return added, nil
}

// enclose copies an attachment or metadata into an MCAP file; other formats have no place for them.
func (k *copier) enclose(record any) error {
	if e, is := k.sink.(trace.Encloser); is {
		return e.Enclose(record)
	}
	return nil
}

func (k *copier) write(m *trace.Message) error {
	c, err := k.channel(m.Channel)
	if err != nil {
		return err
	}
	if len(m.Data) == 0 && k.result.Format == trace.OSIFile {
		k.empty++
		return nil
	}
	k.message = *m
	k.message.Channel = c
	if k.result.Messages == 0 {
		k.result.first = m.Time
	}
	k.result.first, k.result.last = min(k.result.first, m.Time), max(k.result.last, m.Time)
	k.result.Messages++
	return k.sink.Write(&k.message)
}

func (r *converted) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(out, r)
	}
	text := fmt.Sprintf("%s written to %s", quantity(r.Messages, "message"), r.Output)
	if r.Messages > 0 {
		text += fmt.Sprintf(", %s s to %s s", check.Seconds(r.first), check.Seconds(r.last))
	}
	_, err := fmt.Fprintln(out, text)
	for _, m := range r.Missing {
		writeWrapped(out, "missing: "+m)
	}
	return err
}
