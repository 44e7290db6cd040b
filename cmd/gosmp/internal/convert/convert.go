// Package convert implements gosmp convert, which converts, cuts, filters and merges traces, packs
// systems of FMUs, and translates SMACH scripts into statecharts.
package convert

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// errConvertedPart ends a conversion that omitted something; what it omitted has been printed.
var errConvertedPart = cli.Negative("the output is incomplete, see above")

// Command implements gosmp convert.
type Command struct {
	Files       []string          `arg:"" placeholder:"FILE" predictor:"file" help:"Traces: ${readFormats}, also packed (.gz, .xz, .bz2, .zst); several are merged by time. - is standard input. Or a system (.ssp, .ssd), or FMUs, each as FILE or NAME=FILE. Or a SMACH script (.exd)."`
	Out         string            `short:"o" required:"" placeholder:"FILE" help:"Where to write; - is standard output."`
	To          string            `enum:",${formats}" default:"" placeholder:"FORMAT" help:"Format of the output: ${formatList}; by default it follows from the extension of the output."`
	Type        string            `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it: SensorView, sv, ..."`
	Channel     []string          `placeholder:"TOPIC" sep:"none" help:"Keep only these channels: a topic, its last part, or a type such as SensorView or sv. May be repeated."`
	Field       []string          `placeholder:"PATH" sep:"none" help:"Keep only these fields, and version and timestamp: moving_object.base.position. May be repeated."`
	From        float64           `placeholder:"S" help:"Omit messages before this time, in seconds."`
	Until       float64           `placeholder:"S" help:"Omit messages at or after this time, in seconds."`
	SensorView  bool              `name:"sensor-view" help:"Convert each GroundTruth to a SensorView."`
	Join        bool              `help:"Join channels with the same topic, type and version in several files: parts of one recording that follow each other in time."`
	SplitTime   *float64          `placeholder:"S" help:"Write parts of this length, in seconds from the first message on: drive_001.mcap, drive_002.mcap, ..."`
	SplitSize   string            `placeholder:"SIZE" help:"Write parts of at most this size, such as 500kB, 100MB or 2GiB; see --split-time."`
	Restarts    string            `enum:"refuse,split,ignore" default:"refuse" placeholder:"HOW" help:"If the clock of a trace restarts: refuse the trace, split it into parts, one for each drive (drive_001.mcap, ...), or ignore it and sort all messages as one drive; ${default} by default."`
	Topic       string            `placeholder:"TOPIC" help:"Topic of the channel of an .osi file; the default is its type."`
	Compression string            `enum:"none,lz4,zstd" default:"zstd" placeholder:"NAME" help:"Compression of MCAP: none, lz4 or zstd, the default."`
	Metadata    map[string]string `placeholder:"KEY=VALUE" help:"OSI's metadata of an MCAP file: description, authors, data_sources, zero_time, creation_time."`
	Layout      string            `placeholder:"FILE" help:"With --to foxglove, write a layout of panels, which Foxglove and Lichtblick import."`
	System      systemFlags       `embed:"" group:"System"`
	JSON        bool              `name:"json" help:"Print a summary of the written files as one JSON document."`

	read      []trace.Source
	saved     *os.File // a copy of standard input; nil if it is read as a stream
	savedSize int64
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `Messages are copied byte for byte, unless --field or --sensor-view changes them. ` +
		`Files with an index are read in time order. If a topic occurs in several files, a ` +
		`number is appended to it, unless --join makes one channel of the parts.

The clock of a trace has restarted if the log time of a channel goes back by more than a ` +
		`second, or, after ten messages, to the time of its first message or earlier, and its ` +
		`next message confirms this. Other messages whose time goes back are late; they are ` +
		`sorted.

With --to foxglove, the file contains scenes, point clouds, frames and geographic positions in ` +
		`addition to the OSI messages; Foxglove and Lichtblick draw it without an extension.

An output that ends in .ssp is a system of FMUs in one package: the system in a gosmp run ` +
		`command line, or a system from files, in which nested systems, parameter files, ` +
		`dictionaries and units are resolved. The same input produces the same bytes.

An output that ends in .scxml is a statechart, translated from a SMACH script of the ` +
		`Neurorobotics Platform (.exd, .py). Parts that could not be translated are listed ` +
		`with their lines in the script.

The exit code is 0 if everything was written, 1 if something is missing (an input is damaged ` +
		`and was used up to the damage, a message cannot be decoded and was omitted, a channel ` +
		`has messages that the format cannot hold or a schema that cannot be used and was not ` +
		`selected with --channel, or later messages have fields that the first one lacks, so ` +
		`that the CSV has no columns for them), and 2 for files that cannot be read.

A JSON document has the members formatVersion (1), files, output, format, messages, start and ` +
		`end (in seconds), missing, a list of texts, and parts, a list of documents with file, ` +
		`messages, start and end, if there are any.`
}

