package mocksim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// gridArm is one end of a road at a junction.
type gridArm struct {
	road    *gridRoad
	contact string
	in, out []int    // lanes, from the middle of the road outwards
	towards gridPose // in the direction of the vehicles that enter
}

// arm returns the end of a road at a node.
func (r *gridRoad) arm(n [2]int) gridArm {
	a := gridArm{road: r, contact: "end", towards: r.poses[1]}
	for id := 1; id <= r.right; id++ {
		a.in = append(a.in, -id)
	}
	for id := 1; id <= r.left; id++ {
		a.out = append(a.out, id)
	}
	if r.ends[0] == n {
		a.in, a.out, a.contact, a.towards = a.out, a.in, "start", r.poses[0]
		a.towards.heading += math.Pi
	}
	return a
}

// junction writes the connecting roads of a junction, from each road to all others.
func (g *grid) junction(number int, n [2]int) {
	fmt.Fprintf(&g.link, `<junction id="%d">`, number)
	for _, from := range g.arms[n] {
		for _, to := range g.arms[n] {
			if from != to {
				g.connect(number, from.arm(n), to.arm(n))
			}
		}
	}
	g.link.WriteString(`</junction>`)
}

// connect writes the connecting roads from the lanes of one arm to those of another: all lanes lead
// straight on, and one lane turns.
func (g *grid) connect(number int, a, b gridArm) {
	lanes := min(len(a.in), len(b.out))
	turn := math.Remainder(b.towards.heading+math.Pi-a.towards.heading, 2*math.Pi)
	for k := range lanes {
		if turn > 0.5 && k > 0 || turn < -0.5 && k < lanes-1 {
			continue
		}
		in, out := len(a.in)-lanes+k, len(b.out)-lanes+k
		if turn > -0.5 {
			in, out = k, k
		}
		aside := func(p gridPose, lane int, width float64) gridPose {
			p.x += float64(lane) * width * math.Sin(p.heading)
			p.y -= float64(lane) * width * math.Cos(p.heading)
			return p
		}
		leaves := b.towards
		leaves.heading = a.towards.heading + turn
		shape, length := gridCurve(aside(a.towards, in, a.road.width),
			aside(leaves, out, b.road.width))
		g.next++
		fmt.Fprintf(&g.b, `<road id="%d" junction="%d" length="%.9f"><link><predecessor `+
			`elementType="road" elementId="%d" contactPoint="%s"/><successor elementType="road" `+
			`elementId="%d" contactPoint="%s"/></link>%s<lanes><laneSection s="0"><center>`+
			`<lane id="0" type="none"/></center><right><lane id="-1" type="driving"><link>`+
			`<predecessor id="%d"/><successor id="%d"/></link><width sOffset="0" a="%.9f" `+
			`b="%.12f" c="0" d="0"/></lane></right></laneSection></lanes></road>`, g.next, number,
			length, a.road.id, a.contact, b.road.id, b.contact, shape, a.in[in], b.out[out],
			a.road.width, (b.road.width-a.road.width)/length)
		fmt.Fprintf(&g.link, `<connection id="%d" incomingRoad="%d" connectingRoad="%d" `+
			`contactPoint="start"><laneLink from="%d" to="-1"/></connection>`, g.next, a.road.id,
			g.next, a.in[in])
	}
}

// circles returns the circles of vehicles that wait for each other.
func circles(w *World) (list []string) {
	j := w.crossings
	j.seen = make([]int32, len(w.actors))
	for k := range w.actors {
		if !w.findCircle(int32(k)) {
			continue
		}
		var b strings.Builder
		for _, i := range j.circle {
			fmt.Fprintf(&b, "%s on %v; ", w.actors[i].name, w.actors[i].driver.course().lane)
		}
		list = append(list, b.String())
	}
	return list
}

// TestGrid_NoCircleLasts: on generated maps that more vehicles want to enter than can drive there,
// no circle of vehicles that wait for each other lasts, and none collide.
func TestGrid_NoCircleLasts(t *testing.T) {
	maps, minutes := []uint64{19}, 10
	if !testing.Short() {
		maps, minutes = []uint64{2, 3, 4, 5, 6, 19, 23}, 15
	}
	for _, seed := range maps {
		w, err := New(gridMap(t, seed), Options{Seed: seed})
		require.NoError(t, err)
		require.NoError(t, w.Populate(Traffic{Flow: 400}))
		since := map[string]int{}
		for second := range 60 * minutes {
			walk(t, w, 1)
			now := map[string]int{}
			for _, c := range circles(w) {
				now[c] = since[c] + 1
				require.Less(t, now[c], 120, "map %d, %d s: %s", seed, second, c)
			}
			since = now
		}
		w.Close()
	}
}

