package series

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/bridge/recorded"
	"gosmp/internal/fault"
	"gosmp/run/content"
	"gosmp/run/usage"
	"gosmp/trace"
	"gosmp/trace/signal"
)

// reading is a trace that is being read.
type reading struct {
	*picture
	paths    []*signal.Path
	fits     []bool                       // whether the path fits some channel
	wrong    []error                      // why the path does not fit the first channel
	channels map[*trace.Channel][]*series // a panel or nil for each path
	decoder  trace.Decoder
	unread   error // why the messages of the first unreadable channel cannot be read
}

// messages collects fields of the messages of a trace.
func (p *picture) messages(in *content.File) error {
	r := &reading{picture: p, channels: map[*trace.Channel][]*series{}}
	for _, text := range p.Paths {
		path, err := signal.Parse(text)
		if err != nil {
			return usage.Invalid("path", err)
		}
		r.paths = append(r.paths, path)
	}
	r.fits, r.wrong = make([]bool, len(r.paths)), make([]error, len(r.paths))
	from, err := in.OpenContent()
	if err != nil {
		return err
	}
	defer from.Close()
	o := trace.Options{Type: p.Type}
	if o.Select.Topics, err = trace.ResolveIn(func() (trace.Source, error) {
		return trace.OpenAt(in.Name, from, from.Size, o)
	}, p.Channels); errors.Is(err, trace.ErrAmbiguous) {
		return usage.Invalid("--channel", err)
	}
	if err != nil {
		return err
	}
	s, err := trace.OpenAt(in.Name, from, from.Size, o)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // opened read-only
	if len(p.Paths) == 0 && !p.list {
		return usage.Unexpected("path", "none", "a field of the messages; --list shows them")
	}
	return trace.InFile(in.Name, r.read(recorded.NewSource(s)))
}

func (r *reading) read(s *recorded.Source) error {
	s.LeaveOut = true
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			return r.complete(s.Unusable)
		}
		if err != nil {
			return err
		}
		if err := r.message(m); err != nil {
			return err
		}
	}
}

// complete returns an error if a path fitted no channel.
func (r *reading) complete(unusable []error) error {
	if r.unread == nil && len(unusable) > 0 {
		r.unread = unusable[0]
	}
	if r.list && len(r.channels) == 0 {
		return r.unread
	}
	for k, fits := range r.fits {
		switch {
		case fits:
		case r.wrong[k] != nil:
			return usage.Invalid("path", r.wrong[k])
		case r.unread != nil:
			return r.unread
		default:
			return usage.Unexpected("path", "no message",
				"a channel with messages; gosmp inspect lists them")
		}
	}
	return nil
}

func (r *reading) message(m *trace.Message) error {
	panels, known := r.channels[m.Channel]
	if m.Channel.Encoding == "json" && !m.Channel.IsOSI() {
		if known && r.list {
			return nil
		}
		return r.document(m, panels, known)
	}
	if known && !r.needed(panels) {
		return nil
	}
	decoded, err := r.decoder.Decode(m)
	if errors.Is(err, trace.ErrType) {
		r.unread = cmp.Or(r.unread, err)
		return nil
	}
	if err != nil {
		return err
	}
	if !known {
		panels = r.begin(m.Channel, decoded.ProtoReflect())
		r.channels[m.Channel] = panels
	}
	for k, panel := range panels {
		if panel != nil {
			r.paths[k].Numbers(decoded.ProtoReflect(), func(label string, number float64) {
				r.take(panel, label, m.Time.Seconds(), number)
			})
		}
	}
	return nil
}

// document takes the numbers of a message in JSON. A path is known to fit its channel as soon as it
// yields a number.
func (r *reading) document(m *trace.Message, panels []*series, known bool) error {
	var decoded any
	if err := json.Unmarshal(m.Data, &decoded); err != nil {
		return fault.New(trace.ErrContent, fault.At(fmt.Sprintf("channel %s, %s s",
			m.Channel.Topic, trace.Seconds(m.Time))), "bytes that are not JSON",
			"a JSON document").WithCause(err)
	}
	if !known {
		panels = make([]*series, len(r.paths))
		r.channels[m.Channel] = panels
		if r.list {
			r.listFields(m.Channel, func(visit func(string)) { signal.EachOfJSON(decoded, visit) })
			return nil
		}
	}
	for k, path := range r.paths {
		path.NumbersOfJSON(decoded, func(label string, number float64) {
			if panels[k] == nil {
				r.fits[k] = true
				panels[k] = r.add(m.Channel.Topic+": "+path.String(), "", false)
				panels[k].path = path.String()
			}
			r.take(panels[k], label, m.Time.Seconds(), number)
		})
		if panels[k] == nil && r.wrong[k] == nil {
			r.wrong[k] = fmt.Errorf("%w %q: %s has no such number; --list shows what there is",
				signal.ErrPath, path, m.Channel.Topic)
		}
	}
	return nil
}

func (r *reading) needed(panels []*series) bool {
	for _, s := range panels {
		if s != nil {
			return true
		}
	}
	return false
}

// begin creates the panels of a channel, or lists its fields.
func (r *reading) begin(c *trace.Channel, first protoreflect.Message) []*series {
	if r.list {
		r.listFields(c, func(visit func(string)) { signal.Each(first, visit) })
		return nil
	}
	panels := make([]*series, len(r.paths))
	for k, path := range r.paths {
		if err := path.Bind(first.Descriptor()); err != nil {
			if r.wrong[k] == nil {
				r.wrong[k] = err
			}
			continue
		}
		r.fits[k] = true
		panels[k] = r.add(c.Topic+": "+path.String(), path.Unit(first.Descriptor()), false)
		panels[k].path = path.String()
	}
	return panels
}

// listFields lists the numeric fields of the first message of a channel.
func (r *reading) listFields(c *trace.Channel, each func(visit func(path string))) {
	g := Group{Title: fmt.Sprintf("%s (%s)", c.Topic, c.Type)}
	each(func(path string) { g.Names = append(g.Names, path) })
	r.groups = append(r.groups, g)
}
