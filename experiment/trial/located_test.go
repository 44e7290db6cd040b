package trial_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
)

// TestInitialize_NamesTheLine: an experiment that cannot start because of a name in the BIBI
// document ends with its line as the cause.
func TestInitialize_NamesTheLine(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"ego.sped", "lead.brake"}, {"ego.speed", "lead.brke"}, {"ego.brake", "ego.speed"},
	} {
		m := files(t, false)
		m["demo.bibi"].Data = bytes.Replace(m["demo.bibi"].Data, []byte("</bibi>"),
			[]byte("\n<g:connection from=\""+c.from+"\" to=\""+c.to+"\"/></bibi>"), 1)
		before, _, found := bytes.Cut(m["demo.bibi"].Data, []byte("<g:connection from=\""+c.from+
			"\" to=\""+c.to))
		require.True(t, found)
		line := 1 + bytes.Count(before, []byte("\n"))
		v, err := open(t, m, trial.Options{}).Run(t.Context())
		require.Error(t, err)
		require.Equal(t, trial.Faulty, v.Outcome)
		require.Regexp(t, `^demo\.bibi:`+string(rune('0'+line))+`: `, v.Cause)
	}
}

// TestOpen_LongStep: the world has a longest step, which is known before the run.
func TestOpen_LongStep(t *testing.T) {
	m := files(t, false)
	m["demo.bibi"].Data = bytes.Replace(m["demo.bibi"].Data, []byte(">20<"), []byte(">1001<"), 1)
	_, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m})
	require.ErrorIs(t, err, trial.ErrInvalid)
	require.ErrorContains(t, err, "demo.bibi:4: ")
	require.ErrorContains(t, err, "found a step of 1.001 s, expected at most 1 s with a map")
	m["demo.bibi"].Data = bytes.Replace(m["demo.bibi"].Data, []byte(">1001<"), []byte(">1000<"), 1)
	_, err = trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m})
	require.NoError(t, err)
}
