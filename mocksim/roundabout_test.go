package mocksim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// roundabout describes a roundabout with one lane, where traffic keeps right.
type roundabout struct {
	radius  float64      // of the middle of its lane, m
	in, out map[int]bool // the arms from which traffic comes, and to which it goes
	sign    string       // on the arms, by its number in the StVO
	around  map[int]bool // the arms past which the ring leads
}

// stand is a place and a direction on a map.
type stand struct{ x, y, heading float64 }

// joining returns the geometry of a smooth road between two poses.
func joining(from, to stand) (geometry string, length float64) {
	sin, cos := math.Sincos(from.heading)
	dx, dy := to.x-from.x, to.y-from.y
	u, v := dx*cos+dy*sin, dy*cos-dx*sin
	reach := math.Hypot(u, v) * 1.1
	s, c := math.Sincos(to.heading - from.heading)
	// Hermite's cubic with the tangents (reach, 0) and reach (c, s)
	cu, du := 3*u-2*reach-reach*c, -2*u+reach+reach*c
	cv, dv := 3*v-reach*s, -2*v+reach*s
	const parts = 10000
	for k := range parts {
		p := (float64(k) + 0.5) / parts
		length += math.Hypot(reach+2*cu*p+3*du*p*p, 2*cv*p+3*dv*p*p) / parts
	}
	return fmt.Sprintf(`<geometry s="0" x="%.9f" y="%.9f" hdg="%.9f" length="%.9f">`+
		`<paramPoly3 pRange="normalized" aU="0" bU="%.9f" cU="%.9f" dU="%.9f" aV="0" bV="0" `+
		`cV="%.9f" dV="%.9f"/></geometry>`, from.x, from.y, from.heading, length, reach, cu, du, cv,
		dv), length
}

// at returns the pose on the left border of the lane, at an angle from the middle.
func (r roundabout) at(angle float64) stand {
	sin, cos := math.Sincos(angle)
	inside := r.radius - 1.75
	return stand{inside * cos, inside * sin, angle + math.Pi/2}
}

