package cosim

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One table, as different programs write it.
func TestReadTable_ReadsDialects(t *testing.T) {
	known := []Variable{{Name: "x", Kind: Float64, Size: 1}, {Name: "n", Kind: Int32, Size: 1}}
	for _, text := range []string{
		"\"time\",\"x\",\"n\"\n0.0,0.5,3\n0.25,1.5,-4\n",
		"\ufefftime;x;n\r\n0,0;0,5;3\r\n0,25;1,5;-4\r\n",
		"time\tx\tn\n0\t0.5\t3.0\n0.25\t1.5\t-4.00\n",
		"\"time [s]\";\"x\";\"n\"\n0.0;0.5;3.\n0.25;1.5;-4\n",
	} {
		table, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.NoError(t, err, text)
		require.Equal(t, [][]uint64{
			{math.Float64bits(0.5), math.Float64bits(1.5)},
			{3, ^uint64(3)},
		}, table.cells, text)
		require.Equal(t, "0.25", string(appendFloat(nil, table.times[1].Seconds(), 64)), text)
	}
	for _, text := range []string{
		"time,x,n\n0,0,5,3\n",     // a comma that is both
		"time;x;n\n0;1.000,5;3\n", // two points
		"time;x;n\n0;1;3,5\n",     // no integer
		"time,x,n\n0,1,3.5\n",     // nor here
		"time,x,n\n0,1,3.0e0\n",   // spelled as what it is not
		"time;x,n\n0;1,5\n",       // which one separates?
		"zeit;x;n\n0;1;3\n",
	} {
		_, err := ReadTable(strings.NewReader(text), "in.csv", known)
		require.Error(t, err, text)
	}
}
