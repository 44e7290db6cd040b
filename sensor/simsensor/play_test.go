package simsensor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

const ms = timebase.Millisecond

// write puts content into a file and returns its name.
func write(t testing.TB, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "scenario.csv")
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

// tape collects what a player does.
type tape struct {
	rows     []Row
	times    []timebase.Time
	problems []Problem
}

func (c *tape) warn(p Problem) { c.problems = append(c.problems, p) }

// kinds returns the kinds of the problems, in order.
func (c *tape) kinds() []ProblemKind {
	var kinds []ProblemKind
	for _, p := range c.problems {
		kinds = append(kinds, KindOf(p))
	}
	return kinds
}

// open opens content with the given options; problems go to the tape.
func (c *tape) open(t testing.TB, content string, opt Options) *Player {
	t.Helper()
	opt.Warn = c.warn
	p, err := Open(write(t, content), opt)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// run takes all rows up to until, but at most limit.
func (c *tape) run(t testing.TB, p *Player, until timebase.Time, limit int) {
	t.Helper()
	for range limit {
		var row Row
		at, ok, err := p.Next(until, &row)
		require.NoError(t, err)
		if !ok {
			return
		}
		c.rows, c.times = append(c.rows, row), append(c.times, at)
	}
}

// play opens content, plays at most 1000 rows of it and returns the tape.
func play(t testing.TB, content string, opt Options) (*tape, *Player) {
	t.Helper()
	c := &tape{}
	p := c.open(t, content, opt)
	c.run(t, p, timebase.EndOfTime, 1000)
	return c, p
}

// refuse opens content and returns the expected error.
func refuse(t testing.TB, content string, opt Options, cause error) *Problem {
	t.Helper()
	_, err := Open(write(t, content), opt)
	require.ErrorIs(t, err, cause)
	var p *Problem
	require.ErrorAs(t, err, &p)
	return p
}

// closed closes the player, for use in defer.
func closed(t testing.TB, p *Player) {
	t.Helper()
	require.NoError(t, p.Close())
}

// fields returns the fields that exist for the kind of a row.
func fields(row Row) []int64 { return row.Fields[:len(row.Kind.Fields())] }
