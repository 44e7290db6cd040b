package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/model"
	"gosmp/osmp"
	"gosmp/timebase"
	"gosmp/trace"
)

// player is the model.
type player struct {
	log    *model.Log
	tracks []*track

	file, messageType, time, mode string
	offset                        float64
	loop, strict                  bool

	valid, finished              bool
	count, skipped, held, rounds int32
}

// track is an output and its player; player is nil when it plays nothing.
type track struct {
	kind   osmp.Kind
	output *model.Output
	topic  string
	source trace.Source
	player *trace.Player
}

var (
	errNoTrace = errors.New("no trace")
	errChannel = errors.New("no such channel")
)

// Setup opens the file for each output that has a channel.
func (p *player) Setup(e model.Environment) error {
	if p.file == "" {
		return model.Warning(fmt.Errorf("%w: trace.file is empty, so that all outputs stay "+
			"empty; set it to an .osi or MCAP file", errNoTrace))
	}
	path := p.file
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Resources, path)
	}
	channels, info, err := p.channels(path)
	if err != nil {
		return err
	}
	options, err := p.options(e, info)
	if err != nil {
		return err
	}
	playing := 0
	for _, t := range p.tracks {
		topic, err := t.choose(channels)
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		if topic == "" {
			continue
		}
		if err := t.open(path, p.messageType, topic, options); err != nil {
			return err
		}
		p.log.Printf("%s plays channel %s of %s", t.output.Name(), topic, p.file)
		playing++
	}
	if playing == 0 {
		return fmt.Errorf("%s: %w: found %s, expected a channel of SensorView, SensorData, "+
			"TrafficUpdate or HostVehicleData that is wanted", p.file, errChannel,
			listed(channels))
	}
	return nil
}

// options returns the options of all players. With relative times all of them move by the same
// time, and the rounds of a loop have the length of the whole trace, so that channels that begin or
// end at different times keep their distance.
func (p *player) options(e model.Environment, i *trace.Info) (o trace.PlayerOptions, err error) {
	o = trace.PlayerOptions{Start: e.Start, Loop: p.loop, Round: i.End - i.Start,
		Events: p.mode == event, Strict: p.strict}
	o.Offset, err = timebase.FromSeconds(p.offset)
	if p.time == relative {
		o.Offset += e.Start - i.Start
	}
	return o, err
}

// channels returns the channels of the file, and the times of its first and last message. Without
// an index the whole file is read once. Of an .osi file, which has one channel, only the first
// message is read, and the end is not returned.
func (p *player) channels(path string) (list []*trace.Channel, i *trace.Info, err error) {
	s, err := trace.Open(path, trace.Options{Type: p.messageType})
	var placed *trace.Error
	if errors.As(err, &placed) && errors.Is(err, trace.ErrType) {
		inFMU := *placed
		inFMU.Hint = "set trace.type to SensorView, SensorData, TrafficUpdate or HostVehicleData"
		return nil, nil, &inFMU
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = s.Close() }() // opened for reading only
	if s.Info().Format != trace.OSIFile {
		i, err = trace.Survey(s)
		return s.Channels(), i, err
	}
	i = &trace.Info{}
	m, err := s.Next()
	switch {
	case errors.Is(err, io.EOF): // the player reports the empty file
	case err != nil:
		return nil, nil, err
	default:
		i.Start, i.End = m.Time, m.Time
	}
	return s.Channels(), i, nil
}

// choose returns the topic that an output plays, or "" for none.
func (t *track) choose(channels []*trace.Channel) (string, error) {
	var topics []string
	for _, c := range channels {
		if c.Type == trace.FullType(t.kind.Message) && c.IsOSI() {
			topics = append(topics, c.Topic)
		}
	}
	switch {
	case t.topic == nothing || t.topic == "" && len(topics) == 0:
		return "", nil
	case t.topic == "" && len(topics) == 1:
		return topics[0], nil
	case t.topic == "":
		return "", fmt.Errorf("%w: found %d of type %s, expected one; set topic.%s to %s",
			errChannel, len(topics), t.kind.Message, t.kind.Message, strings.Join(topics, " or "))
	}
	for _, topic := range topics {
		if topic == t.topic {
			return topic, nil
		}
	}
	return "", fmt.Errorf("%w: topic.%s is %q, expected a channel of that type; the file has %s",
		errChannel, t.kind.Message, t.topic, listed(channels))
}

// listed formats the channels for an error.
func listed(channels []*trace.Channel) string {
	var words []string
	for _, c := range channels {
		words = append(words, fmt.Sprintf("%s (%s)", c.Topic, c.Type))
	}
	if len(words) == 0 {
		return "no channel"
	}
	return strings.Join(words, ", ")
}

func (t *track) open(path, messageType, topic string, o trace.PlayerOptions) (err error) {
	t.source, err = trace.Open(path,
		trace.Options{Type: messageType, Select: trace.Selection{Topics: []string{topic}}})
	if err != nil {
		return err
	}
	t.player, err = trace.NewPlayer(t.source, o)
	return err
}

// Step outputs the messages that are valid at the end of the step.
func (p *player) Step(span timebase.Span) error {
	p.valid, p.finished = false, p.file != ""
	p.count, p.skipped, p.held, p.rounds = 0, 0, 0, 0
	for _, t := range p.tracks {
		if t.player == nil {
			continue
		}
		message, err := t.player.At(span.End)
		if err != nil {
			return err
		}
		if err := t.output.Publish(message); err != nil {
			return err
		}
		s := t.player.Stats()
		p.valid = p.valid || len(message) > 0
		p.finished = p.finished && s.Done
		p.count += int32(s.Shown)
		p.skipped += int32(s.Skipped)
		p.held += int32(s.Held)
		p.rounds = max(p.rounds, int32(s.Rounds))
	}
	return nil
}

// Snapshot saves the positions of the players.
func (p *player) Snapshot(b []byte) ([]byte, error) {
	for _, t := range p.tracks {
		b = model.AppendBool(b, t.player != nil)
		if t.player == nil {
			continue
		}
		state, err := t.player.Snapshot(nil)
		if err != nil {
			return nil, err
		}
		b = model.AppendBytes(b, state)
	}
	return b, nil
}

// Restore returns to a snapshot.
func (p *player) Restore(b []byte) error {
	d := &model.StateReader{Data: b}
	for _, t := range p.tracks {
		switch has := d.Bool(); {
		case has != (t.player != nil):
			return fmt.Errorf("%w: the state is one of another trace", errChannel)
		case has:
			state := d.Bytes()
			if err := d.Err(); err != nil {
				return err
			}
			if err := t.player.Restore(state); err != nil {
				return err
			}
		}
	}
	return d.Done()
}

// Close closes the files.
func (p *player) Close() error {
	var errs []error
	for _, t := range p.tracks {
		if t.source != nil {
			errs = append(errs, t.source.Close())
		}
	}
	return errors.Join(errs...)
}
