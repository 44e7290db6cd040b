package trace

import (
	"errors"
	"fmt"
	"io"

	"gosmp/internal/fault"
	"gosmp/timebase"
	"gosmp/trace/mcap"
)

// Copy copies the messages of a source into a new trace, and counts them.
//
//	c := &trace.Copy{Format: trace.MCAP, Compression: mcap.Zstd}
//	err := c.Run(w, source)
type Copy struct {
	Format      Format
	Compression mcap.Compression  // of MCAP
	Metadata    map[string]string // in addition to the source's
	Select      Selection         // of channels announced before the first message

	// Join joins channels that have the same topic, type, encoding and OSI release into one
	// channel. Such channels are parts of one recording. Each part must end before the next one
	// begins.
	Join bool

	// LeaveOut leaves out channels whose messages the format cannot hold or whose schema cannot be
	// used, as long as other channels remain. Without it, Run fails on such channels with
	// [ErrType].
	LeaveOut bool

	// Set by Run.
	Messages    int64
	First, Last timebase.Time
	Damage      error   // where the source is damaged; everything after that is missing
	Lost        []error // damaged attachments and metadata, at most a hundred
	Empty       int     // messages of length 0, which some readers of one channel refuse or skip
	LeftOut     int     // fields without a column; see [LeftOut]
	Unusable    []error // channels that were left out
	Undecodable int64   // messages that were left out because they cannot be decoded
	Broken      []error // errors about the first hundred of them

	sink     Sink
	channels map[*Channel]*Channel
	topics   map[string]int       // of the sink; the next number for a duplicate of this name
	joined   map[kindred]*Channel // with Join, channels of the sink
	message  Message
	part     map[*Channel]*Channel // for a channel of the sink, the channel of the newest message
	ended    map[*Channel]bool     // channels that were followed by another part
	split    Split
	parts    bool              // the copy writes one part of the result
	begun    map[*Channel]bool // channels of the sink that have a message
	unusable map[*Channel]bool // channels of the source that are left out
}

// Attach copies an attachment or metadata into an MCAP file; other formats cannot hold them. Pass
// it as Attached in the [Options] of the source.
func (c *Copy) Attach(record any) error {
	if e, is := c.sink.(Attacher); is {
		return e.Attach(record)
	}
	return nil
}

// Lose records damaged attachments and metadata. Pass it as Lost in the [Options] of the source.
func (c *Copy) Lose(err error) {
	const most = 100
	if len(c.Lost) < most {
		c.Lost = append(c.Lost, err)
	}
}

// Break records a message that cannot be decoded. It is meant for sources that decode messages.
func (c *Copy) Break(err error) {
	const most = 100
	if c.Undecodable++; len(c.Broken) < most {
		c.Broken = append(c.Broken, err)
	}
}

// nothing returns an error if the source has messages but none of them was copied.
func (c *Copy) nothing() error {
	switch {
	case c.Messages > 0:
	case len(c.Unusable) > 0:
		return c.Unusable[0]
	case len(c.Broken) > 0:
		return c.Broken[0]
	}
	return nil
}

// Run copies all messages of a source to a new trace.
func (c *Copy) Run(to io.Writer, source Source) (err error) {
	options := SinkOptions{Compression: c.Compression, Metadata: map[string]string{},
		ChunkSize: c.split.chunkSize()}
	for key, value := range source.Info().Metadata {
		// If the file has an index, all channels are known before the first message.
		if !source.Info().Indexed || !IsComputed(key) {
			options.Metadata[key] = value
		}
	}
	for key, value := range c.Metadata {
		options.Metadata[key] = value
	}
	if c.sink, err = Create(to, c.Format, options); err != nil {
		return err
	}
	c.channels, c.part, c.ended, c.topics = map[*Channel]*Channel{}, map[*Channel]*Channel{},
		map[*Channel]bool{}, map[string]int{}
	c.begun, c.joined = map[*Channel]bool{}, map[kindred]*Channel{}
	if c.unusable == nil { // not already set by an earlier part
		c.unusable = map[*Channel]bool{}
	}
	if c.Format == MCAP { // its metadata name the releases of all channels
		for _, channel := range source.Channels() {
			if c.Select.Wants(channel) {
				if _, err := c.channel(channel); err != nil {
					return err
				}
			}
		}
	}
	if c.Damage, err = Each(source, c.write); err != nil {
		return err
	}
	if !c.parts {
		if err := c.nothing(); err != nil {
			return err
		}
	}
	if err := c.sink.Close(); err != nil {
		return err
	}
	if l, is := c.sink.(LeftOut); is {
		c.LeftOut = l.LeftOut()
	}
	return nil
}