// TestFlow_TakesAllWays: vehicles that pass through a map choose each way with the same frequency,
// also directly after they have entered, and also ways that only lead out of the map. The numbers
// have a binomial distribution.
func TestFlow_TakesAllWays(t *testing.T) {
	w, err := New(gridMap(t, 13), Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Populate(Traffic{Flow: mostFlow}))
	chosen := map[opendrive.Course]map[opendrive.Course]int{}
	for range 1200 {
		_, err := w.Step(tenth)
		require.NoError(t, err)
		for len(w.actors) > 0 {
			a := w.actors[0]
			g := a.driver.path.legs[0].courses
			from := opendrive.Course{Lane: g[0].lane, Forwards: g[0].forwards}
			if chosen[from] == nil {
				chosen[from] = map[opendrive.Course]int{}
			}
			if a.kind == Car {
				chosen[from][opendrive.Course{Lane: g[1].lane, Forwards: g[1].forwards}]++
			}
			require.NoError(t, w.Destroy(a.name))
		}
	}
	require.Len(t, chosen, 10)
	for from, ways := range chosen {
		sum, next := 0, w.following(from)
		for _, n := range ways {
			sum += n
		}
		require.Greater(t, sum, 60)
		share := 1 / float64(len(next))
		for _, to := range next {
			require.InDelta(t, float64(sum)*share, ways[to],
				deviations*math.Sqrt(float64(sum)*share*(1-share)), "%v to %v", from.Lane, to.Lane)
		}
	}
}

// deviations is the number of standard deviations by which random numbers may differ from their
// expected value.
const deviations = 3.5

// demand returns the flow on each course, by its number, that results from a flow on each source
// if vehicles choose all ways with the same frequency.
func demand(w *World, rate float64) []float64 {
	flow := make([]float64, 2*len(w.m.Lanes()))
	for range 1000 { // more than any vehicle passes
		next := make([]float64, len(flow))
		for _, s := range w.inflow.sources {
			next[courseNumber(s.course)] = rate
		}
		for _, l := range w.m.Lanes() {
			for _, c := range l.Courses() {
				ways := w.following(c)
				for _, to := range ways {
					next[courseNumber(to)] += flow[courseNumber(c)] / float64(len(ways))
				}
			}
		}
		flow = next
	}
	return flow
}

// moving returns the number of vehicles that are on a map on average if all of them always drive
// at the limit: the sum of flow and travel time of all courses (Little's law).
func moving(w *World, rate float64) (vehicles float64) {
	flow := demand(w, rate)
	for _, l := range w.m.Lanes() {
		for _, c := range l.Courses() {
			limit, ok := l.SpeedLimit(startOf(c))
			if !ok {
				limit = fallbackLimit(l)
			}
			vehicles += flow[courseNumber(c)] / 3600 * w.rail(l).length / limit
		}
	}
	return vehicles
}

// TestGrid_CarriesItsFlow: a network of six junctions with lights, signs and neither carries 200
// vehicles per hour and lane. Their number is what a Poisson process gives, nearly all of them have
// entered at the end, and they do not accumulate: on average, the number of them on the map is
// neither far below the 45 of SUMO 1.28.0 with the same probabilities of turns nor twice as large.
func TestGrid_CarriesItsFlow(t *testing.T) {
	const rate, first, sumo = 200.0, 2, 44.9
	seeds, minutes := uint64(1), 10
	if !testing.Short() {
		seeds, minutes = 3, 60
	}
	for seed := range seeds {
		w, err := New(gridMap(t, 13), Options{Seed: seed + 1})
		require.NoError(t, err)
		require.NoError(t, w.Populate(Traffic{Flow: rate}))
		present, standing := 0.0, 0
		for minute := range minutes {
			walk(t, w, 60)
			if minute >= first {
				present += float64(len(w.actors)) / float64(minutes-first)
			}
			for _, a := range w.actors {
				if a.state.Speed < standstill {
					standing++
				}
			}
		}
		entered, left, waiting := w.FlowCounts()
		t.Logf("seed %d: %d entered, %d left, %d wait outside, %.0f stand on average, %.0f are there, "+
			"%.0f if all drove", seed+1, entered, left, waiting, float64(standing)/float64(minutes),
			present, moving(w, rate))
		come := rate * float64(len(w.inflow.sources)*minutes) / 60
		require.InDelta(t, come, entered+waiting, deviations*math.Sqrt(come))
		require.Greater(t, float64(entered), 0.95*float64(entered+waiting))
		require.Equal(t, entered, left+len(w.actors))
		require.Greater(t, present, 0.7*sumo)
		require.Less(t, present, 2*sumo)
		w.Close()
	}
}