// Result is the JSON output, which is a contract.
type Result struct {
	FormatVersion int          `json:"formatVersion"`
	Files         []string     `json:"files"`
	Output        string       `json:"output"`
	Format        trace.Format `json:"format"`
	Messages      int64        `json:"messages"`
	Start         float64      `json:"start"`
	End           float64      `json:"end"`
	Missing       []string     `json:"missing"`
	Parts         []Part       `json:"parts,omitempty"`

	first, last timebase.Time
}

// Run converts the files.
func (c *Command) Run() error {
	switch {
	case c.writesSystem():
		return c.convertSystem()
	case c.translates():
		return c.translate()
	}
	return c.convertTraces()
}

// convertTraces converts, cuts, filters and merges traces.
func (c *Command) convertTraces() error {
	format, err := c.format()
	if err != nil {
		return err
	}
	parts, err := c.split()
	if err != nil {
		return err
	}
	if err := c.refuse(); err != nil {
		return err
	}
	if c.Channel, err = inputfile.ResolveChannels(c.Files, c.Channel,
		trace.Options{Type: c.Type, Topic: c.Topic}); err != nil {
		return err
	}
	k := &trace.Copy{Format: format, Compression: mcap.Compression(strings.TrimPrefix(c.Compression,
		"none")), Metadata: c.Metadata,
		Select: trace.Selection{Topics: c.Channel}, Join: c.Join,
		LeaveOut: len(c.Channel) == 0}
	defer c.release()
	updated, err := c.updated()
	if err != nil {
		return c.named(err)
	}
	source, err := c.open(k)
	if err != nil {
		return c.named(err)
	}
	defer func() { _ = source.Close() }() // opened read-only
	source, unusable := c.suited(source, k, updated)
	r := &Result{FormatVersion: 1, Files: c.Files, Output: c.Out, Format: format,
		Missing: []string{}}
	if parts.Time > 0 || parts.Size > 0 || c.Restarts == splitRestarts {
		err = c.writeParts(k, source, parts, r)
	} else {
		err = c.write(c.Out, func(w io.Writer) error { return k.Run(w, source) })
	}
	if err != nil {
		return c.named(err)
	}
	k.Unusable = append(unusable(), k.Unusable...)
	if err := c.writeLayout(source); err != nil {
		return err
	}
	return c.finish(k, r)
}

// finish prints the result of a copy, and fails if something is missing.
func (c *Command) finish(k *trace.Copy, r *Result) error {
	r.report(k, c.named)
	chosen := trace.Selection{Topics: c.Channel}
	if err := chosen.Require(c.channels()); err != nil {
		r.Missing = append(r.Missing, cli.Invalid("--channel", err).Error())
	}
	if err := r.print(cli.Besides(c.Out), c.JSON); err != nil {
		return cli.Flushed(err)
	}
	if len(r.Missing) > 0 {
		return errConvertedPart
	}
	return nil
}

// refuse returns an error if the flags do not suit the files and metadata.
func (c *Command) refuse() error {
	for _, name := range c.Files {
		if cli.SameFile(name, c.Out) {
			return cli.Unexpected("--out", fmt.Sprintf("%q, one of the inputs", c.Out),
				"another file")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Metadata)) {
		if trace.IsComputed(key) {
			return cli.Unexpected("--metadata", fmt.Sprintf("%q, which is "+
				"determined by the channels",
				key), "description, authors or the like")
		}
	}
	return nil
}

// splitRestarts is the value of --restarts that writes each drive to its own file.
const splitRestarts = "split"

