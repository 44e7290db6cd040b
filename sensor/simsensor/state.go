package simsensor

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// fingerprint distinguishes contents without reading all of a large file.
type fingerprint struct {
	Size int64
	Sum  uint64 // CRC-32 (IEEE) of the first 64 KiB, and of the last
}

func takeFingerprint(src io.ReaderAt, size int64) (fingerprint, error) {
	var sum uint64
	part := min(size, bufferSize)
	// small, because the first access to each page takes a page fault
	buf := make([]byte, 8<<10)
	for _, from := range [...]int64{0, size - part} {
		h := crc32.NewIEEE()
		if _, err := io.CopyBuffer(h, io.NewSectionReader(src, from, part), buf); err != nil {
			return fingerprint{}, fmt.Errorf("%w: %w", ErrRead, err)
		}
		sum = sum<<32 | uint64(h.Sum32())
	}
	return fingerprint{size, sum}, nil
}

// stateMagic starts every state; its last digit is the version of the layout.
const stateMagic = "simsens3"

// playerState is a player between two calls, in its byte layout: little-endian, without padding.
type playerState struct {
	Print      fingerprint
	Unit       Unit
	Loop       bool
	Offset     int64
	Line       int64
	At         timebase.Time
	Ref, Laps  int64
	Begun      bool
	Moved      bool
	HeaderDone bool
	Last       [kindCount][MaxFields]int64
	Warned     [problemKinds]uint8
	Layouts    uint8
	Counters   struct {
		Rows, Rejected, Held, Loops int64
		Finished                    bool
	}
	Ready   bool
	Pending struct {
		Kind    Kind
		Stamp   int64
		Present uint8
		HasUTC  bool
		Held    bool
		Line    int64
	}
}

// AppendState appends everything that determines the player's future behavior, about 1100 bytes
// regardless of the file size. A failed player can also be saved; once restored, it fails with the
// same error.
func (p *Player) AppendState(dst []byte) []byte {
	r := &p.reader
	s := playerState{
		Print: p.print, Unit: r.unit, Loop: p.loop,
		Offset: r.lines.offset(), Line: int64(r.lines.line),
		At: r.schedule.at, Ref: r.schedule.ref, Laps: r.schedule.laps, Begun: r.schedule.begun,
		Moved:      r.schedule.moved,
		HeaderDone: r.headerDone, Last: r.last, Warned: r.warned, Layouts: r.layouts,
		Ready: p.ready,
	}
	s.Counters.Rows, s.Counters.Loops, s.Counters.Finished = p.count.Rows, p.count.Loops,
		p.count.Finished
	s.Counters.Rejected, s.Counters.Held = r.rejected, r.held
	s.Pending.Kind, s.Pending.Stamp, s.Pending.Line = p.pending.Kind, p.pending.Stamp,
		int64(p.pending.Line)
	s.Pending.Present, s.Pending.HasUTC, s.Pending.Held = uint8(p.pending.Present),
		p.pending.HasUTC, p.pending.Held
	start := len(dst)
	if p.live {
		s.Offset = 0
	}
	dst = state.AppendFixed(append(dst, stateMagic...), &s)
	if p.live {
		dst = append(dst, p.waiting()...)
	}
	return state.Seal(dst, start)
}

// RestoreState continues from the point at which the state was taken. The state may come from
// another player, even in another process, on the same content under any name, with the same unit
// and loop option; start and delay come from the state. For any other or damaged state, it returns
// an error with cause [ErrState] and changes nothing.
func (p *Player) RestoreState(b []byte) error {
	if errors.Is(p.err, ErrClosed) {
		return p.err
	}
	s, rest, err := p.decodeState(b)
	if err != nil {
		return err
	}
	r := &p.reader
	if p.live {
		r.lines.wait(append(r.lines.buf[:0], rest...))
	}
	r.lines.seek(s.Offset, int(s.Line))
	r.schedule.at, r.schedule.ref, r.schedule.begun, r.schedule.moved = s.At, s.Ref, s.Begun,
		s.Moved
	r.schedule.laps = s.Laps
	r.headerDone, r.last, r.warned, r.layouts = s.HeaderDone, s.Last, s.Warned, s.Layouts
	r.rejected, r.held, r.silent = s.Counters.Rejected, s.Counters.Held, s.Counters.Loops > 0
	p.count = Counters{Rows: s.Counters.Rows, Loops: s.Counters.Loops,
		Finished: s.Counters.Finished}
	p.ready, p.err = s.Ready, nil
	p.pending = Row{
		Kind: s.Pending.Kind, Stamp: s.Pending.Stamp, Present: int(s.Pending.Present),
		HasUTC: s.Pending.HasUTC,
		Held:   s.Pending.Held, Line: int(s.Pending.Line),
	}
	if s.Ready {
		// the row read last is the last of its sensor
		p.pending.Fields = s.Last[s.Pending.Kind.Index()]
	}
	return nil
}

// decodeState reads and checks a state. The remaining bytes are rows that a live player has not
// read.
func (p *Player) decodeState(b []byte) (s *playerState, rest []byte, err error) {
	s = &playerState{}
	refuse := func(found, expected, hint string) (*playerState, []byte, error) {
		return nil, nil,
			fault.New(ErrState, fault.In(p.reader.name), found, expected).WithHint(hint)
	}
	d, err := state.Open(stateMagic, b)
	if err != nil {
		return nil, nil, fault.Wrap(ErrState, fault.In(p.reader.name), err).
			WithHint("the state is cut off, or from a different version or model")
	}
	if rest, err = state.DecodeFixed(d.Data, s); err != nil || len(rest) > 0 && !p.live {
		return refuse(fmt.Sprintf("%d bytes", len(b)), strconv.Itoa(len(p.AppendState(nil))),
			"the state is from a different version")
	}
	switch {
	case s.Print.Size != p.print.Size:
		return refuse(fmt.Sprintf("a state of a file of %d bytes", s.Print.Size),
			strconv.FormatInt(p.print.Size, 10),
			"restore it with the scenario it was saved with")
	case s.Print != p.print:
		return refuse("a state of a file with other content", "",
			"restore it with the scenario it was saved with")
	case s.Unit != p.reader.unit || s.Loop != p.loop:
		return refuse(fmt.Sprintf("unit %v and looping %v", s.Unit, s.Loop),
			fmt.Sprintf("unit %v and looping %v", p.reader.unit, p.loop),
			"restore it with the settings it was saved with")
	case s.Offset < 0 || s.Offset > s.Print.Size || s.Line < 0 ||
		s.Ready && !s.Pending.Kind.Sensor():
		return refuse("a place outside the file", "", "the state is damaged")
	}
	return s, rest, nil
}
