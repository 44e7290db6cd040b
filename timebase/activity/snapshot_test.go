package activity

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// plant is a program that uses everything that a state must contain, and keeps nothing outside the
// node.
type plant struct {
	node   *Node
	clock  *VirtualClock
	input  *StreamWriter[int]
	keys   *EventWriter[string]
	once   *AperiodicAlarm
	clocks *PeriodicAlarm
	sum    *Activity
	safe   *Reader[int]
}

func newPlant(t require.TestingT) *plant {
	n := NewNode(NodeSpec{Managers: 2, Trace: true})
	m := n.Module("plant")
	p := &plant{
		node:   n,
		once:   m.AperiodicAlarm("once"),
		clocks: m.PeriodicAlarm("clock", 0, 7*tick),
	}
	in, keys := Open[int](n, "input"), Open[string](n, "keys")
	total, log := Open[int](n, "total").Keep(20*tick), Open[[]byte](n, "log")
	p.input, p.keys = in.StreamWriter(m, ""), keys.EventWriter(m, "")
	readIn, own := in.Reader(m, ReaderSpec{}), total.Reader(m, ReaderSpec{Match: StartOrEarlier})
	readKeys, all := keys.Reader(
		m,
		ReaderSpec{},
	), total.Reader(
		m,
		ReaderSpec{All: true, Mode: ReadAllData},
	)
	w, v := total.StreamWriter(m, "sum"), log.EventWriter(m, "")
	safe := total.EventWriter(m, "safe")
	p.safe = total.Reader(m, ReaderSpec{Label: "safe"})
	p.sum = m.Activity(
		"sum",
		Spec{Trigger: And(p.clocks, readIn), Priority: Priority{Manager: 1},
			Work: func(c Cycle) error {
				old, _ := own.Newest()
				x, _ := readIn.Read(c.Span.Start)
				return w.Write(c.Span, old.Value*3+x.Value)
			},
			Safe: Safe{
				On:      p.clocks,
				Periods: 2,
				Work:    func(c Cycle) error { return safe.Write(c.Span.Start, c.Missed) },
			}},
	)
	p.sum.SwitchOn(0)
	m.Activity("log", Spec{Trigger: Or(Regulate(own, 2*tick, 10*tick), all, p.once),
		Work: func(c Cycle) error {
			for d := range all.All(c.Span.End) {
				if err := v.Write(max(c.Span.Start, p.node.Now()), []byte{byte(d.Value),
					byte(d.Value >> 8)}); err != nil {
					return err
				}
			}
			if d, ok := readKeys.Read(c.Span.End); ok {
				return v.Write(max(c.Span.Start, p.node.Now()), []byte(d.Value))
			}
			return nil
		}}).
		SwitchOn(3 * tick)
	var err error
	p.clock, err = NewVirtualClock(n, 0)
	require.NoError(t, err)
	return p
}

// move performs one operation from outside, drawn at random but valid in any state.
func (p *plant) move(kind int, amount timebase.Time) {
	now := p.clock.Now()
	switch kind {
	case 0:
		_ = p.input.Write(
			timebase.Span{Start: max(now-30*tick, p.input.entry.end), End: now + amount*tick},
			int(amount),
		) // may be refused
	case 1:
		_ = p.keys.Write(now, "key")
	case 2:
		_ = p.once.Request(now + amount*tick)
	case 3:
		p.sum.SwitchOff(now + amount*tick)
	case 4:
		p.sum.SwitchOn(now + amount*tick)
	case 5:
		_ = p.clocks.SetPeriod(now, amount*tick)
	default:
		_ = p.clock.AdvanceTo(now + amount*tick)
	}
}

type move struct {
	Kind   int
	Amount timebase.Time
}

func drawMoves(t *rapid.T, label string) []move {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) move {
		return move{
			rapid.IntRange(0, 9).Draw(t, "kind"),
			timebase.Time(rapid.IntRange(1, 40).Draw(t, "amount")),
		}
	}), 0, 25).Draw(t, label)
}

func (p *plant) play(moves []move) {
	for _, m := range moves {
		p.move(m.Kind, m.Amount)
	}
}

