package simsensor

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/state"
	"gosmp/timebase"
)

// messy contains everything that a state must cover: missing fields, bad, held and odd rows, both
// GPS layouts.
const messy = "sensor,timestamp\r\n8,100,1,2,3,4,5,6\n8,101,7\n" + gps19Later +
	"\n4,103,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18\n" +
	"8,102,9\n1,x\n\n1,110,1\n1,110,2,3\n2,115,100000,290,,\n64,1,1\n1,120\n8,140\n"

const gps19Later = "4,102,95000,53202132333,22057384666,1750000000000000,140,216,131299,26,26,0,0" +
	",356,550,11,100,0,7,8,1"

// follow plays n calls of step each and returns everything observable.
func follow(t require.TestingT, p *Player, from, step timebase.Time, n int) (rows []Row,
	times []timebase.Time, counts []Counters) {
	for i := range n {
		for range 100 {
			var row Row
			at, ok, err := p.Next(from+timebase.Time(i)*step, &row)
			require.NoError(t, err)
			if !ok {
				break
			}
			rows, times = append(rows, row), append(times, at)
		}
		counts = append(counts, p.Counters())
	}
	return rows, times, counts
}

func TestRestoredPlayerContinuesIdentically(t *testing.T) {
	big := messy
	for len(big) < 3*bufferSize {
		big += "1,140,1,2\n8,140,3\n"
	}
	big += "1,150\n"
	for name, content := range map[string]string{
		"looping": messy, "end row": messy + "0\n", "larger than the buffer": big,
		"end row in a large file": big + "0\n",
	} {
		for _, loop := range []bool{true, false} {
			opt := Options{Loop: loop, Start: 7 * timebase.Second}
			file := write(t, content)
			original, err := Open(file, opt)
			require.NoError(t, err)
			other, err := Open(write(t, content), Options{Loop: loop, Start: -99, StartDelay: 5,
				Strict: false})
			require.NoError(t, err)
			for i := range 30 {
				state := original.AppendState([]byte("prefix"))[len("prefix"):]
				now := opt.Start + timebase.Time(i)*5*ms
				rows, times, counts := follow(t, original, now, 5*ms, 30)
				after := original.AppendState(nil)
				for _, p := range []*Player{other, original} {
					require.NoError(t, p.RestoreState(state))
					require.Equal(t, state, p.AppendState(nil), "%s: a state survives", name)
					r, at, c := follow(t, p, now, 5*ms, 30)
					// thousands of rows, which Equal would compare by reflection
					require.True(t, slices.Equal(rows, r), name)
					require.True(t, slices.Equal(times, at), name)
					require.True(t, slices.Equal(counts, c), name)
					require.Equal(t, after, p.AppendState(nil), name)
				}
				require.NoError(t, original.RestoreState(state))
				follow(t, original, now, 5*ms, 1)
			}
			require.NoError(t, original.Close())
			require.NoError(t, other.Close())
		}
	}
}

func TestRestoredPlayerDoesNotRepeatWarnings(t *testing.T) {
	first, second := &tape{}, &tape{}
	p := first.open(t, messy+"0\n", Options{})
	first.run(t, p, timebase.EndOfTime, 100)
	q := second.open(t, messy+"0\n", Options{})
	require.NoError(t, q.RestoreState(p.AppendState(nil)))
	second.problems = nil // the problems reported by opening
	second.run(t, q, timebase.EndOfTime, 100)
	require.Empty(t, second.problems)
	require.Equal(t, p.Counters(), q.Counters())
}

// reseal corrects the checksum of a changed state.
func reseal(b []byte) []byte {
	body := b[:len(b)-4]
	return state.Seal(body[:len(body):len(body)], 0)
}

