package snapshot

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/report/birdseye"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/updates"
)

// joined returns the snapshot of the objects of several channels of updates, or nil if there are
// fewer than two among the wanted ones, or if none of their messages is at the wanted moment.
func (c *chooser) joined(in *input, until *timebase.Time,
	wanted []string) (*birdseye.Snapshot, error) {
	o := trace.Options{Type: c.Type}
	topics, err := in.resolve(wanted, o)
	if err != nil {
		return nil, err
	}
	o.Select.Topics = topics
	var list []updates.Channel
	kinds := []string{}
	err = in.read(o, func(s trace.Source) error {
		list, err = updates.Find(s)
		for _, channel := range s.Channels() {
			kind := strings.TrimPrefix(channel.Type, "osi3.")
			if indexOf(list, channel.Topic) >= 0 && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		return err
	})
	if err != nil || len(list) < 2 {
		return nil, err
	}
	var truth *osi3.GroundTruth
	j := updates.New(list)
	j.Removed = func(_ string, removed []rules.Unusable) error {
		c.warn(removed)
		return nil
	}
	j.Broken = func(topic string, err error) error {
		return fmt.Errorf("channel %s: %w", topic, err)
	}
	err = in.read(o, func(s trace.Source) error {
		at, found, err := c.fill(j, s, until, list)
		if err != nil || !found {
			return err
		}
		if truth, err = j.At(at); err == nil {
			seconds, nanos := at.Split()
			truth.Timestamp = &osi3.Timestamp{Seconds: &seconds, Nanos: proto.Uint32(nanos)}
		}
		return err
	})
	if err != nil || truth == nil {
		return nil, err
	}
	picture, err := birdseye.Of(truth)
	if picture != nil {
		slices.Sort(kinds)
		picture.Kind, picture.Channels = strings.Join(kinds, ", "), j.Names()
	}
	return picture, err
}

// indexOf returns the index of a channel, or -1.
func indexOf(list []updates.Channel, topic string) int {
	return slices.IndexFunc(list, func(c updates.Channel) bool { return c.Topic == topic })
}

// read calls a function with the messages of a file.
func (in *input) read(o trace.Options, what func(trace.Source) error) error {
	s, err := trace.OpenAt(in.name, in.file, in.size, o)
	if err != nil {
		return err
	}
	return errors.Join(what(s), s.Close())
}

// fill reads the messages up to the wanted moment, and returns it: the time of the message with the
// number Frame, the last time until a time, or else the time at which each channel has had its
// first message, but not later than the end of a channel. It reports whether there is such a
// moment.
func (c *chooser) fill(j *updates.Join, s trace.Source, until *timebase.Time,
	list []updates.Channel) (at timebase.Time, found bool, err error) {
	seen, end, n := map[string]bool{}, timebase.Time(0), 0
	for {
		m, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return at, n > 0 && n >= c.Frame, nil
		case err != nil:
			return 0, false, err
		case until != nil && m.Time > *until:
			return at, n > 0, nil
		}
		chosen := seen[m.Channel.Topic] || m.Time > end
		if c.Frame > 0 {
			chosen = n >= c.Frame
		}
		if j.Complete(m) != nil && until == nil && chosen {
			return at, true, nil
		}
		k := indexOf(list, m.Channel.Topic)
		if k < 0 || !j.Put(m) {
			continue
		}
		if n == 0 || list[k].Last < end {
			end = list[k].Last
		}
		seen[m.Channel.Topic], at = true, m.Time
		n++
	}
}