// A run that is interrupted, saved and restored, in this node or a new one, continues as if it had
// not been interrupted.
func TestRestoredRunContinuesIdentically(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, between, after := drawMoves(
			t,
			"before",
		), drawMoves(
			t,
			"between",
		), drawMoves(
			t,
			"after",
		)
		straight := newPlant(t)
		straight.play(before)
		saved, err := straight.node.AppendState(nil)
		require.NoError(t, err)
		straight.play(after)
		want, err := straight.node.AppendState(nil)
		require.NoError(t, err)

		back := newPlant(t)
		back.play(before)
		back.play(between)
		require.NoError(t, back.node.RestoreState(saved))
		again, err := back.node.AppendState([]byte("prefix"))
		require.NoError(t, err)
		require.Equal(t, "prefix"+string(saved), string(again))
		back.play(after)
		got, err := back.node.AppendState(nil)
		require.NoError(t, err)
		require.Equal(t, straight.node.Trace(), back.node.Trace())
		require.Equal(t, want, got)

		fresh := newPlant(t)
		require.NoError(t, fresh.node.RestoreState(saved))
		again, err = fresh.node.AppendState(nil)
		require.NoError(t, err)
		require.Equal(t, saved, again)
		fresh.play(after)
		require.Equal(t, straight.node.TraceHash(), fresh.node.TraceHash())
		require.Equal(
			t,
			straight.safe.Unread(timebase.EndOfTime),
			fresh.safe.Unread(timebase.EndOfTime),
		)
	})
}

// stateFrame is the size of the parts that surround the body of a state: header and checksum.
const stateFrame = stateHead + 4

// reseal corrects the checksum of a changed state.
func reseal(state []byte) []byte {
	body := state[:len(state)-4]
	return binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
}

func TestForeignAndDamagedStatesChangeNothing(t *testing.T) {
	p := newPlant(t)
	p.play([]move{{0, 40}, {1, 1}, {2, 9}, {9, 20}, {1, 1}, {9, 5}})
	good, err := p.node.AppendState(nil)
	require.NoError(t, err)

	other := newRig(t, NodeSpec{}).start()
	foreign, err := other.node.AppendState(nil)
	require.NoError(t, err)
	flipped := append([]byte{}, good...)
	flipped[len(flipped)/2] ^= 1
	for text, state := range map[string][]byte{
		"0 bytes that begin with": nil,
		`expected a state that begins with "timebase state 2"`: []byte(
			"timebase state 7 and some more bytes"),
		"the state is damaged": flipped,
		"the state of program": foreign,
		"an early end": reseal(
			slices.Clone(good[:stateFrame+3])),
		"4 bytes after the end": reseal(append(append([]byte{},
			good...), 0, 0, 0, 0)),
	} {
		err := p.node.RestoreState(state)
		require.ErrorIs(t, err, ErrSnapshot, text)
		require.ErrorContains(t, err, text)
		same, err := p.node.AppendState(nil)
		require.NoError(t, err)
		require.Equal(t, good, same, "nothing has changed")
	}
	for at := stateFrame; at < len(good)-4; at++ { // any byte may be wrong, and none may cause harm
		for _, bit := range []byte{1, 0x80} {
			bad := append([]byte{}, good...)
			bad[at] ^= bit
			if err := p.node.RestoreState(reseal(bad)); err != nil {
				require.ErrorIs(t, err, ErrSnapshot)
				same, err := p.node.AppendState(nil)
				require.NoError(t, err)
				require.Equal(t, good, same)
			} else {
				require.NoError(t, p.node.RestoreState(good))
			}
		}
	}
}