// open opens, filters and merges the files.
func (c *Command) open(k *trace.Copy) (trace.Source, error) {
	o := trace.Options{Type: c.Type, Topic: c.Topic, Select: trace.Selection{Topics: c.Channel},
		Attached: k.Attach, Lost: k.Lose, Restarts: map[string]trace.Restarts{
			splitRestarts: trace.FollowRestarts, "ignore": trace.IgnoreRestarts}[c.Restarts]}
	var err error
	if o.Select.Start, err = inputfile.TraceTime("--from", c.From); err != nil {
		return nil, err
	}
	if o.Select.End, err = inputfile.TraceTime("--until", c.Until); err != nil {
		return nil, err
	}
	if o.Select.End != 0 && o.Select.End <= o.Select.Start {
		return nil, cli.Unexpected("--until", fmt.Sprint(c.Until),
			fmt.Sprintf("a time later than --from %v", c.From))
	}
	var sources []trace.Source
	for _, name := range c.Files {
		s, err := c.openFile(name, o)
		if err != nil {
			for _, opened := range sources {
				_ = opened.Close() // opened read-only
			}
			return nil, err
		}
		sources = append(sources, s)
	}
	c.read = sources
	s := sources[0]
	if len(sources) > 1 {
		s = trace.Merge(sources...)
	}
	if c.SensorView {
		s = trace.Wrap(s, 0)
	}
	if len(c.Field) > 0 {
		s = trace.Prune(s, c.Field, k.Break)
	}
	return s, nil
}

// channels returns the channels of the files.
func (c *Command) channels() (list []*trace.Channel) {
	for _, s := range c.read {
		list = append(list, s.Channels()...)
	}
	return list
}

// write writes a file, unless --channel selects nothing.
func (c *Command) write(name string, copied func(io.Writer) error) error {
	return cli.TransformFile(name, func(w io.Writer) error {
		if err := copied(w); err != nil {
			return err
		}
		return c.nothingSelected()
	})
}

// nothingSelected returns an error if the files have none of the channels that --channel selects,
// so that no empty file replaces an older one.
func (c *Command) nothingSelected() error {
	chosen := trace.Selection{Topics: c.Channel}
	channels := c.channels()
	if len(c.Channel) == 0 || len(chosen.Missing(channels)) < len(c.Channel) {
		return nil
	}
	return cli.Invalid("--channel", chosen.Require(channels))
}

// named adds the file to an error about a message. If there are several files, it does not: the
// channel identifies the file, because no other file has its topic.
func (c *Command) named(err error) error {
	if len(c.Files) != 1 {
		return err
	}
	return trace.InFile(c.Files[0], err)
}

// report fills in the result from a copy. named adds the file to an error.
func (r *Result) report(k *trace.Copy, named func(error) error) {
	r.Messages, r.first, r.last = k.Messages, k.First, k.Last
	r.Start, r.End = r.first.Seconds(), r.last.Seconds()
	if k.Damage != nil {
		r.Missing = append(r.Missing, k.Damage.Error()+"; gosmp repair may find more after it")
	}
	for _, err := range k.Unusable {
		r.Missing = append(r.Missing, named(err).Error())
	}
	for _, lost := range k.Lost {
		r.Missing = append(r.Missing, named(lost).Error())
	}
	for _, err := range k.Broken {
		r.Missing = append(r.Missing, named(err).Error())
	}
	if more := k.Undecodable - int64(len(k.Broken)); more > 0 {
		r.Missing = append(r.Missing, quantity.Of(more, "more message")+" that cannot be decoded")
	}
	if k.Empty > 0 {
		r.Missing = append(r.Missing, quantity.Of(k.Empty, "message")+
			" of length 0, because some readers refuse or skip them")
	}
	if k.LeftOut > 0 {
		r.Missing = append(r.Missing, quantity.Of(k.LeftOut, "field")+
			" without a column, because the first message does not have all fields; "+
			"jsonl keeps them")
	}
}

func (r *Result) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(out, r)
	}
	to := r.Output
	if len(r.Parts) > 0 {
		to = quantity.Of(len(r.Parts), "part")
	}
	text := fmt.Sprintf("%s written to %s", quantity.Of(r.Messages, "message"), to)
	if r.Messages > 0 {
		text += fmt.Sprintf(", %s s to %s s", trace.Seconds(r.first), trace.Seconds(r.last))
	}
	out = plaintext.Lines(out)
	_, err := fmt.Fprint(out, text+"\n"+r.partLines())
	for _, m := range r.Missing {
		cli.WriteWrapped(out, "missing: "+plaintext.Line(m))
	}
	return err
}
