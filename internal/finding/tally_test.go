package finding

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTally: of millions of findings, the first of each kind are kept and all are counted.
func TestTally(t *testing.T) {
	var l List
	var many Tally
	for k := range 5000 {
		many.Add(&l, Finding{ID: "A", Severity: Warning, Message: fmt.Sprint(k)})
		if k%2 == 0 {
			many.Add(&l, Finding{ID: "A", Severity: Error, Message: fmt.Sprint(k)})
		}
	}
	many.Add(&l, Finding{ID: "A", Severity: Warning, Blind: true})
	many.Add(&l, Finding{ID: "B", Severity: Warning})

	require.Len(t, l, 2*MostAlike+2)
	require.Equal(t, 5000+2, l.Count(Warning))
	require.Equal(t, 2500, l.Count(Error))
	require.Equal(t, "0", l[0].Message)
	last := l[slices.IndexFunc(l, func(f Finding) bool { return f.Severity == Warning && f.More > 0 })]
	require.Equal(t, fmt.Sprint(MostAlike-1), last.Message)
}

// TestTally_ChangedList: lists may be sorted, and findings removed, between two calls.
func TestTally_ChangedList(t *testing.T) {
	var l List
	var many Tally
	add := func() { many.Add(&l, Finding{ID: "A", Severity: Error, Message: "m"}) }
	for range MostAlike + 1 {
		add()
	}
	l = append(List{{ID: "B"}}, l[:MostAlike-1]...)
	add()
	require.Equal(t, 1, l[MostAlike-1].More)
	l = l[:1]
	add()
	require.Equal(t, "A", l[1].ID)
	require.Zero(t, l[1].More)
}

// TestTally_Outputs: each output states how many findings were left out.
func TestTally_Outputs(t *testing.T) {
	var l List
	var many Tally
	for range MostAlike + 234 {
		many.Add(&l, Finding{ID: "A", Severity: Error, Message: "wrong"})
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":  func(b *bytes.Buffer) error { return l.WriteText(b) },
		"junit": func(b *bytes.Buffer) error { return l.WriteJUnit(b, "x") },
		"sarif": func(b *bytes.Buffer) error { return l.WriteSARIF(b, Tool{}, nil) },
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		require.Contains(t, out.String(), "and 234 more findings of this rule", name)
	}
	var out bytes.Buffer
	require.NoError(t, l.WriteJSON(&out))
	require.Contains(t, out.String(), `"more": 234`)
}