// channel returns the sink channel for a source channel. Topics that are already taken get a
// number.
func (c *Copy) channel(of *Channel) (*Channel, error) {
	if known := c.channels[of]; known != nil {
		return known, nil
	}
	kin := kindred{of.Topic, of.Type, of.Encoding, of.OSIVersion}
	if added := c.joined[kin]; c.Join && added != nil {
		c.channels[of] = added
		return added, nil
	}
	copied := *of
	copied.Topic = c.free(of.Topic)
	added, err := c.sink.Add(copied)
	if err != nil {
		return nil, err
	}
	c.channels[of], c.joined[kin] = added, added
	c.topics[added.Topic] = 2
	return added, nil
}

// kindred holds the properties that channels must share to be joined.
type kindred struct{ topic, kind, encoding, release string }

// free returns a topic that no channel of the sink has: the given one, with a number if necessary.
func (c *Copy) free(topic string) string {
	n := c.topics[topic]
	if n == 0 {
		return topic
	}
	numbered := fmt.Sprintf("%s %d", topic, n)
	for ; c.topics[numbered] != 0; numbered = fmt.Sprintf("%s %d", topic, n) {
		n++
	}
	c.topics[topic] = n + 1
	return numbered
}

// write copies a message, unless its channel is left out.
func (c *Copy) write(m *Message) error {
	if c.unusable[m.Channel] {
		return nil
	}
	err := c.copy(m)
	if errors.Is(err, ErrContent) {
		c.Break(err)
		return nil
	}
	if c.LeaveOut && errors.Is(err, ErrType) {
		c.unusable[m.Channel] = true
		c.Unusable = append(c.Unusable, err)
		return nil
	}
	return err
}

func (c *Copy) copy(m *Message) error {
	channel, err := c.channel(m.Channel)
	if err != nil {
		return err
	}
	if err := c.follows(m, channel); err != nil {
		return err
	}
	if len(m.Data) == 0 && c.Format.HasOneChannel() {
		c.Empty++
		return nil
	}
	c.message = *m
	c.message.Channel = channel
	known := c.begun[channel]
	c.begun[channel] = true
	if err := c.sink.Write(&c.message); err != nil {
		return err
	}
	if c.Messages == 0 {
		c.First = m.Time
	}
	c.First, c.Last = min(c.First, m.Time), max(c.Last, m.Time)
	c.Messages++
	if c.split.Size == 0 || c.Format == MCAP && known {
		return nil
	}
	return c.sink.Flush() // so that the size is known, for MCAP the size of the schema
}

// follows refuses parts of a channel that overlap in time, because their messages would be mixed.
func (c *Copy) follows(m *Message, to *Channel) error {
	before := c.part[to]
	c.part[to] = m.Channel
	if before != nil && before != m.Channel {
		c.ended[before] = true
	}
	if !c.ended[m.Channel] {
		return nil
	}
	return fault.New(ErrTime, fault.At("channel "+m.Channel.Topic),
		fmt.Sprintf("parts that overlap at %v", m.Time), "parts that follow each other in time")
}

// Each calls what with every message of a source. The first result reports where the file is
// damaged.
func Each(s Source, what func(*Message) error) (damage, err error) {
	for {
		m, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case IsDamage(err):
			return err, nil
		case err != nil:
			return nil, err
		}
		if err := what(m); err != nil {
			return nil, err
		}
	}
}
