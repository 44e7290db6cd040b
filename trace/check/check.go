// Package check finds faults in traces: violations of the formats, problems for readers and
// viewers, and messages that break OSI's own rules.
//
//	report, err := check.File("drive.mcap", file, size, check.Options{})
//
// Guarantees: each file is read once from front to back, using only the memory of its largest
// chunk. A damaged file is checked up to the damage, which is reported as a finding. Each finding
// id is listed once per channel and message text, with a count and the place of its first
// occurrence. Of more than [finding.MostAlike] findings of the same id, the others only count.
//
// Source: OSI 3.8.0, "OSI trace file formats" and "OSI trace file naming conventions"; the rules in
// the comments of OSI's .proto files; the requirements of osi-python and of Lichtblick's OSI
// converter.
//
// Types: [Report] with [Channel] and [Finding], [Options].
package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/proto/osifile"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// Options select what is checked.
type Options struct {
	Type  string // of the messages of an .osi file whose name does not state it
	Rules bool   // also check OSI's rules about the content of each message
	// Topics or types of channels whose findings are wanted. Further findings of them are left out
	// only if there are too many of their own. Empty: all channels.
	Topics []string
}

// Report is the result of a check.
type Report struct {
	Format   trace.Format
	Size     int64
	Messages int64
	Channels []*Channel
	Findings []Finding // of the file, then of its channels, in the order of their first occurrence
}

// Channel describes the content of a channel.
type Channel struct {
	*trace.Channel
	Messages    int64
	Bytes       int64
	First, Last timebase.Time // least and greatest log time, as in [trace.Info]
	Interval    timebase.Time // median interval; 0 with fewer than two messages
}

// Finding is a finding with the number of its occurrences.
type Finding struct {
	finding.Finding
	Count int64
}

// List returns the findings without their counts.
func (r *Report) List() (l finding.List) {
	for _, f := range r.Findings {
		l = append(l, f.Finding)
	}
	return l
}

// File checks a trace of size bytes. The error reports a failure to read, or an unknown format.
// File damage is reported as a finding.
func File(name string, from io.ReaderAt, size int64, o Options) (*Report, error) {
	content, err := trace.Unpack(name, from, size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }() // was only read
	head := make([]byte, min(content.Size, trace.HeadSize))
	if _, err := content.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	c := &checker{name: name, options: o, report: &Report{Size: size},
		channels: map[*trace.Channel]*channel{}, tallies: map[string]*finding.Tally{},
		chosen: map[string]bool{}}
	if bytes.HasPrefix(head, []byte(mcap.Magic)) {
		err = c.mcapFile(content, content.Size)
	} else {
		err = c.otherFile(content)
	}
	if err != nil {
		return nil, err
	}
	if content.Damage != nil {
		c.damaged(content.Damage)
	}
	c.finish()
	return c.report, nil
}

// checker collects findings.
type checker struct {
	name      string
	options   Options
	report    *Report
	channels  map[*trace.Channel]*channel
	order     []*channel
	counter   *rules.Counter // of any channel; all of them share the known ids
	separated bool           // an .osi file without lengths
	truths    bool           // there are GroundTruths or SensorViews with one
	clocks    mcap.Clocks[*trace.Channel]
	states    map[string]string         // OSI's metadata record of an MCAP file
	list      finding.List              // the findings of the report
	counts    []int64                   // the number of occurrences of each of them
	tallies   map[string]*finding.Tally // by group
	chosen    map[string]bool           // the places of channels in the selection
	// whether the content of an OSI message was checked, and whether the lack of a channel for one
	// has been reported
	judged, withoutOSI bool
}

// choose notes whether the findings of a channel are wanted.
func (c *checker) choose(t *trace.Channel) {
	if (&trace.Selection{Topics: c.options.Topics}).Wants(t) {
		c.chosen["channel "+t.Topic] = true
	}
}

// group returns a name for the findings that may push each other out of the report: the chosen
// channels, the others, and the file.
func (c *checker) group(place string) string {
	const channel = "channel "
	if len(c.options.Topics) == 0 || !strings.HasPrefix(place, channel) {
		return ""
	}
	whole, _, _ := strings.Cut(place, " "+trace.ReservedPrefix) // a key
	if c.chosen[whole] {
		return "chosen"
	}
	return channel
}

// add adds a finding about the file.
func (c *checker) add(s finding.Severity, id, place, message, remedy string) {
	c.addAt(fault.At(place), 1, s, id, message, remedy)
}

// addAt adds a finding about the file that occurs several times.
func (c *checker) addAt(place fault.Place, times int64, s finding.Severity, id, message,
	remedy string,
) {
	c.take(c.group(place.Object), Finding{finding.Finding{ID: id, Severity: s, Place: place,
		Message: message, Remedy: remedy}, times})
}

