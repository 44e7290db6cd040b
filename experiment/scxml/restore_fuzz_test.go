package scxml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/internal/state"
)

// FuzzRestoreState restores any bytes with a correct checksum: either it fails and changes nothing,
// or the system continues and can be saved.
func FuzzRestoreState(f *testing.F) {
	first := newRig(scxml.Options{Seed: 7})
	first.start(f, "m", rich)
	for at := range 20 {
		_ = first.Advance(first.Now() + 7*ms)
		saved, err := first.AppendState(nil)
		require.NoError(f, err)
		if at%5 == 0 {
			f.Add(saved[:len(saved)-4]) // without the checksum
		}
	}
	c := chart(f, rich)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := scxml.NewSystem(scxml.Options{Seed: 7})
		_, err := s.Add("m", c)
		require.NoError(t, err)
		before, err := s.AppendState(nil)
		require.NoError(t, err)
		if err := s.RestoreState(state.Seal(append([]byte(nil), b...), 0)); err != nil {
			after, err := s.AppendState(nil)
			require.NoError(t, err)
			require.Equal(t, before, after)
			return
		}
		_, err = s.AppendState(nil)
		require.NoError(t, err)
		_ = s.Advance(s.Now() + ms)
	})
}
