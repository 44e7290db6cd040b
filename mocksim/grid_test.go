package mocksim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// gridRoad is a road between two nodes of a grid, with lanes of the same width.
type gridRoad struct {
	id, left, right int // number of lanes
	ends            [2][2]int
	poses           [2]gridPose // both in the direction of the road
	width, length   float64
	shape           string
}

type gridPose struct{ x, y, heading float64 }

// grid generates maps: streets with one or two lanes on each side between junctions with all
// turns, and different signs or lights at each of them, and streets that leave the map.
type grid struct {
	random *rand.Rand
	roads  []*gridRoad
	arms   map[[2]int][]*gridRoad
	nodes  [][2]int
	rules  map[[2]int]int // none, give way, stop, all stop, lights
	b      strings.Builder
	link   strings.Builder
	next   int
}

// GridMap is gridMap for tests outside of the package.
var GridMap = gridMap

// gridText returns the text of the map of a seed.
func gridText(t *testing.T, seed uint64) string {
	t.Helper()
	g := &grid{random: rand.New(rand.NewPCG(seed, 48)), arms: map[[2]int][]*gridRoad{},
		rules: map[[2]int]int{}, next: 1000}
	columns, rows := 1+g.random.IntN(3), 1+g.random.IntN(3)
	g.streets(columns, rows, 70+float64(90*g.random.Float64()))
	g.b.WriteString(`<OpenDRIVE><header revMajor="1" revMinor="6"/>`)
	for _, r := range g.roads {
		g.street(r)
	}
	for k, n := range g.nodes {
		if len(g.arms[n]) > 1 {
			g.junction(k+1, n)
		}
	}
	g.b.WriteString(g.link.String() + `</OpenDRIVE>`)
	return g.b.String()
}

// gridMap returns the map of a seed.
func gridMap(t *testing.T, seed uint64) *opendrive.Map {
	t.Helper()
	m, err := opendrive.Read("grid.xodr", strings.NewReader(gridText(t, seed)))
	require.NoError(t, err)
	return m
}

// streets places the roads of a grid.
func (g *grid) streets(columns, rows int, spacing float64) {
	r := g.random
	inside := func(n [2]int) bool {
		return n[0] >= 0 && n[0] < columns && n[1] >= 0 && n[1] < rows
	}
	at, radius := map[[2]int]gridPose{}, map[[2]int]float64{}
	for i := -1; i <= columns; i++ {
		for k := -1; k <= rows; k++ {
			n := [2]int{i, k}
			at[n] = gridPose{x: spacing * (float64(i) + 0.1*r.Float64()),
				y: spacing * (float64(k) + 0.1*r.Float64())}
			radius[n], g.rules[n] = 14+8*r.Float64(), r.IntN(5)
			g.nodes = append(g.nodes, n)
		}
	}
	for _, n := range g.nodes {
		for _, to := range [][2]int{{n[0] + 1, n[1]}, {n[0], n[1] + 1}} {
			if !inside(n) && !inside(to) || r.Float64() < 0.1 || to[0] > columns || to[1] > rows {
				continue
			}
			p, q := at[n], at[to]
			h := math.Atan2(q.y-p.y, q.x-p.x)
			lanes := [][2]int{{1, 1}, {1, 1}, {2, 2}, {1, 2}, {0, 1}, {2, 0}}[r.IntN(6)]
			s := &gridRoad{id: len(g.roads) + 1, left: lanes[0], right: lanes[1],
				ends: [2][2]int{n, to}, width: 3.1 + 0.6*r.Float64()}
			p.heading, q.heading = h+0.2*(r.Float64()-0.5), h+0.2*(r.Float64()-0.5)
			p.x += radius[n] * math.Cos(p.heading)
			p.y += radius[n] * math.Sin(p.heading)
			q.x -= radius[to] * math.Cos(q.heading)
			q.y -= radius[to] * math.Sin(q.heading)
			s.poses = [2]gridPose{p, q}
			s.shape, s.length = gridCurve(p, q)
			g.roads = append(g.roads, s)
			g.arms[n], g.arms[to] = append(g.arms[n], s), append(g.arms[to], s)
		}
	}
}