// laneOf returns a lane of a width of 3.5 m.
func laneOf(id int, before, after string) string {
	link := ""
	if before != "" {
		link += fmt.Sprintf(`<predecessor id="%s"/>`, before)
	}
	if after != "" {
		link += fmt.Sprintf(`<successor id="%s"/>`, after)
	}
	return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link>`+
		`<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>`, id, link)
}

// Half of the angle between an entry and an exit, and the length of an arm.
const mouth, armLength = 0.55, 500.0

// read returns the map. Each arm leads to a junction of its own, and arcs connect the junctions.
func (r roundabout) read(t testing.TB) *opendrive.Map {
	t.Helper()
	angle := func(arm int) float64 { return math.Pi * (1 + float64(arm)/2) }
	inner := r.radius * (math.Pi/2 - 2*mouth) * (r.radius - 1.75) / r.radius
	outer := 2 * mouth * (r.radius - 1.75)
	arc := fmt.Sprintf(`<arc curvature="%.9f"/>`, 1/(r.radius-1.75))
	link := func(end, kind string, id int, point string) string {
		return fmt.Sprintf(`<%s elementType="%s" elementId="%d" contactPoint="%s"/>`, end, kind,
			id, point)
	}
	var roads, junctions strings.Builder
	for arm := west; arm <= north; arm++ {
		junction, after := 90+arm, 200+arm
		before := 200 + (arm+3)%4
		here, next := r.at(angle(arm)+mouth), r.at(angle(arm)-mouth)
		roads.WriteString(road(after, -1, here.x, here.y, here.heading, inner, arc,
			link("predecessor", "junction", junction, "start")+
				link("successor", "junction", 90+(arm+1)%4, "start"),
			"<right>"+laneOf(-1, "", "")+"</right>") + "</road>")
		connections := ""
		if r.around[arm] {
			roads.WriteString(road(300+arm, junction, next.x, next.y, next.heading, outer, arc,
				link("predecessor", "road", before, "end")+
					link("successor", "road", after, "start"),
				"<right>"+laneOf(-1, "-1", "-1")+"</right>") + "</road>")
			connections = connection(before, 300+arm)
		}
		if r.in[arm] || r.out[arm] {
			sin, cos := math.Sincos(angle(arm))
			far := r.radius + 14
			end := stand{far * cos, far * sin, angle(arm) + math.Pi}
			roads.WriteString(r.arm(arm, stand{(far + armLength) * cos, (far + armLength) * sin,
				end.heading}, junction))
			if r.in[arm] {
				roads.WriteString(joint(400+arm, junction, end, here,
					link("predecessor", "road", arm+1, "end")+
						link("successor", "road", after, "start"), "-1"))
				connections += connection(arm+1, 400+arm)
			}
			if r.out[arm] {
				end.heading = angle(arm)
				roads.WriteString(joint(500+arm, junction, next, end,
					link("predecessor", "road", before, "end")+
						link("successor", "road", arm+1, "end"), "1"))
				connections += connection(before, 500+arm)
			}
		}
		fmt.Fprintf(&junctions, `<junction id="%d" name="">%s</junction>`, junction, connections)
	}
	text := `<OpenDRIVE><header revMajor="1" revMinor="6"/>` + roads.String() + junctions.String() +
		`</OpenDRIVE>`
	m, err := opendrive.Read("roundabout.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return m
}

func connection(from, by int) string {
	return fmt.Sprintf(`<connection id="%d" incomingRoad="%d" connectingRoad="%d" `+
		`contactPoint="start"><laneLink from="-1" to="-1"/></connection>`, by, from, by)
}

// arm returns the road of an arm, from its far end.
func (r roundabout) arm(arm int, far stand, junction int) string {
	left, right := "", ""
	if r.out[arm] {
		left = "<left>" + laneOf(1, "", "") + "</left>"
	}
	if r.in[arm] {
		right = "<right>" + laneOf(-1, "", "") + "</right>"
	}
	text := road(arm+1, -1, far.x, far.y, far.heading, armLength, "<line/>", fmt.Sprintf(
		`<successor elementType="junction" elementId="%d"/>`, junction), right)
	text = strings.Replace(text, `<laneSection s="0">`, `<laneSection s="0">`+left, 1)
	if r.sign != "" {
		text += fmt.Sprintf(`<signals><signal id="%d" s="%g" t="-4" orientation="+" type="%s" `+
			`country="DE" subtype="-1" dynamic="no" zOffset="2"/></signals>`, arm+1, armLength-1,
			r.sign)
	}
	return text + "</road>"
}

// joint returns a connecting road of one lane, which leads to another lane.
func joint(id, junction int, from, to stand, link, lane string) string {
	geometry, length := joining(from, to)
	text := road(id, junction, 0, 0, 0, length, "<line/>", link,
		"<right>"+laneOf(-1, "-1", lane)+"</right>")
	start, end := strings.Index(text, "<geometry"), strings.Index(text, "</planView>")
	return text[:start] + geometry + text[end:] + "</road>"
}

// TestCapacity_OfARoundabout compares the capacity of an entry with the Highway Capacity Manual's
// formula for one lane (6th edition, chapter 22).
func TestCapacity_OfARoundabout(t *testing.T) {
	m := roundabout{18, map[int]bool{west: true, south: true}, map[int]bool{east: true}, "205",
		map[int]bool{south: true}}.read(t)
	for _, flow := range []float64{1, 400, 600} {
		const seeds = uint64(4)
		sum := 0.0
		for seed := range seeds {
			sum += discharge(t, m, flow, seed+1)
		}
		want := 1380 * math.Exp(-1.02e-3*flow)
		t.Logf("%g vehicles/h: %.0f cars/h, HCM %.0f", flow, sum/float64(seeds), want)
		require.InEpsilon(t, want, sum/float64(seeds), 0.2)
	}
}

// TestRing_NeverFull checks that a roundabout that more vehicles want to enter than it can carry
// keeps flowing, with and without signs that give the ring priority.
func TestRing_NeverFull(t *testing.T) {
	all := map[int]bool{west: true, south: true, east: true, north: true}
	periods := 3 // without the limit for rings, the roundabout came to a halt within ten minutes
	if !testing.Short() {
		periods = 6
	}
	for _, sign := range []string{"", "205"} {
		m := roundabout{16, all, all, sign, all}.read(t)
		w := on(t, m, mocksim.Options{Seed: 3})
		require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 1200}))
		for k, last := 1, 0; k <= periods; k++ {
			for w.Time() < timebase.Time(k)*300*timebase.Second {
				for _, e := range steps(t, w, 1, 100*ms) {
					require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
				}
			}
			_, left, _ := w.FlowCounts()
			require.Greater(t, left-last, 60, "sign %q, %s", sign, w.Time())
			last = left
		}
	}
}
