package trace

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/internal/fault"
	"gosmp/proto/osifile"
	"gosmp/timebase"
)

// Split divides a trace into parts, by time, by size, or by both. A limit of 0 means no limit. If
// the source follows restarts, a new part also begins where the clock of the trace restarts.
type Split struct {
	Time timebase.Time // duration of a part, counted from the first message of the trace

	// Size of a part in bytes. A part in MCAP or .osi format is never larger, unless it consists of
	// a single message. In other formats, the limit may be exceeded by the difference in size
	// between one message and the previous one.
	Size int64
}

// Part is a part of a trace.
type Part struct {
	Messages    int64
	First, Last timebase.Time
}

// mostParts bounds the number of files.
const mostParts = 9999

// RunParts copies all messages of a source like Run, but into one trace after another. It calls
// create for each part, numbered from 1; create must call write once.
func (c *Copy) RunParts(source Source, s Split, create func(number int,
	write func(io.Writer) error) error) ([]Part, error) {
	p := &partSource{Source: source, split: s, copy: c}
	var parts []Part
	var all Part
	for !p.ended {
		if len(parts) == mostParts {
			return nil, fault.New(ErrContent, fault.In(source.Info().Name),
				fmt.Sprintf("more than %d parts", mostParts), "longer or larger parts")
		}
		c.Messages, c.First, c.Last = 0, 0, 0
		if err := create(len(parts)+1, func(to io.Writer) error {
			p.begin(to)
			return c.Run(&p.out, p)
		}); err != nil {
			return nil, err
		}
		part := Part{c.Messages, c.First, c.Last}
		if all.Messages == 0 {
			all.First, all.Last = part.First, part.Last
		}
		all.Messages += part.Messages
		all.First, all.Last = min(all.First, part.First), max(all.Last, part.Last)
		parts = append(parts, part)
		p.ended = p.ended || c.Damage != nil
	}
	c.Messages, c.First, c.Last = all.Messages, all.First, all.Last
	if err := c.nothing(); err != nil {
		return nil, err
	}
	return parts, nil
}

// chunkSize returns the size of MCAP chunks. It is small enough that the data not yet compressed is
// a small share of a part.
func (s *Split) chunkSize() int {
	const share, least, most = 16, 4 << 10, 4 << 20
	if s.Size == 0 {
		return 0
	}
	return int(max(least, min(most, s.Size/share)))
}

// partSource is a source that ends where a part must end, and then continues with the next part.
type partSource struct {
	Source
	split Split
	copy  *Copy
	held  *Message // the first message of the next part
	begun bool     // there has been a message
	end   timebase.Time
	ended bool

	out     counter
	count   int   // of messages in this part
	drive   int   // of the newest message
	seen    int64 // bytes of the part that were written when the newest message arrived
	pending int64 // bytes of messages not yet included there
	chunks  int64
	grown   int64 // growth by the newest message
}

// counter is a writer that counts the bytes written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

func (p *partSource) begin(to io.Writer) {
	p.out, p.count, p.seen, p.pending, p.chunks, p.grown = counter{to: to}, 0, 0, 0, 0, 0
	p.copy.split, p.copy.parts = p.split, true
}

// Next implements [Source].
func (p *partSource) Next() (*Message, error) {
	m := p.held
	if p.held = nil; m == nil {
		var err error
		if m, err = p.Source.Next(); err != nil {
			p.ended = errors.Is(err, io.EOF)
			return nil, err
		}
	}
	if !p.begun {
		p.begun, p.end = true, m.Time
	}
	if m.Drive != p.drive { // the times of a drive start at its first message
		p.end = m.Time
	}
	if p.count > 0 && (m.Drive != p.drive || p.split.Time > 0 && m.Time >= p.end || p.full(m)) {
		p.held, p.drive = m, m.Drive
		return nil, io.EOF
	}
	for p.split.Time > 0 && p.count == 0 && p.end <= m.Time {
		p.end += p.split.Time * max(1, (m.Time-p.end)/p.split.Time)
	}
	p.count++
	p.pending += int64(len(m.Data)) + perMessage
	return m, nil
}

// Sizes in MCAP, in bytes: the overhead of a message, including its index entry; a chunk's index
// record, without channels and per channel; the other records of a file; and the overhead of a
// channel apart from its texts.
const (
	perMessage      = 48
	perChunk        = 160
	perChunkChannel = 32
	perFile         = 1 << 10
	perChannel      = 256
)

// full reports whether a message would make the part too large.
func (p *partSource) full(m *Message) bool {
	if p.split.Size == 0 {
		return false
	}
	if p.out.n != p.seen {
		p.grown = p.out.n - p.seen
		p.seen, p.pending = p.out.n, 0
		p.chunks++
	}
	switch p.copy.Format {
	case OSIFile:
		const length = 4
		return p.out.n+length+int64(len(m.Data)) > p.split.Size
	case MCAP:
		return p.out.n+p.unwritten(int64(len(m.Data))+perMessage) > p.split.Size
	}
	return p.out.n+p.grown > p.split.Size
}

// unwritten returns an upper bound on the bytes that the end of an MCAP file adds, including
// another message of the given size.
func (p *partSource) unwritten(more int64) int64 {
	chunk := p.pending + more
	chunk += chunk / 128 // for data that cannot be compressed
	channels, texts := int64(len(p.copy.channels)), int64(0)
	for _, c := range p.copy.channels {
		size := int64(len(c.Schema) + len(c.Topic) + len(c.Type) + len(c.Description) + perChannel)
		for key, value := range c.Metadata {
			size += int64(len(key) + len(value))
		}
		if texts += size; !p.copy.begun[c] { // with its first message and in the summary
			texts += size
		}
	}
	return chunk + perFile + texts +
		(p.chunks+1)*(perChunk+perChunkChannel*channels)
}

// PartName returns the name of a part: drive_001.mcap for drive.mcap. In a name that follows the
// OSI convention, it also sets the number of messages.
func PartName(out string, number int, messages int64) string {
	folder, base := filepath.Split(out)
	suffix := fmt.Sprintf("%03d", number)
	if n, err := osifile.ParseName(base); err == nil && !n.Part {
		n.Frames = int(messages)
		n.Custom = strings.TrimPrefix(n.Custom+"_"+suffix, "_")
		return folder + n.String()
	}
	extension := filepath.Ext(base)
	return folder + strings.TrimSuffix(base, extension) + "_" + suffix + extension
}
