package opendrive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

const plainLane = `<lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>`

// eastward returns a road of 50 m along x with a lane.
func eastward(id int, x, y float64, link, lane string) string {
	return fmt.Sprintf(`<road id="%d" length="50" junction="-1"><link>%s</link><planView>`+
		`<geometry s="0" x="%g" y="%g" hdg="0" length="50"><line/></geometry></planView><lanes>`+
		`<laneSection s="0"><center><lane id="0"/></center><right>%s</right></laneSection></lanes>`+
		`</road>`, id, link, x, y, lane)
}

func repeated(n int, part func(k int) string) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(part(k))
	}
	return b.String()
}

// TestRepair_LargeFaultyMaps: the time to check and repair many faults of a kind grows with their
// number; if it grew with the square, each of these maps would take minutes.
func TestRepair_LargeFaultyMaps(t *testing.T) {
	const n = 30_000
	linked := func(k int) string {
		return strings.Replace(plainLane, "<width", `<link><successor id="-1"/></link><width`, 1)
	}
	for name, c := range map[string]struct {
		text    string
		changes int
	}{
		"links to roads that do not exist, instead of the next road": {document(repeated(n/4,
			func(k int) string {
				return eastward(k+1, 50*float64(k), 0,
					`<successor elementType="road" elementId="no" contactPoint="start"/>`, plainLane)
			})), n / 4},
		"links to roads that do not exist, at one place": {document(repeated(n/4,
			func(k int) string {
				return eastward(k+1, 0, 0,
					`<successor elementType="road" elementId="no" contactPoint="start"/>`, plainLane)
			})), n / 4},
		"missing links back": {document(repeated(n/4, func(k int) string {
			return eastward(k+1, 50*float64(k), 0, fmt.Sprintf(
				`<successor elementType="road" elementId="%d" contactPoint="start"/>`,
				(k+1)%(n/4)+1), linked(k))
		})), n/4 - 1},
		"links to junctions that do not exist": {document(repeated(n/4, func(k int) string {
			return eastward(k+1, 0, 50*float64(k),
				`<successor elementType="junction" elementId="no"/>`, plainLane)
		})), n / 4},
		"sections in the wrong order": {document(strings.Replace(eastward(1, 0, 0, "", plainLane),
			`<laneSection s="0">`, repeated(n-1, func(k int) string {
				return fmt.Sprintf(`<laneSection s="%g"><center><lane id="0"/></center><right>`+
					`%s</right></laneSection>`, 50*float64(n-1-k)/n, plainLane)
			})+`<laneSection s="0">`, 1)), n - 1},
		"links to lanes that do not exist": {document(strings.Replace(eastward(1, 0, 0, "",
			strings.Replace(plainLane, "<width", `<link>`+repeated(n, func(k int) string {
				return fmt.Sprintf(`<successor id="-%d"/>`, k+2)
			})+`</link><width`, 1)), `</lanes>`, `<laneSection s="25"><center><lane id="0"/>`+
			`</center><right>`+plainLane+`</right></laneSection></lanes>`, 1)), n},
		"controls of signals that do not exist": {document(eastward(1, 0, 0, "", plainLane),
			`<controller id="1">`+repeated(n, func(k int) string {
				return fmt.Sprintf(`<control signalId="%d"/>`, k)
			})+`</controller>`), n},
		"corners that do not exist": {document(strings.Replace(eastward(1, 0, 0, "", plainLane),
			`</road>`, `<objects><object id="1" type="building" s="1" t="1"><outlines>`+
				`<outline id="1">`+repeated(n, func(k int) string {
				return fmt.Sprintf(`<cornerLocal u="%d" v="0" z="0" height="1" id="%d"/>`, k, k)
			})+`</outline></outlines><markings><marking>`+repeated(n, func(k int) string {
				return fmt.Sprintf(`<cornerReference id="0%d"/>`, n+k)
			})+`</marking></markings></object></objects></road>`, 1)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := opendrive.Repair("large.xodr", []byte(c.text))
			require.NoError(t, err)
			kinds := map[string]int{}
			for _, x := range got.Changes {
				kinds[x.Rule]++
			}
			most := 0
			for _, count := range kinds {
				most = max(most, count)
			}
			require.GreaterOrEqual(t, most, c.changes, "%v", kinds)
			if c.changes == 0 {
				require.NotEmpty(t, got.Left)
			}
		})
	}
}
