package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestPriorityOf_Countries checks that the letters of signs are read in the catalogue of their
// country.
func TestPriorityOf_Countries(t *testing.T) {
	for _, c := range []struct {
		country, kind, sub string
		rank               int
		halt               bool
	}{
		{"DE", "206", "-1", -1, true}, {"OpenDRIVE", "205", "", -1, false}, {"", "306", "", 1, false},
		{"", "B2", "", -1, true}, {"OpenDRIVE", "B", "1", -1, false}, {"se", "B4", "", 1, false},
		{"FI", "B6", "", -1, true}, {"fi", "B1", "", 1, false}, {"FR", "AB4", "", -1, true},
		{"fr", "B1", "", 0, false}, {"PL", "A-7", "", -1, false}, {"pl", "B-20", "-1", -1, true},
		{"US", "R1-1", "", -1, true}, {"USA", "R1", "2", -1, false}, {"dk", "B1", "", 0, false},
		{"DE", "274", "50", 0, false}, {"", "", "", 0, false}, {"fr", "AB3", "", -1, false},
		{"US", "R1-6", "", 0, false}, {"US", "R1-2", "", -1, false},
		{"FRA", "AB3a", "-1", -1, false}, {"FR", "AB2", "", 1, false}, {"it", "B, 2", "", -1, true},
		{"nl", "B06", "", -1, false}, {"DE", "206.0", "", -1, true}, {"no", "206", "", 0, false},
	} {
		rank, halt := priorityOf(&opendrive.Signal{Country: c.country, Type: c.kind,
			Subtype: c.sub})
		require.Equal(t, c.rank, rank, "%+v", c)
		require.Equal(t, c.halt, halt, "%+v", c)
	}
}