func FuzzRestoreState(f *testing.F) {
	p := newPlant(f)
	for _, moves := range [][]move{{}, {{0, 40}, {1, 1}, {2, 9}, {9, 20}}, {{9, 40}, {9, 40},
		{0, 3}, {1, 1}, {5, 9}, {9, 9}}} {
		p.play(moves)
		state, err := p.node.AppendState(nil)
		require.NoError(f, err)
		f.Add(state[:len(state)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := newPlant(t)
		err := p.node.RestoreState(reseal(append(slices.Clone(body), 0, 0, 0, 0)))
		if err != nil {
			require.ErrorIs(t, err, ErrSnapshot)
		}
		_, err = p.node.AppendState(nil)
		require.NoError(t, err)
		// each period of an alarm counts, so that a state with a short one takes its time
		short := min(tick/1000, p.clocks.period)
		if p.clocks.next.wanted {
			short = min(short, p.clocks.next.period)
		}
		step := 1000 * short
		_ = p.clock.AdvanceTo(min(p.clock.Now(), timebase.EndOfTime-step) + step)
	})
}

type withCodec struct{ p *int }

type intPointer struct{}

func (intPointer) Append(dst []byte, v withCodec) ([]byte, error) {
	if *v.p < 0 {
		return nil, errors.New("negative")
	}
	return append(dst, byte(*v.p)), nil
}

func (intPointer) Decode(src []byte) (withCodec, error) {
	v := int(src[0])
	return withCodec{&v}, nil
}

func TestPayloadsWithoutByteForm(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[withCodec](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	r.start()
	state, err := r.node.AppendState(nil)
	require.NoError(t, err, "no data, no codec needed")
	x := 7
	require.NoError(t, w.Write(span(0, 1), withCodec{&x}))
	_, err = r.node.AppendState([]byte("kept"))
	require.ErrorIs(t, err, ErrCodec)
	require.ErrorContains(t, err, `channel "c", entry of test`)
	require.ErrorIs(t, r.node.RestoreState(state), ErrCodec, "there would be no way back")

	ch.Codec(intPointer{})
	state, err = r.node.AppendState(nil)
	require.NoError(t, err)
	x = 8
	require.NoError(t, r.node.RestoreState(state))
	d, ok := ch.Reader(r.module, ReaderSpec{}).Read(0)
	require.True(t, ok)
	require.Equal(t, 7, *d.Value.p)
	*d.Value.p = -1
	_, err = r.node.AppendState(nil)
	require.ErrorContains(t, err, "negative")
	require.ErrorIs(t, err, ErrCodec)
}

// A failed activity is still failed and inactive after its state is restored.
func TestFailureIsPartOfTheState(t *testing.T) {
	build := func() (*rig, *Activity, *int) {
		r, calls := newRig(t, NodeSpec{}), 0
		a := r.module.Activity(
			"a",
			Spec{
				Trigger: r.module.PeriodicAlarm("alarm", 0, 10*tick),
				Work: func(Cycle) error {
					calls++
					return errors.New("out of fuel")
				},
			},
		)
		a.SwitchOn(0)
		return r.start(), a, &calls
	}
	r, a, _ := build()
	whole, err := r.node.AppendState(nil)
	require.NoError(t, err)
	r.to(5)
	failed, err := r.node.AppendState(nil)
	require.NoError(t, err)

	fresh, b, calls := build()
	require.NoError(t, fresh.node.RestoreState(failed))
	require.EqualError(t, b.Err(), "out of fuel")
	fresh.to(50)
	require.Zero(t, *calls)
	require.NoError(t, r.node.RestoreState(whole))
	require.NoError(t, a.Err(), "before it failed")
}

// A reservation made while the program runs is part of its state.
func TestReservationIsPartOfTheState(t *testing.T) {
	build := func() (*Node, *Channel[int], *EventWriter[int]) {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c").Keep(0)
		w := ch.EventWriter(r.module, "")
		return r.start().node, ch, w
	}
	n, ch, w := build()
	without, err := n.AppendState(nil)
	require.NoError(t, err)
	ch.Reserve()
	with, err := n.AppendState(nil)
	require.NoError(t, err)
	other, _, v := build()
	kept := func(n *Node, w *EventWriter[int], state []byte) int {
		require.NoError(t, n.RestoreState(state))
		for i := range timebase.Time(3) {
			require.NoError(t, w.Write(i*tick, 0))
		}
		return w.entry.kept()
	}
	require.Equal(t, 1, kept(n, w, without))
	require.Equal(t, 3, kept(other, v, with))
}

// Restoring removes all previous contents.
func TestRestoringAgainAndAgain(t *testing.T) {
	p := newPlant(t)
	p.play([]move{{0, 40}, {9, 3}})
	saved, err := p.node.AppendState(nil)
	require.NoError(t, err)
	guards := len(p.node.guards)
	require.NotZero(t, guards)
	for range 3 {
		require.NoError(t, p.node.RestoreState(saved))
		require.Len(t, p.node.guards, guards)
	}
}

// A reader that used its reservation before the state was saved does not take another one after the
// state is restored.
func TestReservationIsTakenOnceAlsoWhenRestored(t *testing.T) {
	build := func(reserve bool) (*rig, *Channel[int]) {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c")
		if reserve {
			ch.Reserve()
		}
		ch.EventWriter(r.module, "a")
		ch.Reader(r.module, ReaderSpec{All: true, Mode: ReadReservation})
		return r.start(), ch
	}
	taken, _ := build(true)
	state, err := taken.node.AppendState(nil)
	require.NoError(t, err)
	r, ch := build(false)
	require.NoError(t, r.node.RestoreState(state))
	ch.Reserve()
	require.NoError(t, ch.EventWriter(r.module, "b").Write(0, 0))
	require.Equal(t, 1, ch.reserved, "for somebody else")
}

// A reported backlog still counts as reported after a state is restored.
func TestReportedBacklogIsPartOfTheState(t *testing.T) {
	build := func() (*rig, *StreamWriter[int]) {
		r := newRig(t, NodeSpec{})
		a, b := Open[int](r.node, "a").Keep(0), Open[int](r.node, "b")
		w := a.StreamWriter(r.module, "")
		r.record("x", And(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})))
		return r.start(), w
	}
	r, w := build()
	const waits = 10_002 // ticks
	for i := range timebase.Time(waits) {
		require.NoError(t, w.Write(span(i, i+1), 0))
	}
	require.Equal(t, []Finding{TriggerBacklog}, r.found())
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	fresh, v := build()
	require.NoError(t, fresh.node.RestoreState(state))
	require.NoError(t, v.Write(span(waits, waits+1), 0))
	require.Empty(t, fresh.reports)
}

