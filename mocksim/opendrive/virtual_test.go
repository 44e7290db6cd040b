package opendrive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

const bothLanes = `<laneSection s="0"><left><lane id="1" type="driving"><link><predecessor ` +
	`id="1"/>` +
	`<successor id="1"/></link><width sOffset="0" a="3.5"/></lane></left>` + center +
	`<right><lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>` +
	`<width sOffset="0" a="3.5"/></lane></right></laneSection>`

// gateway returns a main road of 100 m along x, and a road 30 that leaves it at s = 40, with both
// lanes: traffic turns right out of lane -1, and returns into lane 1 against the direction of s.
func gateway(geometry string) string {
	return document(oneRoad{sections: `<laneSection s="0">` + left + center +
		`<right><lane id="-1" type="driving"><width sOffset="0" a="3"/><width sOffset="60" a="3" ` +
		`b="0.01"/></lane></right></laneSection>`}.String(),
		oneRoad{id: "30", attributes: `junction="7"`, length: 20, sections: bothLanes,
			plan: geometry,
			link: `<predecessor elementType="road" elementId="1" elementS="40" ` +
				`elementDir="+"/>`}.String(),
		`<junction id="7" type="virtual" mainRoad="1" sStart="35" sEnd="45" orientation="+">`+
			`<connection id="0" incomingRoad="1" connectingRoad="30" contactPoint="start">`+
			`<laneLink from="-1" to="-1"/></connection></junction>`)
}

func TestVirtualJunction_IsDrivenInBothDirections(t *testing.T) {
	m := read(t, strings.ReplaceAll(gateway(`<geometry s="0" x="40" y="0" hdg="0" length="20">`+
		`<arc curvature="-0.02"/></geometry>`), `a="3"`, `a="3.5"`))
	main, side := m.Road("1"), m.Road("30")
	require.Len(t, main.Sections, 2)
	before, after := main.Sections[0], main.Sections[1]
	ways := func(c opendrive.Course) (names []string) {
		for _, n := range m.Next(c) {
			names = append(names, n.Lane.String())
		}
		return names
	}
	require.Equal(t, []string{"road 1, section 1, lane -1", "road 30, section 0, lane -1"},
		ways(opendrive.Course{Lane: before.Lane(-1), Forwards: true}))
	require.Equal(t, []string{"road 1, section 0, lane 1"},
		ways(opendrive.Course{Lane: after.Lane(1)}))
	require.Equal(t, []string{"road 1, section 0, lane 1"},
		ways(opendrive.Course{Lane: side.Sections[0].Lane(1)}))
	require.Empty(t, m.LeftOut())
	list, err := m.Route(before.Lane(-1), side.Sections[0].Lane(-1))
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, s := range []float64{0, 39, 41, 60, 61, 100} { // records count from the same place
		require.InDelta(t, 3.5+0.01*max(s-60, 0), main.SectionAt(s).Lane(-1).Width(s), 1e-12)
	}
}

func TestVirtualJunction_WithAJumpIsLeftOut(t *testing.T) {
	m := read(t, gateway(`<geometry s="0" x="40" y="-0.4" hdg="0" length="20"><line/></geometry>`))
	require.Len(t, m.LeftOut(), 2, "%v", m.LeftOut())
	require.Equal(t, "X-VIRTUAL", m.LeftOut()[0].ID)
	next := m.Next(opendrive.Course{Lane: m.Road("1").Sections[0].Lane(-1), Forwards: true})
	require.Len(t, next, 1)
	require.Equal(t, "1", next[0].Lane.Section.Road.ID)
}

func TestVirtualJunction_ElementSHasToBeOnTheRoad(t *testing.T) {
	m := read(t, strings.Replace(gateway(straight20), `elementS="40"`, `elementS="140"`, 1))
	require.Contains(t, rulesOf(m.Check()), "X-LINK-CONTACT")
}

const straight20 = `<geometry s="0" x="40" y="0" hdg="0" length="20"><line/></geometry>`
