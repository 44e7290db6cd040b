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

// TestJunction_ImpliedContactPoint checks that a connection without contact point is joined to the
// end of the connecting road that leads to the incoming road.
func TestJunction_ImpliedContactPoint(t *testing.T) {
	connection := `<connection id="0" incomingRoad="2" connectingRoad="9">` +
		`<laneLink from="1" to="1"/></connection>`
	text := strings.ReplaceAll(crossroads(connection), center+`<right><lane id="-1"`,
		`<left><lane id="1" type="driving"><link><predecessor id="1"/><successor id="1"/></link>`+
			`<width a="3.5"/></lane></left>`+center+`<right><lane id="-1"`)
	m := read(t, text)
	require.True(t, has(m.Check(), "X-JUNCTION-CONTACT", finding.Warning))
	require.False(t, has(m.Check(), "X-JUNCTION-CONTACT", finding.Error))
	next := m.Next(opendrive.Course{Lane: m.Road("2").Sections[0].Lane(1)})
	require.Len(t, next, 1)
	require.Equal(t, "9", next[0].Lane.Section.Road.ID)

	named := strings.Replace(text, `connectingRoad="9"`, `connectingRoad="9" contactPoint="end"`, 1)
	require.False(t, has(read(t, named).Check(), "X-JUNCTION-CONTACT", finding.Warning))
}

// TestCheck_WrongContactPointIsOneFault checks that lanes that do not meet because of a wrong
// contact point are no second finding.
func TestCheck_WrongContactPointIsOneFault(t *testing.T) {
	m := read(t, strings.Replace(crossroads(goodConnection),
		`connectingRoad="9" contactPoint="start"`,
		`connectingRoad="9" contactPoint="end"`, 1))
	require.False(t, has(m.Check(), "X-LANE-GAP", finding.Error))
}

// TestCheck_LinkToALaneWithoutWidth checks that a link is reported if only the other lane has no
// width there and does not link back.
func TestCheck_LinkToALaneWithoutWidth(t *testing.T) {
	sections := section("0", center+`<right><lane id="-1" type="driving"><link>`+
		`<successor id="-1"/><successor id="-2"/></link><width a="3.5"/></lane></right>`) +
		section("50", center+`<right><lane id="-1" type="driving"><link><predecessor id="-1"/>`+
			`</link><width a="3.5"/></lane><lane id="-2" type="driving"><width a="0" b="0.07"/>`+
			`</lane></right>`)
	text := document(oneRoad{sections: sections}.String())
	require.True(t, has(read(t, text).Check(), "X-LANE-ZERO-LINK", finding.Warning))
	text = strings.Replace(text, `<successor id="-2"/>`, "", 1)
	require.False(t, has(read(t, text).Check(), "X-LANE-ZERO-LINK", finding.Warning))
}

// TestCheck_DirectJunctionSplitsARoad checks that a road may be in two connections of a direct
// junction, which has no connecting roads.
func TestCheck_DirectJunctionSplitsARoad(t *testing.T) {
	text := strings.NewReplacer(`revMinor="8"`, `revMinor="7"`, `<junction id="7">`,
		`<junction id="7" type="direct">`).Replace(crossroads(
		`<connection id="0" incomingRoad="1" linkedRoad="2" contactPoint="start">` +
			`<laneLink from="-1" to="-1"/></connection>` +
			`<connection id="1" incomingRoad="9" linkedRoad="2" contactPoint="start">` +
			`<laneLink from="-1" to="-1"/></connection>`))
	require.False(t, has(read(t, text).Check(), "X-JUNCTION-TWICE", finding.Warning))
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