// A regulator that has begun a period continues it where its state is restored, on the grid that
// was set last.
func TestBegunPeriodIsPartOfTheState(t *testing.T) {
	for _, c := range []struct {
		change bool
		want   []timebase.Span
	}{{false, spansOf(10, 20, 20, 30)}, {true, spansOf(10, 11, 11, 15, 15, 19, 19, 23, 23, 27)}} {
		build := func() (*rig, *StreamWriter[int], *Regulator, *[]timebase.Span) {
			r := newRig(t, NodeSpec{})
			ch := Open[int](r.node, "c")
			w, reg := ch.StreamWriter(
				r.module,
				"",
			), Regulate(
				ch.Reader(r.module, ReaderSpec{}),
				0,
				10*tick,
			)
			return r, w, reg, r.record("a", reg)
		}
		r, w, reg, _ := build()
		require.NoError(t, w.Write(span(0, 14), 0))
		r.start().to(14)
		if c.change {
			require.NoError(t, reg.SetPeriod(3*tick, 4*tick))
		}
		state, err := r.node.AppendState(nil)
		require.NoError(t, err)
		fresh, v, _, spans := build()
		fresh.start()
		require.NoError(t, fresh.node.RestoreState(state))
		require.NoError(t, v.Write(span(14, 30), 0))
		fresh.to(30)
		require.Equal(t, c.want, *spans, "from where the last one ended, not from 14")
	}
}

// Data that a reader over several entries has not yet passed on triggers activities after the state
// is restored.
func TestWaitingSpansArePartOfTheState(t *testing.T) {
	build := func() (*rig, *StreamWriter[int], *[]timebase.Span) {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c")
		w := ch.StreamWriter(r.module, "")
		spans := r.record("a", ch.Reader(r.module, ReaderSpec{All: true}))
		return r.start(), w, spans
	}
	r, w, _ := build()
	require.NoError(t, w.Write(span(0, 5), 0))
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	fresh, _, spans := build()
	require.NoError(t, fresh.node.RestoreState(state))
	fresh.to(1)
	require.Equal(t, spansOf(0, 5), *spans)
}

