package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/run/usage"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/live"
)

// playMessages replays the traces of --input-messages into binary inputs. Each message holds from
// its time stamp on.
func (r *Simulation) playMessages() error {
	for _, a := range r.Options.InputMessages {
		p, v, file, err := r.named("--input-messages", a)
		if err != nil {
			return err
		}
		if v.Role == cosim.Parameter {
			continue // a start value
		}
		if err := r.hashInput(file); err != nil {
			return usage.Invalid("--input-messages", err)
		}
		player, err := r.messagePlayer(v, file)
		if err != nil {
			return usage.Invalid("--input-messages", err)
		}
		v.Name, v.Role = r.System.Label(p, v.Name), cosim.Output
		if err := r.connect(file, live.NewSource(v, player)); err != nil {
			return err
		}
	}
	return nil
}

// startMessages adds start values from the traces of --input-messages that are for parameters, such
// as OSMPGroundTruthInit. The start value is the first message.
func (r *Simulation) startMessages(all map[*system.Part]*importer.Options) error {
	for _, a := range r.Options.InputMessages {
		p, v, file, err := r.named("--input-messages", a)
		if err != nil {
			return err
		}
		if v.Role != cosim.Parameter || all[p] == nil {
			continue
		}
		if err := r.hashInput(file); err != nil {
			return usage.Invalid("--input-messages", err)
		}
		m, err := firstMessage(v, file, &trace.Options{Type: messageType(v)})
		if err != nil {
			return usage.Invalid("--input-messages", err)
		}
		all[p].Start = append(all[p].Start, importer.StartValue{Name: v.Name,
			Value: hex.EncodeToString(m.Data)})
	}
	return nil
}

// hashInput records the hash of an input that is too large for memory. The input is read again
// later, which is impossible with a pipe.
func (r *Simulation) hashInput(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf(
			"found %s, which is not a regular file, expected a trace that can be read "+
				"more than once",
			path,
		)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	r.inputs = append(r.inputs, File{path, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// messagePlayer returns a player for the trace channel that belongs to an input.
func (r *Simulation) messagePlayer(v cosim.Variable, file string) (*trace.Player, error) {
	o := trace.Options{Type: messageType(v)}
	message, err := firstMessage(v, file, &o)
	if err != nil {
		return nil, err
	}
	first := message.Time
	source, err := trace.Open(file, o)
	if err != nil {
		return nil, err
	}
	r.sources = append(r.sources, source)
	options := trace.PlayerOptions{Start: r.Spec.Start, Strict: true,
		Slack: slackOf(r.Spec.Step.Seconds())}
	if first > r.Spec.Stop {
		r.log.warn(
			fmt.Sprintf(
				"%s begins at %v s, after the stop time; its first message is taken for the start",
				file,
				first.Seconds(),
			),
		)
		options.Offset = r.Spec.Start - first
	}
	return trace.NewPlayer(source, options)
}

// slackOf returns how much later than a communication point the time stamp of its message may be.
// Stamps are rounded to nanoseconds, by some recorders to microseconds, whereas the communication
// points at 60 Hz are not multiples of either.
func slackOf(step float64) timebase.Duration {
	return min(timebase.Microsecond, timebase.Duration(step*float64(timebase.Second)/1000))
}

// messageType returns the message type of a variable. Without a MIME type, it returns a type with
// the time stamp in the field that nearly all OSI messages use.
func messageType(v cosim.Variable) string {
	if c := live.ChannelOf("", v.MIMEType); c.IsOSI() {
		return c.Type
	}
	return "SensorView"
}

// firstMessage returns the first message for a variable, and selects its channel.
func firstMessage(v cosim.Variable, file string, o *trace.Options) (*trace.Message, error) {
	s, err := trace.Open(file, *o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // was only read
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			return nil, usage.Unexpected(
				file,
				"no message for "+v.Name,
				"at least one; the file has the channels "+channelList(s.Channels()),
			)
		}
		if err != nil {
			return nil, err
		}
		if len(o.Select.Topics) == 0 {
			topic, err := chooseChannel(s.Channels(), v, "")
			if err != nil {
				return nil, err
			}
			if topic == "" && s.Info().Format.HasOneChannel() {
				topic = m.Channel.Topic
			}
			if topic != "" {
				o.Select.Topics = []string{topic}
			}
		}
		if len(o.Select.Topics) > 0 && m.Channel.Topic == o.Select.Topics[0] {
			kept := *m
			kept.Data = slices.Clone(m.Data) // the data belongs to the source
			return &kept, nil
		}
	}
}

// chooseChannel returns the topic for an input, or "" for none.
func chooseChannel(channels []*trace.Channel, v cosim.Variable, given string) (string, error) {
	kind := live.ChannelOf("", v.MIMEType).Type
	var named, ofType []string
	for _, c := range channels {
		switch {
		case given != "" && c.Topic == given:
			return given, nil
		case c.Topic == v.Name, strings.HasSuffix(c.Topic, "."+v.Name):
			named = append(named, c.Topic)
		}
		if kind != "" && c.Type == kind {
			ofType = append(ofType, c.Topic)
		}
	}
	switch {
	case given != "":
		return "", usage.Unexpected(
			"--input",
			fmt.Sprintf("%s=%q", v.Name, given),
			"a topic of the trace: "+channelList(channels),
		)
	case len(named) == 1:
		return named[0], nil
	case len(ofType) == 1:
		return ofType[0], nil
	case len(ofType) > 1:
		return "", usage.Unexpected(
			"--trace",
			fmt.Sprintf("%d channels for %s", len(ofType), v.Name),
			"one; choose with --input "+v.Name+"="+
				strings.Join(ofType, " or "),
		)
	}
	return "", nil
}

// channelList lists the channels of a trace for an error message.
func channelList(channels []*trace.Channel) string {
	var words []string
	for _, c := range channels {
		words = append(words, fmt.Sprintf("%s (%s)", c.Topic, c.ShortType()))
	}
	return cmp.Or(strings.Join(words, ", "), "none")
}