func TestForeignAndDamagedStatesAreRefused(t *testing.T) {
	c := &tape{}
	p := c.open(t, messy, Options{Loop: true})
	c.run(t, p, 20*ms, 100)
	good := p.AppendState(nil)
	changed := func(i int, v byte) []byte {
		b := append([]byte{}, good...)
		b[i] = v
		return b
	}
	other := func(content string, opt Options) []byte {
		q := (&tape{}).open(t, content, opt)
		return q.AppendState(nil)
	}
	for name, tc := range map[string]struct {
		state []byte
		want  string
	}{
		"nothing":       {nil, "0 bytes"},
		"cut off":       {good[:len(good)-1], "checksum"},
		"longer":        {append(append([]byte{}, good...), 0), "checksum"},
		"other version": {reseal(changed(7, '1')), `"simsens1`},
		"one bit":       {changed(60, good[60]^1), "checksum"},
		"other size":    {other(messy+"\n", Options{Loop: true}), "file of"},
		"other content": {other(strings.Replace(messy, "110", "111", 1), Options{Loop: true}),
			"other content"},
		"other unit": {other(messy, Options{Loop: true, Unit: Seconds}),
			"unit s and looping true"},
		"other looping": {other(messy, Options{}), "looping false"},
		"bad place":     {reseal(changed(33, 0xff)), "outside the file"},
	} {
		err := p.RestoreState(tc.state)
		require.ErrorIs(t, err, ErrState, name)
		require.Contains(t, err.Error(), tc.want, name)
		require.Equal(t, good, p.AppendState(nil), "%s: nothing changes", name)
	}
	require.NoError(t, p.RestoreState(good))
}

func TestDamagedStatesNeverPanic(t *testing.T) {
	file := write(t, messy)
	p, err := Open(file, Options{Loop: true})
	require.NoError(t, err)
	defer closed(t, p)
	var row Row
	_, _, err = p.Next(0, &row)
	require.NoError(t, err)
	good := p.AppendState(nil)
	rapid.Check(t, func(t *rapid.T) {
		b := append([]byte{}, good...)
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "value")
		}
		if p.RestoreState(reseal(b)) != nil {
			return
		}
		for range 20 {
			if _, ok, err := p.Next(timebase.EndOfTime, &row); err != nil || !ok {
				return
			}
		}
	})
}

func TestStateIsSmall(t *testing.T) {
	for _, content := range []string{messy, large()} {
		p := (&tape{}).open(t, content, Options{Loop: true})
		require.Less(t, len(p.AppendState(nil)), 200*kindCount)
	}
}

// Rows that are due together are returned one by one, and a state may be taken between any two of
// them, before or after the next one has been read ahead. The state also determines which problems
// in the rest of the file are reported.
func TestRestoredBetweenTwoRowsContinuesIdentically(t *testing.T) {
	const end = 100 * timebase.Second
	for name, tc := range map[string]struct {
		content string
		loop    bool
	}{"once": {messy + "0\n", false}, "looping": {messy, true}} {
		for n := range 25 {
			for _, ahead := range []bool{false, true} {
				straight, other := &tape{}, &tape{}
				p, q := straight.open(t, tc.content, Options{Loop: tc.loop}),
					other.open(t, tc.content, Options{Loop: tc.loop})
				straight.run(t, p, end, n)
				if ahead {
					_, _, err := p.Due()
					require.NoError(t, err)
				}
				require.NoError(t, q.RestoreState(p.AppendState(nil)))
				*straight, *other = tape{}, tape{}
				straight.run(t, p, end, 15)
				other.run(t, q, end, 15)
				for i := range other.problems {
					other.problems[i].Place.File = p.reader.name
				}
				require.Equal(t, straight, other, "%s, after %d rows", name, n)
				require.Equal(t, p.Counters(), q.Counters())
			}
		}
	}
}

// Files of equal size and beginning are distinguished by their end.
func TestStateOfAFileWithAnotherEndIsRefused(t *testing.T) {
	content := strings.Repeat("32,0,290\n", 3*bufferSize/9)
	p := (&tape{}).open(t, content+"32,1,290\n", Options{})
	q := (&tape{}).open(t, content+"32,1,291\n", Options{})
	require.ErrorIs(t, q.RestoreState(p.AppendState(nil)), ErrState)
}
