package participant_test

import (
	"crypto/sha256"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/mocksim/participant"
	"gosmp/timebase"
)

// TestL1_MessagesStayUntilTheNextOnes checks L1: each message of a world has its own memory and
// keeps its bytes until the second message of its kind after it, regardless of other messages
// created meanwhile.
func TestL1_MessagesStayUntilTheNextOnes(t *testing.T) {
	s := scene(t)
	s.Seats = []string{"ego", s0(t)}
	p, err := participant.New(s)
	require.NoError(t, err)
	var outputs []int
	for k, v := range p.Variables() {
		if v.Kind == cosim.Binary && v.Role == cosim.Output {
			outputs = append(outputs, k)
		}
	}
	_, out, err := p.Bind(nil, outputs)
	require.NoError(t, err)
	require.NoError(t, p.Enter(t.Context(), cosim.Setup{Step: cosim.Every(0.02)}))
	defer func() { require.NoError(t, p.Close()) }()
	require.NoError(t, p.Leave(t.Context()))
	type sent struct {
		bytes []byte
		sum   [32]byte
	}
	var before []sent
	for k := range 20 {
		at := timebase.Time(k) * 20 * timebase.Millisecond
		_, err := p.Step(t.Context(), timebase.Span{Start: at, End: at + 20*timebase.Millisecond})
		require.NoError(t, err)
		for n := range before {
			name := p.Variables()[outputs[n]].Name
			require.Equal(t, before[n].sum, sha256.Sum256(before[n].bytes), "step %d, %s", k, name)
		}
		now := make([]sent, len(outputs))
		for n := range outputs {
			b := out.Blob(n, 0)
			now[n] = sent{b, sha256.Sum256(b)}
			require.NotEmpty(t, b, p.Variables()[outputs[n]].Name)
		}
		for n := range now {
			for i := range n {
				require.False(t, overlap(now[n].bytes, now[i].bytes), "%s and %s",
					p.Variables()[outputs[n]].Name, p.Variables()[outputs[i]].Name)
			}
			if before != nil {
				require.False(t, overlap(now[n].bytes, before[n].bytes), "the last one is kept")
			}
		}
		before = now
	}
	require.Len(t, before, 10)
}

func overlap(a, b []byte) bool {
	begin := func(x []byte) uintptr { return reflect.ValueOf(x).Pointer() }
	return begin(a) < begin(b)+uintptr(len(b)) && begin(b) < begin(a)+uintptr(len(a))
}