// gridCurve returns a cubic curve between two poses, and its length.
func gridCurve(p, q gridPose) (shape string, length float64) {
	cosine, sine := math.Cos(p.heading), math.Sin(p.heading)
	u := (q.x-p.x)*cosine + (q.y-p.y)*sine
	v := (q.y-p.y)*cosine - (q.x-p.x)*sine
	turn := q.heading - p.heading
	r := math.Hypot(u, v) * (1 + 0.1*math.Abs(math.Sin(turn)))
	c, s := math.Cos(turn), math.Sin(turn)
	cu, du := 3*u-2*r-r*c, -2*u+r+r*c
	cv, dv := 3*v-r*s, -2*v+r*s
	const steps = 1000
	for k := range steps {
		a := (float64(k) + 0.5) / steps
		length += math.Hypot(r+2*cu*a+3*du*a*a, 2*cv*a+3*dv*a*a) / steps
	}
	return fmt.Sprintf(`<planView><geometry s="0" x="%.9f" y="%.9f" hdg="%.9f" length="%.9f">`+
		`<paramPoly3 pRange="normalized" aU="0" bU="%.9f" cU="%.9f" dU="%.9f" aV="0" bV="0" `+
		`cV="%.9f" dV="%.9f"/></geometry></planView>`, p.x, p.y, p.heading, length, r, cu, du, cv,
		dv), length
}

// street writes a road between junctions, in one or two sections, with its signs.
func (g *grid) street(r *gridRoad) {
	var link, signals strings.Builder
	for k, kind := range []string{"predecessor", "successor"} {
		n := r.ends[k]
		if len(g.arms[n]) < 2 {
			continue
		}
		fmt.Fprintf(&link, `<%s elementType="junction" elementId="%d"/>`, kind, g.number(n))
		g.sign(&signals, r, n, k)
	}
	cuts := []float64{0}
	if g.random.IntN(3) == 0 {
		cuts = append(cuts, r.length*(0.1+0.8*g.random.Float64()))
	}
	var sections strings.Builder
	for k, s := range cuts {
		lane := func(id int) string {
			text := ""
			if k > 0 {
				text = fmt.Sprintf(`<predecessor id="%d"/>`, id)
			}
			if k < len(cuts)-1 {
				text += fmt.Sprintf(`<successor id="%d"/>`, id)
			}
			return fmt.Sprintf(`<lane id="%d" type="driving"><link>%s</link><width sOffset="0" `+
				`a="%.9f" b="0" c="0" d="0"/></lane>`, id, text, r.width)
		}
		left, right := "", ""
		for id := r.left; id > 0; id-- {
			left += lane(id)
		}
		for id := 1; id <= r.right; id++ {
			right += lane(-id)
		}
		fmt.Fprintf(&sections, `<laneSection s="%.9f">`, s)
		if left != "" {
			sections.WriteString("<left>" + left + "</left>")
		}
		sections.WriteString(`<center><lane id="0" type="none"/></center>`)
		if right != "" {
			sections.WriteString("<right>" + right + "</right>")
		}
		sections.WriteString("</laneSection>")
	}
	fmt.Fprintf(&g.b, `<road id="%d" junction="-1" length="%.9f"><link>%s</link><type s="0" `+
		`type="town"><speed max="%d" unit="km/h"/></type>%s<lanes>%s</lanes><signals>%s</signals>`+
		`</road>`, r.id, r.length, link.String(), []int{30, 50, 70}[g.random.IntN(3)], r.shape,
		sections.String(), signals.String())
}

// number returns the id of the junction at a node.
func (g *grid) number(n [2]int) int {
	for k, o := range g.nodes {
		if o == n {
			return k + 1
		}
	}
	return 0
}

// sign writes the sign or light at one end of a road.
func (g *grid) sign(b *strings.Builder, r *gridRoad, n [2]int, end int) {
	kinds := [][2]string{{}, {"205", ""}, {"206", ""}, {"206", "206"}, {"1000001", "1000001"}}
	kind := kinds[g.rules[n]][r.id%2]
	if kind == "" || [2]int{r.left, r.right}[end] == 0 {
		return
	}
	s, towards, country := 2.0, "-", "DE"
	if end == 1 {
		s, towards = r.length-2, "+"
	}
	if kind == "1000001" {
		country = "OpenDRIVE"
	}
	g.next++
	fmt.Fprintf(b, `<signal id="%d" s="%.3f" t="0" orientation="%s" type="%s" subtype="-1" `+
		`country="%s" dynamic="%s" zOffset="3"/>`, g.next, s, towards, kind, country,
		map[bool]string{true: "yes", false: "no"}[kind == "1000001"])
}
