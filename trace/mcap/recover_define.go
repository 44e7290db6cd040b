package mcap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// definitions holds schemas and channels by id.
type definitions struct {
	schemas  map[uint16]*Schema
	channels map[uint16]*Channel
}

func newDefinitions() definitions {
	return definitions{map[uint16]*Schema{}, map[uint16]*Channel{}}
}

// add adds a schema or a channel, unless there is already one with its id.
func (d *definitions) add(record any) {
	switch r := record.(type) {
	case *Schema:
		if r.ID != 0 && d.schemas[r.ID] == nil {
			r.Data = slices.Clone(r.Data)
			d.schemas[r.ID] = r
		}
	case *Channel:
		if d.channels[r.ID] == nil {
			d.channels[r.ID] = r
		}
	}
}

// readSummary keeps the content of the summary. If its checksum is wrong or absent, only the
// indexes that agree with their chunks are used.
func (r *recovery) readSummary() {
	r.summary = newDefinitions()
	f := &File{from: r.from, size: r.size, Schemas: r.summary.schemas,
		Channels: r.summary.channels}
	err := f.readFooter()
	if err == nil && f.Footer.SummaryStart != 0 {
		err = f.readSummary()
	}
	if err == nil && f.Footer.SummaryStart <= uint64(r.size) {
		r.summaryStart = int64(f.Footer.SummaryStart)
	}
	checked := err == nil && f.Footer.SummaryCRC != 0
	if !checked {
		r.summary, r.doubtful = newDefinitions(), r.summary
	}
	r.index = slices.DeleteFunc(f.Chunks, func(c *ChunkIndex) bool {
		return !c.fits(r.size) || !checked && !r.confirms(c)
	})
	slices.SortStableFunc(r.index, func(a, b *ChunkIndex) int {
		return cmp.Compare(a.ChunkStart, b.ChunkStart)
	})
}

// keep writes the records that belong in the data section; all others are recreated.
func (r *recovery) keep(record any, level trust) {
	var err error
	switch record := record.(type) {
	case *Schema, *Channel:
		if level == altered {
			r.doubtful.add(record)
		} else {
			r.known.add(record)
		}
	case *Message:
		err = r.message(record, level)
	case *Attachment:
		if r.to != nil {
			r.noteText("attachment", record.Name, record.MediaType)
			err = r.to.WriteAttachment(record)
		}
	case *Metadata:
		if r.to != nil {
			r.noteText("metadata", record.Name)
			r.noteTexts("metadata", record.Values)
			err = r.to.WriteMetadata(record)
		}
	}
	if err != nil && r.err == nil {
		r.err = err
	}
}

// message writes a message to its channel.
func (r *recovery) message(m *Message, level trust) error {
	if r.to == nil {
		return nil
	}
	if level == altered {
		r.loss.Altered++
		if !r.options.KeepDamaged {
			return nil
		}
	}
	known, err := r.declare(m.ChannelID)
	if err != nil {
		return err
	}
	if !known {
		r.loss.Orphans++
		if !r.options.KeepDamaged {
			return nil
		}
	}
	switch {
	case !known || level == altered:
		if m.ChannelID, err = r.mark(m.ChannelID); err != nil {
			return err
		}
	case level == unchecked:
		r.loss.Unchecked++
	case !r.covered:
		r.bare++
	}
	r.loss.Messages++
	r.loss.Unsorted = r.loss.Unsorted || m.LogTime < r.newest
	r.newest = max(r.newest, m.LogTime)
	return r.to.WriteMessage(m)
}

// declare writes the channel with an id and its schema, once. It returns false if the file does not
// define the channel.
func (r *recovery) declare(id uint16) (bool, error) {
	if r.written.channels[id] != nil {
		return true, nil
	}
	c := lookUp(r, id, func(d *definitions) map[uint16]*Channel { return d.channels })
	if c == nil {
		return false, nil
	}
	schema := r.schemaOf(c)
	if schema == nil && c.SchemaID != 0 {
		r.loss.Damaged++
		r.loss.note(r.size, "schema %d of channel %q is lost; the channel is written without it",
			c.SchemaID, c.Topic)
		copied := *c
		copied.SchemaID = 0
		c = &copied
	}
	if schema != nil && r.written.schemas[schema.ID] == nil {
		if err := r.addSchema(schema); err != nil {
			return false, err
		}
	}
	r.written.channels[id] = c
	r.noteText("channel", c.Topic, c.MessageEncoding)
	r.noteTexts("channel", c.Metadata)
	return true, r.to.AddChannel(c)
}