// take adds a finding of a group to the report, or only counts it as a further one of its rule.
func (c *checker) take(group string, f Finding) {
	tally := c.tallies[group]
	if tally == nil {
		tally = &finding.Tally{}
		c.tallies[group] = tally
	}
	f.Place.File = c.name
	if tally.Add(&c.list, f.Finding); len(c.list) > len(c.counts) {
		c.counts = append(c.counts, f.Count)
	}
}

// damaged reports the damage at which reading ended.
func (c *checker) damaged(err error) {
	message := err.Error()
	var place fault.Place
	var e *fault.Error
	if errors.As(err, &e) {
		copied := *e
		place = e.Place
		copied.Place = fault.At(place.Object)
		message = copied.Error()
	}
	message = fmt.Sprintf("%s; %s can be read before it", message,
		quantity.Of(c.report.Messages, "message"))
	place = fault.Place{Line: place.Line, Column: place.Column}
	if remedy := "correct the line"; c.report.Format.IsText() {
		c.addAt(place, 1, finding.Error, "trace.damaged", message, remedy)
		return
	}
	c.addAt(place, 1, finding.Error, "trace.damaged", message,
		"gosmp repair writes the remaining data to a new file")
}

// otherFile checks files in all formats other than MCAP.
func (c *checker) otherFile(from *trace.Unpacked) error {
	s, err := from.Open(c.name, trace.Options{Type: c.options.Type,
		Restarts: trace.IgnoreRestarts})
	if err != nil {
		return err
	}
	c.separated = s.Info().Separated
	c.report.Format = s.Info().Format
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && (trace.IsDamage(err) || errors.Is(err, trace.ErrContent)) {
			c.damaged(err)
			return nil
		}
		if err != nil {
			return err
		}
		c.message(m)
	}
}

// finish reports what is known only at the end.
func (c *checker) finish() {
	c.fileName()
	switch {
	case c.report.Messages == 0:
		c.add(finding.Error, "trace.empty", "", "found no message, expected at least one",
			"record again")
	case !c.judged && !c.withoutOSI:
		c.add(finding.Error, "trace.empty", "",
			"found no message of OSI with content, expected at least one", "record again")
	}
	if c.separated {
		c.add(finding.Warning, "trace.lengths", "",
			"the messages have no lengths in front of them: an old format, or one message alone",
			"gosmp convert writes a file that all tools read")
	}
	if f := c.report.Format; f.HasOneChannel() {
		c.add(finding.Note, "viewer.format", "",
			"viewers such as Lichtblick do not open ."+string(f)+" files", "gosmp convert to MCAP")
	}
	for _, ch := range c.order {
		ch.finish(c)
	}
	for k, f := range c.list {
		c.report.Findings = append(c.report.Findings, Finding{f, c.counts[k]})
	}
}

// fileName compares the file name with the content, as far as the name follows OSI's convention.
func (c *checker) fileName() {
	n, err := osifile.ParseName(trace.UnpackedName(c.name))
	if err != nil {
		// a text format that states message types is not an OSI format
		if f := c.report.Format; !f.IsText() || !f.StatesTypes() {
			c.add(finding.Note, "name.convention", "",
				"the name does not follow OSI's convention, which is a recommendation",
				"<time>_<type>_<OSI version>_<protobuf version>_<frames>_<custom>, as in "+
					"20210818T150542Z_sv_380_13612_100.osi")
		}
		return
	}
	differs := func(what, named, found string) {
		c.add(finding.Warning, "name."+what, "",
			fmt.Sprintf("the name states %s %s, but the content is %s", what, named, found),
			"rename the file")
	}
	var most int64
	var types []string
	for _, ch := range c.order {
		most = max(most, ch.report.Messages)
		if ch.IsOSI() {
			types = append(types, ch.Type)
		}
	}
	if n.Part {
		c.add(finding.Note, "name.part", "",
			"the name ends in .part: the file is still being written, or its recorder was killed",
			"gosmp repair makes a complete file of it")
	} else if int64(n.Frames) != most {
		differs("frames", fmt.Sprint(n.Frames), fmt.Sprint(most))
	}
	if len(c.order) == 0 {
		return
	}
	if n.Type.Message == "" && c.states != nil { // multi: compare with the metadata
		if v := osifile.Digits(c.states["version"]); v != n.OSI {
			differs("OSI version", n.OSI, v)
		}
		if v := osifile.Digits(c.states["min_protobuf_version"]); v != n.Protobuf {
			differs("protobuf version", n.Protobuf, v)
		}
	}
	if n.Type.Message != "" && (len(types) != 1 || types[0] != trace.FullType(n.Type.Message)) {
		differs("type", n.Type.Message, fmt.Sprint(types))
	}
	if v := c.order[0].OSIVersion; n.Type.Message != "" && v != "" && osifile.Digits(v) != n.OSI {
		differs("OSI version", n.OSI, v)
	}
}
