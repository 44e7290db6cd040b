package tracepage

import (
	"cmp"
	_ "embed" // for the page template
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/report/internal/page"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/metrics"
	"gosmp/trace/updates"
)

//go:embed page.html
var form string

// Options defines the content of a report.
type Options struct {
	Type    string          // message type of an .osi file whose name does not contain it
	Frames  int             // moments of the scene; 0 is 600
	Metrics metrics.Options // how metrics are measured
	// Channels lists the topics or types to show; if empty, all.
	Channels []string
}

// report holds the data of the page.
type report struct {
	Name, Format string
	Size         int64
	Messages     int64
	First, Last  string
	Channels     []channelRow
	Findings     []findingRow
	Errors       int
	Metrics      []metricRow
	Note         string // reason why there are no metrics
	Of           string // the channels that were measured
	Playback     page.Playback
	Shown        string // which channels the scene shows
	Frames       int
	Curves       *curves
}

type channelRow struct {
	Topic, Type, Version string
	Messages             int64
	Rate, First, Last    string
	last                 timebase.Time
}

type findingRow struct {
	Severity, ID, Place, Message, Remedy string
	Count                                int64
	At                                   string // s; "" without a time
}

type metricRow struct {
	Name, Channel, Unit, Mean, Least, Greatest string
	LeastAt, GreatestAt                        float64
	Count                                      int64
}

// Write writes the report of a trace of size bytes. The report of a damaged file covers everything
// before the damage. Errors are read or write errors.
func Write(to io.Writer, name string, from io.ReaderAt, size int64, o Options) error {
	if o.Frames <= 0 {
		o.Frames = 600
	}
	checked, err := check.File(name, from, size, check.Options{Type: o.Type, Rules: true})
	if err != nil {
		return err
	}
	r := &report{Name: name, Format: string(checked.Format), Size: size, Messages: checked.Messages}
	first, last := r.channels(checked)
	r.findings(checked)
	content, err := trace.Unpack(name, from, size)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // was only read
	if err := r.selectOnly(o.Channels); err != nil {
		return err
	}
	open := func() (trace.Source, error) {
		return content.Open(name, trace.Options{Type: o.Type,
			Select: trace.Selection{Topics: o.Channels}})
	}
	if err := r.measure(open, o, first, last); err != nil {
		return err
	}
	return page.Write(to, form, r)
}

// selectOnly keeps only the rows of some channels. It fails if one of them does not exist.
func (r *report) selectOnly(topics []string) error {
	var have []*trace.Channel
	of := func(row channelRow) *trace.Channel {
		return &trace.Channel{Topic: row.Topic, Type: trace.FullType(row.Type)}
	}
	for _, row := range r.Channels {
		have = append(have, of(row))
	}
	chosen := trace.Selection{Topics: topics}
	if missing := chosen.Missing(have); len(missing) > 0 {
		return fault.New(trace.ErrChannel, fault.In(r.Name), strings.Join(missing, ", "),
			trace.Named(have))
	}
	r.Channels = slices.DeleteFunc(r.Channels, func(row channelRow) bool {
		return !chosen.Wants(of(row))
	})
	return nil
}

// channels fills in the channels and returns their total time range.
func (r *report) channels(c *check.Report) (first, last timebase.Time) {
	begun := false
	for _, channel := range c.Channels {
		row := channelRow{Topic: channel.Topic, Type: strings.TrimPrefix(channel.Type, "osi3."),
			Version: channel.OSIVersion, Messages: channel.Messages,
			First: inMicroseconds(channel.First), Last: inMicroseconds(channel.Last),
			last: channel.Last}
		if channel.Interval > 0 {
			row.Rate = strconv.FormatFloat(1/channel.Interval.Seconds(), 'g', 4, 64) + " Hz"
		}
		r.Channels = append(r.Channels, row)
		if channel.Messages > 0 {
			if !begun {
				first, last, begun = channel.First, channel.Last, true
			}
			first, last = min(first, channel.First), max(last, channel.Last)
		}
	}
	r.First, r.Last = inMicroseconds(first), inMicroseconds(last)
	return first, last
}

// inMicroseconds formats a time in seconds, rounded so that readers see 6 s rather than 5.999999999
// s.
func inMicroseconds(t timebase.Time) string {
	const unit = timebase.Microsecond
	if t > 0 && t < timebase.EndOfTime-unit {
		t = (t + unit/2) / unit * unit
	}
	return trace.Seconds(t)
}

func (r *report) findings(c *check.Report) {
	for _, f := range c.Findings {
		place := f.Place
		place.File = ""
		r.Findings = append(r.Findings, findingRow{f.Severity.String(), f.ID, place.String(),
			f.Message, f.Remedy, f.Count, timeIn(place.Object)})
		if f.Severity.String() == "error" {
			r.Errors++
		}
	}
}

// timeIn returns the time in the place of a finding, such as "channel a, message 3, 0.4 s".
func timeIn(place string) string {
	parts := strings.Split(place, ", ")
	text, is := strings.CutSuffix(parts[len(parts)-1], " s")
	if _, err := decimal.Float(text, 64); !is || err != nil {
		return ""
	}
	return text
}

// each calls what for all messages of a source before any damage.
func each(s trace.Source, what func(*trace.Message) error) error {
	for {
		m, err := s.Next()
		switch {
		case errors.Is(err, io.EOF), trace.IsDamage(err):
			return nil
		case err != nil:
			return err
		}
		if err := what(m); err != nil {
			return err
		}
	}
}