func (r *recovery) addSchema(s *Schema) error {
	r.written.schemas[s.ID] = s
	r.noteText("schema", s.Name, s.Encoding)
	return r.to.AddSchema(s)
}

// noteText notes texts of a record that are not UTF-8. [Writer] converts them.
func (r *recovery) noteText(of string, texts ...string) {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			r.loss.Damaged++
			r.loss.note(r.at, "a text of a %s that is not UTF-8: %q, written as %q", of, text,
				readable(text))
		}
	}
}

func (r *recovery) noteTexts(of string, texts map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		r.noteText(of, key, texts[key])
	}
}

func (r *recovery) schemaOf(c *Channel) *Schema {
	if c.SchemaID == 0 {
		return nil
	}
	return lookUp(r, c.SchemaID, func(d *definitions) map[uint16]*Schema { return d.schemas })
}

// lookUp looks up a definition: first in an intact summary, then in the records read so far, then
// in the rest of the file, and finally in damaged records.
func lookUp[T any](r *recovery, id uint16, of func(*definitions) map[uint16]*T) *T {
	for _, d := range []*definitions{&r.summary, &r.known} {
		if found := of(d)[id]; found != nil {
			return found
		}
	}
	r.collect()
	return cmp.Or(of(&r.known)[id], of(&r.doubtful)[id])
}

// collect adds the definitions of the whole file to those that have been read.
func (r *recovery) collect() {
	if r.collected || r.to == nil {
		return
	}
	r.collected = true
	all := newRecovery(r.from, r.size)
	all.run()
	for from, to := range map[*definitions]*definitions{&all.known: &r.known,
		&all.doubtful: &r.doubtful} {
		for _, s := range from.schemas {
			to.add(s)
		}
		for _, c := range from.channels {
			to.add(c)
		}
	}
}

// mark returns the id of the channel for possibly altered messages of a channel, or for all
// messages of a channel that is lost.
func (r *recovery) mark(id uint16) (uint16, error) {
	if marked, is := r.marked[id]; is {
		return marked, nil
	}
	c, why := Channel{}, "from damaged parts: these messages may have been altered"
	if known := r.written.channels[id]; known != nil {
		c = *known
	} else {
		c.Topic = fmt.Sprintf("channel_%d", id)
		why = "the channel is lost: its topic, schema and encoding are unknown"
	}
	c.ID = r.unusedID()
	c.Topic += DamagedTopic
	c.Metadata = maps.Clone(c.Metadata)
	if c.Metadata == nil {
		c.Metadata = map[string]string{}
	}
	c.Metadata[DamagedKey] = why
	r.marked[id], r.written.channels[c.ID] = c.ID, &c
	return c.ID, r.to.AddChannel(&c)
}

// unusedID returns an id that no channel of the file has.
func (r *recovery) unusedID() uint16 {
	r.collect()
	for id := ^uint16(0); ; id-- {
		if r.summary.channels[id] == nil && r.known.channels[id] == nil &&
			r.doubtful.channels[id] == nil && r.written.channels[id] == nil {
			return id
		}
	}
}

// declareRest writes the channels without messages and the schemas without channels.
func (r *recovery) declareRest() {
	for _, d := range []*definitions{&r.summary, &r.known} {
		for _, id := range slices.Sorted(maps.Keys(d.channels)) {
			if _, err := r.declare(id); err != nil && r.err == nil {
				r.err = err
			}
		}
		for _, id := range slices.Sorted(maps.Keys(d.schemas)) {
			if r.written.schemas[id] != nil || r.err != nil {
				continue
			}
			r.err = r.addSchema(d.schemas[id])
		}
	}
}
