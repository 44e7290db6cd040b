package simsensor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// TestReaderAcceptance covers the acceptance checks of the format's author, one case each.
func TestReaderAcceptance(t *testing.T) {
	const header = "sensor,timestamp,fld1,fld2\n"
	for _, tc := range []struct {
		name    string
		content string
		loop    bool
		fails   error
		kinds   []Kind
		times   []timebase.Time
	}{
		{name: "a file without anything does not open", content: "", fails: ErrNoData},
		{name: "a file with only a header does not open", content: header, fails: ErrNoData},
		{name: "a row and the end", content: header + "2,0,1000,293\n0\n", kinds: []Kind{Barometer},
			times: []timebase.Time{0}},
		{name: "no header", content: "2,0,1000,293\n0\n", kinds: []Kind{Barometer},
			times: []timebase.Time{0}},
		{
			name: "several sensors in the order of the file", content: header +
				"2,0,1020,350\n1,100,5,10,15\n2,200,500,300\n0\n",
			kinds: []Kind{Barometer, Accelerometer, Barometer}, times: []timebase.Time{0, 100 * ms,
				200 * ms},
		},
		{
			name: "the end row stops a file that would loop", content: header +
				"2,0,1020,350\n2,9,1,1\n0\n", loop: true,
			kinds: []Kind{Barometer, Barometer}, times: []timebase.Time{0, 9 * ms},
		},
		{
			name: "the first stamp is not the start", content: header +
				"2,5000,1,1\n2,5003,1,1\n0\n",
			kinds: []Kind{Barometer, Barometer}, times: []timebase.Time{0, 3 * ms},
		},
		{
			name: "looping goes on in time", content: header +
				"2,50,1230,365\n1,60,50,60,70\n2,90,5000,301\n", loop: true,
			kinds: []Kind{Barometer, Accelerometer, Barometer, Barometer, Accelerometer, Barometer},
			times: []timebase.Time{0, 10 * ms, 40 * ms, 40 * ms, 50 * ms, 80 * ms},
		},
		{name: "a file of another content does not open", content: header +
			"3,0,1000,293\n2,0,10.5,3\n", fails: ErrBadRow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &tape{}
			p, err := Open(write(t, tc.content), Options{Loop: tc.loop, Warn: c.warn})
			if tc.fails != nil {
				require.ErrorIs(t, err, tc.fails)
				return
			}
			require.NoError(t, err)
			defer closed(t, p)
			c.run(t, p, timebase.EndOfTime, 6)
			var kinds []Kind
			for _, row := range c.rows {
				kinds = append(kinds, row.Kind)
			}
			require.Equal(t, tc.kinds, kinds)
			require.Equal(t, tc.times, c.times)
			require.Empty(t, c.problems)
		})
	}
}
