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

// TestWrite_Empty: an empty page states that it is empty.
func TestWrite_Empty(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, signalpage.New("x").Write(&text))
	require.Contains(t, text.String(), "There are no numbers")
}

// TestWrite_Track: latitude and longitude give a track in meters, which leaves out the zeros that
// receivers send without a position.
func TestWrite_Track(t *testing.T) {
	p := signalpage.New("flight.csv")
	latitude, longitude := p.Signal("gps.latitude", "ndeg", true),
		p.Signal("gps.longitude", "ndeg", true)
	for k, at := range [][2]float64{{0, 0}, {53e9, 22e9}, {53.00001e9, 22e9},
		{53.00001e9, 22.00001e9}} {
		latitude.Add(float64(k), at[0])
		longitude.Add(float64(k), at[1])
	}
	var text bytes.Buffer
	require.NoError(t, p.Write(&text))
	require.Contains(t, text.String(), "Track from above")
	// 1.113 m along the meridian (pi/180 * 1e-5 of 6 376 km), 0.671 m along the parallel
	require.Contains(t, text.String(), `[{"t":1,"host":-1,"pose":[0,0,0],"objects":[]},`+
		`{"t":2,"host":-1,"pose":[0,1.113,1.571],"objects":[]},`+
		`{"t":3,"host":-1,"pose":[0.671,1.113,0],"objects":[]}]`)
}

// TestWrite_NoTrack: numbers that are not angles or do not change give no track.
func TestWrite_NoTrack(t *testing.T) {
	p := signalpage.New("x.csv")
	latitude, longitude := p.Signal("latitude", "m", true), p.Signal("longitude", "m", true)
	other := p.Signal("b.longitude", "deg", true)
	for k := range 3 {
		latitude.Add(float64(k), float64(k))
		longitude.Add(float64(k), float64(k))
		other.Add(float64(k), float64(k))
	}
	var text bytes.Buffer
	require.NoError(t, p.Write(&text))
	require.NotContains(t, text.String(), "Track from above")
}

// TestWrite_LongTrack: a long track is thinned evenly.
func TestWrite_LongTrack(t *testing.T) {
	p := signalpage.New("x.csv")
	latitude, longitude := p.Signal("latitude", "deg", true), p.Signal("longitude", "deg", true)
	for k := range 5000 {
		latitude.Add(float64(k), 50+float64(k)/1e5)
		longitude.Add(float64(k), 8)
	}
	var text bytes.Buffer
	require.NoError(t, p.Write(&text))
	n := bytes.Count(text.Bytes(), []byte(`"pose"`))
	require.True(t, n > 300 && n <= 600, n)
	require.Contains(t, text.String(), `{"t":0,"host":-1,`)
	require.Contains(t, text.String(), `{"t":16,"host":-1,`)
}
