package position

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// crossing returns two roads of 100 m along x with one lane in each direction, and a junction of
// 30 m between them, where each direction has a connecting road of its own. The connecting road of
// the traffic against x has two lane sections.
func crossing(t testing.TB) *Network {
	lane := func(id int, links string) string {
		return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link><width sOffset="0" a="3.5"
b="0" c="0" d="0"/></lane>`, id, links)
	}
	section := func(s int, left, right string) string {
		return fmt.Sprintf(`<laneSection s="%d"><left>%s</left><center><lane id="0" type="none"/>
</center><right>%s</right></laneSection>`, s, left, right)
	}
	road := func(id, junction, x, heading, length, links, sections string) string {
		return `<road id="` + id + `" length="` + length + `" junction="` + junction + `"><link>` +
			links + `</link><planView><geometry s="0" x="` + x + `" y="0" hdg="` + heading +
			`" length="` + length + `"><line/></geometry></planView><lanes>` + sections +
			`</lanes></road>`
	}
	m, err := opendrive.Read("test.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/>`+
			road("1", "-1", "0", "0", "100", `<successor elementType="junction" elementId="9"/>`,
				section(0, lane(1, ""), lane(-1, "")))+
			road("2", "-1", "130", "0", "100",
				`<predecessor elementType="junction" elementId="9"/>`,
				section(0, lane(1, ""), lane(-1, "")))+
			road("10", "9", "100", "0", "30", `<predecessor elementType="road" elementId="1"
contactPoint="end"/><successor elementType="road" elementId="2" contactPoint="start"/>`,
				section(0, "", lane(-1, `<predecessor id="-1"/><successor id="-1"/>`)))+
			road("11", "9", "130", "3.141592653589793", "30", `<predecessor elementType="road"
elementId="2" contactPoint="start"/><successor elementType="road" elementId="1"
contactPoint="end"/>`, section(0, "", lane(-1, `<predecessor id="1"/><successor id="-1"/>`))+
				section(12, "", lane(-1, `<predecessor id="-1"/><successor id="1"/>`)))+
			`<junction id="9" name=""><connection id="0" incomingRoad="1" connectingRoad="10"
contactPoint="start"><laneLink from="-1" to="-1"/></connection><connection id="1" incomingRoad="2"
connectingRoad="11" contactPoint="start"><laneLink from="1" to="-1"/></connection></junction>
</OpenDRIVE>`))
	require.NoError(t, err)
	return NewNetwork(m)
}

// TestMove_OncomingLaneOnARoute checks that a place in the lane of the oncoming traffic stays in it
// at a junction, although a route uses the connecting road of its own direction.
func TestMove_OncomingLaneOnARoute(t *testing.T) {
	n := crossing(t)
	from, err := n.OnLane("1", -1, 10, 0)
	require.NoError(t, err)
	to, err := n.OnLane("2", -1, 90, 0)
	require.NoError(t, err)
	route, err := n.NewRoute([]Place{from, to}, make([]Strategy, 2), false)
	require.NoError(t, err)
	for _, via := range []*Route{nil, route} {
		for lane, connecting := range map[int]string{-1: "10", 1: "11"} {
			p, err := n.OnLane("1", lane, 90, 0.25)
			require.NoError(t, err)
			y, last := p.Position.Y, 90.0
			for range 120 {
				require.Zero(t, n.Move(&p, p.alongX()*0.5, via))
				require.InDelta(t, last+0.5, p.Position.X, 1e-9)
				require.InDelta(t, y, p.Position.Y, 1e-9, "%s at %g", p.Road.ID, p.S)
				if last = p.Position.X; last > 100 && last < 130 {
					require.Equal(t, connecting, p.Road.ID)
				}
			}
			require.Equal(t, "2", p.Road.ID)
			require.Equal(t, lane, p.Lane.ID)
		}
	}
}

// alongX returns the direction of s along x.
func (p *Place) alongX() float64 {
	if p.Road.ID == "11" {
		return -1
	}
	return 1
}

// TestPassage checks which roads are on the way of a place: on its route, or else straight on.
func TestPassage(t *testing.T) {
	n := crossing(t)
	for lane, want := range map[int]string{-1: "10 2", 1: "11 2"} {
		p, err := n.OnLane("1", lane, 40, 0)
		require.NoError(t, err)
		var roads []string
		for _, id := range []string{"10", "11", "2"} {
			if n.Passage(&p, p.Forwards(), nil, n.m.Road(id)).Leads {
				roads = append(roads, id)
			}
		}
		require.Equal(t, want, strings.Join(roads, " "))
		require.False(t, n.Passage(&p, !p.Forwards(), nil, n.m.Road("2")).Leads, "behind it")
	}
}

// TestApart_OneWayRing checks that a place behind another one on a ring that is driven in one
// direction only is not measured around the ring.
func TestApart_OneWayRing(t *testing.T) {
	quarter := func(id, before, after string, x, y, heading float64) string {
		return fmt.Sprintf(`<road id="%s" length="30" junction="-1"><link><predecessor
elementType="road" elementId="%s" contactPoint="end"/><successor elementType="road" elementId="%s"
contactPoint="start"/></link><planView><geometry s="0" x="%v" y="%v" hdg="%v" length="30"><arc
curvature="%v"/></geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none"/>
</center><right><lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>`,
			id, before, after, x, y, heading, math.Pi/60)
	}
	r := 60 / math.Pi
	m, err := opendrive.Read("ring.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/>`+quarter("1", "4", "2", 0, -r, 0)+
			quarter("2", "1", "3", r, 0, math.Pi/2)+quarter("3", "2", "4", 0, r, math.Pi)+
			quarter("4", "3", "1", -r, 0, -math.Pi/2)+`</OpenDRIVE>`))
	require.NoError(t, err)
	n := NewNetwork(m)
	a, err := n.OnLane("1", -1, 10, 0)
	require.NoError(t, err)
	b, err := n.OnLane("4", -1, 20, 0)
	require.NoError(t, err)
	for _, c := range []struct {
		from, to *Place
		want     float64
	}{{&a, &b, -20}, {&b, &a, 20}} {
		along, _, ok := n.Apart(c.from, c.to)
		require.True(t, ok)
		require.InDelta(t, c.want, along, 1e-9)
	}
}
