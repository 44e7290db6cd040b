package compare

import (
	"gosmp/timebase"
	"gosmp/trace"
)

// pair is a channel of the expected trace with its partner, or without one.
type pair struct {
	*Channel
	partner *trace.Channel
	waiting [2][]*trace.Message
	missed  []timebase.Time // times of messages dropped before there was a partner
	ids     renaming
	tracks  *tracks // in its messages; nil until one is needed
	// whether fields have been compared, and whether fields have been ignored
	compared, ignored bool
}

// declare creates pairs for the channels that are known before the first message. Channels of files
// without an index appear later.
func (c *comparison) declare() {
	for _, channel := range c.sides[0].source.Channels() {
		c.enter(channel)
	}
	c.pairAll()
}

// pairAll matches the found channels to pairs if the channels of both traces are known.
func (c *comparison) pairAll() {
	for _, channel := range c.sides[1].source.Channels() {
		c.pairFor(channel)
	}
}

// expect returns the pair of an expected channel, or nil if it is not compared.
func (c *comparison) expect(channel *trace.Channel) *pair {
	if p, known := c.sides[0].pairs[channel]; known {
		return p
	}
	p := c.enter(channel)
	c.pairAll()
	return p
}

// enter adds a pair for an expected channel that does not have a partner yet. It returns nil if the
// channel is not compared.
func (c *comparison) enter(channel *trace.Channel) (p *pair) {
	if wanted := (&trace.Selection{Topics: c.options.Topics}); wanted.Wants(channel) {
		p = &pair{Channel: &Channel{Topic: channel.Topic, Type: channel.Type}, ids: newRenaming()}
		c.pairs = append(c.pairs, p)
		c.report.Channels = append(c.report.Channels, p.Channel)
	}
	c.sides[0].pairs[channel] = p
	return p
}

// pairFor returns the pair of a found channel, or nil if there is none yet.
func (c *comparison) pairFor(channel *trace.Channel) *pair {
	if p := c.sides[1].pairs[channel]; p != nil {
		return p
	}
	p := c.partnerOf(channel)
	if p != nil {
		p.partner, p.Found = channel, channel.Topic
		c.sides[1].pairs[channel] = p
		c.claim(p)
	}
	return p
}

// claim moves the messages already read from a pair's partner into the pair, and reports the ones
// dropped since then.
func (c *comparison) claim(p *pair) {
	before := c.unclaimed[p.partner]
	delete(c.unclaimed, p.partner)
	p.waiting[1] = before.waiting
	for k, times := range [][]timebase.Time{p.missed, before.missed} {
		for _, at := range times {
			c.lonely(p, k, at)
		}
	}
}

// partnerOf returns the unmatched pair to which a found channel belongs.
func (c *comparison) partnerOf(channel *trace.Channel) *pair {
	wanted := &trace.Selection{Topics: c.options.Found}
	if !wanted.Wants(channel) {
		return nil
	}
	var ofType []*pair
	for _, p := range c.pairs {
		if p.partner == nil && p.Topic == channel.Topic && p.Type == channel.Type {
			return p
		}
		if p.Type == channel.Type {
			ofType = append(ofType, p)
		}
	}
	others := 0
	for _, other := range c.sides[1].source.Channels() {
		if other.Type == channel.Type && wanted.Wants(other) {
			others++
		}
	}
	info := c.sides[1].source.Info()
	if all := info.Indexed || info.Format.HasOneChannel(); all && len(ofType) == 1 &&
		others == 1 && ofType[0].partner == nil && channel.Type != "" {
		return ofType[0]
	}
	return nil
}

// unclaimed holds the messages of a found channel without a partner: the newest messages, and the
// times of older ones, which were dropped.
type unclaimed struct {
	waiting []*trace.Message
	missed  []timebase.Time
}

// keep keeps a message whose channel may still find a partner.
func (c *comparison) keep(m *trace.Message) {
	if c.sides[0].done { // all pairs are known
		return
	}
	u := c.unclaimed[m.Channel]
	u.waiting = append(u.waiting, m)
	for len(u.waiting) > 0 && u.waiting[0].Time+c.options.Time+skew < c.sides[0].now {
		u.missed = append(u.missed, u.waiting[0].Time)
		u.waiting = u.waiting[1:]
	}
	c.unclaimed[m.Channel] = u
}