// measure fills in metrics, curves and the scene. A trace without ground truth has no metrics.
func (r *report) measure(open func() (trace.Source, error), o Options, first,
	last timebase.Time) error {
	s, err := open()
	if err != nil {
		return err
	}
	measured := newPlots(last - first)
	options, missing := o.Metrics, 0
	options.Each = true
	options.Missing = func(err error) {
		missing++
		if o.Metrics.Missing != nil {
			o.Metrics.Missing(err)
		}
	}
	result, err := metrics.Measure(s, options, func(v metrics.Value) error {
		measured.add(v)
		return nil
	})
	if e := s.Close(); e != nil {
		return e
	}
	truth := o.Metrics.Truth
	switch {
	case errors.Is(err, trace.ErrChannel) && o.Metrics.Truth == "" && o.Metrics.Data == "",
		errors.Is(err, trace.ErrContent):
		r.Note = err.Error()
		if errors.Is(err, trace.ErrChannel) {
			r.Note = "Nothing to measure: the trace has no GroundTruth, SensorView or SensorData."
		}
		truth = cmp.Or(truth, r.firstTruth())
	case err != nil:
		return err
	default:
		r.summaries(result)
		truth = result.Truth
		r.Of = measuredOf(result)
		if missing > 0 {
			r.Of += ", without what is damaged; see Findings"
		}
	}
	updated, most := r.updated(), r.most()
	if len(updated) > 0 {
		most = o.Frames // the times of their messages may differ
	}
	picture := newScene(first, last, min(o.Frames, most))
	picture.updates.Join = updates.New(updated)
	if s, err = open(); err != nil {
		return err
	}
	if err := errors.Join(picture.read(s, truth), s.Close()); err != nil {
		return err
	}
	picture.finish()
	r.show(picture, measured, first, last)
	return nil
}

// measuredOf states which channels were measured.
func measuredOf(result *metrics.Result) string {
	var parts []string
	if result.Truth != "" {
		parts = append(parts, "truth of channel "+result.Truth)
	}
	switch len(result.Sensors) {
	case 0:
	case 1:
		parts = append(parts, "detections of channel "+result.Data)
	default:
		parts = append(parts, "detections of channels "+strings.Join(result.Sensors, ", "))
	}
	text := strings.Join(parts, ", ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// firstTruth returns the first channel that can contain ground truth, or "" if there is none.
func (r *report) firstTruth() string {
	for _, c := range r.Channels {
		if c.Messages > 0 && (c.Type == "GroundTruth" || c.Type == "SensorView") {
			return c.Topic
		}
	}
	return ""
}

// updated returns the channels with updates of objects if no other channel can contain objects.
func (r *report) updated() (list []updates.Channel) {
	for _, c := range r.Channels {
		switch {
		case c.Messages == 0:
		case updates.Decides(c.Type):
			return nil
		case updates.Is(c.Type):
			list = append(list, updates.Channel{Topic: c.Topic, Last: c.last})
		}
	}
	return list
}

// most returns the number of messages of the busiest channel, but at least 1.
func (r *report) most() int {
	n := int64(1)
	for _, c := range r.Channels {
		n = max(n, c.Messages)
	}
	return int(min(n, math.MaxInt32))
}

// show adds the scene and the curves to the page.
func (r *report) show(picture *scene, measured *plots, first, last timebase.Time) {
	r.Curves = chosen(picture.curves, picture.curves.Intervals())
	r.Curves.List = append(measured.curves(), r.Curves.List...)
	r.Playback = page.Playback{First: seconds(first), Last: seconds(last),
		Scene: picture, Curves: &r.Curves.Curves, Changes: r.times()}
	r.Frames = len(picture.Frames)
	r.Shown = picture.shown()
}

// Found counts the kinds of errors and warnings among the findings, or is "" if there are none.
func (r *report) Found() string {
	var parts []string
	for _, severity := range []string{"error", "warning"} {
		n := 0
		for _, f := range r.Findings {
			if f.Severity == severity {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, severity+"s of "+quantity.Of(n, "kind"))
		}
	}
	return strings.Join(parts, ", ")
}

// CurvesNote describes which numbers are not among the curves.
func (r *report) CurvesNote() (text string) {
	if n := r.Curves.Constant; n > 0 {
		text = quantity.Of(n, "field") + " that never change are left out."
	}
	if n := r.Curves.LeftOut; n > 0 || r.Curves.More {
		least := ""
		if r.Curves.More {
			least = "at least "
		}
		text += fmt.Sprintf(" There was no room for %s%d more; gosmp plot draws any field.", least,
			n)
	}
	return strings.TrimSpace(text)
}

// MetricsNote explains the sign of a metric that may be negative, if one is.
func (r *report) MetricsNote() string {
	for _, m := range r.Metrics {
		if m.Name == readable(metrics.PostEncroachmentTime) && strings.HasPrefix(m.Least, "-") {
			return "A post-encroachment time is positive if the host vehicle was the first at a " +
				"place, and negative if the object was; least is therefore not the most critical."
		}
	}
	return ""
}

// readable returns the name of a metric for readers.
func readable(name string) string { return strings.ReplaceAll(name, "_", " ") }

// times returns the times of the findings, in order and without duplicates.
func (r *report) times() (list []float64) {
	for _, f := range r.Findings {
		if t, err := decimal.Float(f.At, 64); err == nil {
			list = append(list, t)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *report) summaries(result *metrics.Result) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
	for _, m := range result.Metrics {
		at := func(v metrics.Value) string {
			return fmt.Sprintf("%s at %s s, object %d", number(v.Value), inMicroseconds(v.Time),
				v.Object)
		}
		r.Metrics = append(r.Metrics, metricRow{readable(m.Name),
			cmp.Or(m.Channel, result.Truth), m.Unit,
			number(m.Mean), at(m.Least), at(m.Greatest),
			m.Least.Time.Seconds(), m.Greatest.Time.Seconds(), m.Count})
	}
}