// Triggers may wait again for a stream that is reset to before its beginning.
func TestSkippedTimeIsPartOfTheState(t *testing.T) {
	r := newRig(t, NodeSpec{})
	a, b := Open[int](r.node, "a"), Open[int](r.node, "b")
	w, v := a.StreamWriter(r.module, ""), b.StreamWriter(r.module, "")
	spans := r.record("x", And(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})))
	r.start()
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	v.Skip(50 * tick)
	require.NoError(t, r.node.RestoreState(state))
	writeAll(t, w, spansOf(0, 10, 10, 20))
	require.NoError(t, v.Write(span(0, 20), 0))
	r.to(1)
	require.Equal(t, spansOf(0, 10, 10, 20), *spans)
}

// The stops of a stream and the losses of a reader are part of the state.
func TestStopAndLossArePartOfTheState(t *testing.T) {
	build := func() (*rig, *StreamWriter[int], *Reader[int]) {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c").Keep(0).Limit(2)
		w, reader := ch.StreamWriter(
			r.module,
			"",
		), ch.Reader(
			r.module,
			ReaderSpec{Mode: ReadAllData},
		)
		return r.start(), w, reader
	}
	r, w, reader := build()
	writeAll(t, w, spansOf(0, 1, 1, 2, 2, 3, 3, 4, 4, 5))
	w.Stop()
	require.EqualValues(t, 3, reader.Lost())
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	fresh, v, same := build()
	require.NoError(t, fresh.node.RestoreState(state))
	require.EqualValues(t, 3, same.Lost())
	require.NoError(t, v.Write(span(7, 8), 0))
	require.NotContains(t, fresh.found(), StreamGap)
}

// Bytes with a correct checksum that describe an impossible state are refused.
func TestStatesThatCannotBeAreRefused(t *testing.T) {
	type parts struct {
		*rig
		step   *StepAlarm
		alarm  *PeriodicAlarm
		reg    *Regulator
		and    *andTrigger
		reader *Reader[int]
		writer *StreamWriter[int]
	}
	build := func() parts {
		p := parts{rig: newRig(t, NodeSpec{})}
		p.step, p.alarm = p.module.StepAlarm("step"), p.module.PeriodicAlarm("alarm", 0, 10*tick)
		ch := Open[int](p.node, "c")
		p.writer, p.reader = ch.StreamWriter(
			p.module,
			"",
		), ch.Reader(
			p.module,
			ReaderSpec{Mode: ReadAllData},
		)
		p.reg = Regulate(p.reader, 0, 10*tick)
		both := And(p.alarm, p.step)
		p.and = both.(*andTrigger)
		p.record("a", p.reg)
		p.record("b", both)
		p.start()
		writeAll(t, p.writer, spansOf(0, 10, 10, 20))
		return p
	}
	for text, spoil := range map[string]func(parts){
		"a step alarm that is due by itself": func(p parts) { p.step.due = 5 * tick },
		"an alarm without a period":          func(p parts) { p.alarm.next.wanted = true },
		"a regulator without a period":       func(p parts) { p.reg.period = 0 },
		"a reader beside its data": func(p parts) {
			p.reader.core.binds[0].cursor = p.writer.entry.tail + 1
		},
		"data that are not in the order of time": func(p parts) {
			p.writer.entry.ahead[1] = span(5, 20)
		},
		"an And that holds back what is complete": func(p parts) {
			for i := range p.and.sources {
				p.and.sources[i].history.push(span(0, 10))
			}
		},
	} {
		bad := build()
		spoil(bad)
		state, err := bad.node.AppendState(nil)
		require.NoError(t, err)
		err = build().node.RestoreState(state)
		require.ErrorIs(t, err, ErrSnapshot, text)
		require.ErrorContains(t, err, text)
	}
}
