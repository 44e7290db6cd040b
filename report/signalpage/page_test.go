package signalpage_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/report/signalpage"
	"gosmp/timebase"
)

func TestWrite(t *testing.T) {
	p := signalpage.New("a<b>.csv")
	x := p.Signal("speed", "m/s", true)
	p.Signal("text", "", false).Add(0, math.NaN())
	x.Add(1, 2.5)
	x.Add(3, 7)
	p.States([]scxml.Record{{Machine: "m", Kind: scxml.Entered, State: "on"}}, 4*timebase.Second)
	var one, two bytes.Buffer
	require.NoError(t, p.Write(&one))
	require.NoError(t, p.Write(&two))
	require.Equal(t, one.String(), two.String())
	text := one.String()
	for _, part := range []string{"<title>a&lt;b&gt;.csv</title>", `"last":4`,
		`{"path":"speed, m/s","times":[1,3],"values":[2.5,7],"steps":true}`,
		"Without a number: 1 of the variables", `{"from":0,"to":4,"text":"on","order":0}`} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "http")
}

// TestWrite_Empty: an empty page says so.
func TestWrite_Empty(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, signalpage.New("x").Write(&text))
	require.Contains(t, text.String(), "There are no numbers")
}
