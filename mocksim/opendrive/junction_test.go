package opendrive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
)

// unlinkedCrossroads returns crossroads without the links of the connecting lane. The far end of
// this lane is y m to the side of the road it leads to.
func unlinkedCrossroads(y string) string {
	text := strings.Replace(crossroads(goodConnection),
		`<link><predecessor id="-1"/><successor id="-1"/></link>`, "", 1)
	return strings.Replace(text, `x="200" y="0"`, `x="200" y="`+y+`"`, 1)
}

func TestJunction_LanesWithoutLinksLeadWhereTheyMeet(t *testing.T) {
	m := read(t, unlinkedCrossroads("0"))
	connecting := m.Road("9").Sections[0].Lane(-1)
	next := m.Next(opendrive.Course{Lane: connecting, Forwards: true})
	require.Len(t, next, 1)
	require.Equal(t, "2", next[0].Lane.Section.Road.ID)
	require.True(t, has(m.Check(), "X-JUNCTION-IMPLIED", finding.Warning))
	require.False(t, has(m.Check(), "X-JUNCTION-UNLINKED", finding.Error))

	m = read(t, unlinkedCrossroads("1"))
	connecting = m.Road("9").Sections[0].Lane(-1)
	require.Empty(t, m.Next(opendrive.Course{Lane: connecting, Forwards: true}))
	require.True(t, has(m.Check(), "X-JUNCTION-UNLINKED", finding.Error))
}

func TestJunction_ContactPointHasToLeadToTheIncomingRoad(t *testing.T) {
	m := read(t, strings.Replace(crossroads(goodConnection),
		`connectingRoad="9" contactPoint="start"`,
		`connectingRoad="9" contactPoint="end"`, 1))
	require.True(t, has(m.Check(), "X-JUNCTION-CONTACT", finding.Error))
}

func TestCheck_RedundantRecordsAreNoted(t *testing.T) {
	for text, want := range map[string]bool{
		`<elevation s="0" a="1" b="0.1"/><elevation s="50" a="6" b="0.1"/>`:  true,
		`<elevation s="0" a="1" b="0.1"/><elevation s="50" a="6" b="0.11"/>`: false,
	} {
		require.Equal(t, want, has(read(t, document(oneRoad{elevation: text}.String())).Check(),
			"X-REDUNDANT", finding.Note))
	}
	require.True(t, has(read(t,
		document(oneRoad{plan: `<geometry s="0" x="0" y="0" hdg="0" length="50"><line/>` +
			`</geometry>` +
			`<geometry s="50" x="50" y="0" hdg="0" length="50"><line/>` +
			`</geometry>`}.String())).Check(), "X-REDUNDANT", finding.Note))
}

func TestCheck_AccessEitherAllowsOrDenies(t *testing.T) {
	lane := func(second string) string {
		return document(oneRoad{sections: rightLanes(`<lane id="-1" type="driving"><width a="3"/>` +
			`<access sOffset="0" rule="allow" restriction="bus"/>` + second + `</lane>`)}.String())
	}
	require.True(t, has(read(t,
		lane(`<access sOffset="0" rule="deny" `+
			`restriction="truck"/>`)).Check(), "X-ACCESS", finding.Error))
	require.False(t, has(read(t,
		lane(`<access sOffset="10" rule="deny" `+
			`restriction="truck"/>`)).Check(), "X-ACCESS", finding.Error))
}

func TestCheck_LinkedLanesAreBothLevel(t *testing.T) {
	text := strings.Replace(pairOfRoads(forth, back), `<lane id="-1" type="driving">`,
		`<lane id="-1" type="driving" level="true">`, 1)
	require.True(t, has(read(t, text).Check(), "X-LANE-LEVEL", finding.Warning))
}

func TestCheck_SignalReferencesLeadToSignals(t *testing.T) {
	text := func(id string) string {
		return document(oneRoad{rest: `<signals><signal id="7" s="5" t="0" type="206" ` +
			`subtype="-1" dynamic="no" orientation="+"/>` +
			`<signalReference id="` + id + `" s="9" t="0" orientation="+"/></signals>`}.String())
	}
	require.False(t, has(read(t, text("7")).Check(), "X-SIGNAL-REFERENCE", finding.Error))
	require.True(t, has(read(t, text("8")).Check(), "X-SIGNAL-REFERENCE", finding.Error))
}
