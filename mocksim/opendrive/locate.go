package opendrive

import (
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// Place is a position in road coordinates.
type Place struct {
	Road     *Road
	Lane     *Lane   // nil off the lanes
	S, T, H  float64 // m
	Distance float64 // from the position to the road, seen from above, in m; 0 on the road
}

// OnRoad reports whether the place is on a lane.
func (p *Place) OnRoad() bool { return p.Lane != nil }

const (
	chordLength = 25.0 // the maximum length of road per entry of the index, m
	cellSize    = 50.0 // m
)

// chord is a piece of a road with the box, seen from above, that contains all its lanes.
type chord struct {
	road     *Road
	from, to float64 // s
	min, max [2]float64
}

// grid finds the chords near a position.
type grid struct {
	chords []chord
	cells  map[[2]int32][]int32 // indices into chords
	vast   []int32              // chords of absurd size, which are in no cell
}

// grid returns the index of a map, which is made on the first call.
func (m *Map) grid() *grid {
	m.indexing.Do(func() { m.index = newGrid(m) })
	return m.index
}

func newGrid(m *Map) *grid {
	g := &grid{cells: map[[2]int32][]int32{}}
	for _, r := range m.Roads {
		parts := min(max(1, int(math.Ceil(r.Length/chordLength))), maxChords)
		for k := range parts {
			g.add(newChord(r, r.Length*float64(k)/float64(parts), r.Length*float64(k+1)/float64(
				parts)))
		}
	}
	return g
}

// maxChords and maxCells limit the memory that can be required by the numbers in a broken map.
const (
	maxChords = 1 << 16
	maxCells  = 64
)

// newChord bounds a piece of road: its box contains points of the reference line and of the
// outermost borders, with a margin for the bending of the line and the movement of the borders
// between the points.
func newChord(r *Road, from, to float64) chord {
	const samples = 8
	c := chord{road: r, from: from, to: to, min: [2]float64{math.Inf(1), math.Inf(1)},
		max: [2]float64{math.Inf(-1), math.Inf(-1)}}
	step := (to - from) / samples
	for k := range samples + 1 {
		st := r.station(from + float64(step*float64(k)))
		left, right := r.edges(st.S)
		for _, t := range [...]float64{left, 0, right} {
			p := st.Point(t, 0)
			margin := float64(step*step*math.Abs(st.Curvature))/4 + step/2
			c.min = [2]float64{min(c.min[0], p.X-margin), min(c.min[1], p.Y-margin)}
			c.max = [2]float64{max(c.max[0], p.X+margin), max(c.max[1], p.Y+margin)}
		}
	}
	return c
}

// edges returns t of the leftmost and of the rightmost border at s.
func (r *Road) edges(s float64) (left, right float64) {
	lanes := r.SectionAt(s).Lanes
	_, left = lanes[0].Edges(s)
	_, right = lanes[len(lanes)-1].Edges(s)
	return left, right
}

func cellOf(x, y float64) [2]int32 {
	limit := func(v float64) int32 {
		return int32(min(max(math.Floor(v/cellSize), math.MinInt32), math.MaxInt32))
	}
	return [2]int32{limit(x), limit(y)}
}

func (g *grid) add(c chord) {
	k := int32(len(g.chords))
	g.chords = append(g.chords, c)
	from, to := cellOf(c.min[0], c.min[1]), cellOf(c.max[0], c.max[1])
	if int64(to[0])-int64(from[0]) > maxCells || int64(to[1])-int64(from[1]) > maxCells {
		g.vast = append(g.vast, k) // a search over all chords finds roads of absurd width
		return
	}
	for x := from[0]; x <= to[0]; x++ {
		for y := from[1]; y <= to[1]; y++ {
			g.cells[[2]int32{x, y}] = append(g.cells[[2]int32{x, y}], k)
		}
	}
}

// Locate finds the road coordinates of a position. If there are several roads, those with a lane
// there come first, then the preferred ones (the previous road or the roads of a route), then the
// nearest in height, then the nearest seen from above, and finally the first in the file. Off all
// roads, Locate returns a place on the nearest road and the distance to it.
func (m *Map) Locate(p frames.Vector, preferred ...*Road) Place {
	best := Place{Distance: math.Inf(1)}
	index := m.grid()
	for _, k := range index.cells[cellOf(p.X, p.Y)] {
		c := &index.chords[k]
		if p.X < c.min[0] || p.X > c.max[0] || p.Y < c.min[1] || p.Y > c.max[1] {
			continue
		}
		if place := c.locate(p); place.better(&best, preferred) {
			best = place
		}
	}
	if best.OnRoad() {
		return best
	}
	for k := range index.chords {
		c := &index.chords[k]
		if c.apart(p) > best.Distance {
			continue
		}
		if place := c.locate(p); place.better(&best, preferred) {
			best = place
		}
	}
	return best
}

// RoadsIn returns the roads that extend, seen from above, into a box from low to high, and perhaps
// some that pass it closely, in the order of the file.
func (m *Map) RoadsIn(low, high [2]float64) (list []*Road) {
	index := m.grid()
	for _, k := range index.near(low, high) { // the chords of a road are next to each other
		c := &index.chords[k]
		if n := len(list); n > 0 && list[n-1] == c.road {
			continue
		}
		if c.min[0] <= high[0] && c.max[0] >= low[0] && c.min[1] <= high[1] && c.max[1] >= low[1] {
			list = append(list, c.road)
		}
	}
	return list
}

// near returns the chords in the cells of a box, in order.
func (g *grid) near(low, high [2]float64) (list []int32) {
	cells := ((high[0]-low[0])/cellSize + 1) * ((high[1]-low[1])/cellSize + 1)
	if !(cells < float64(len(g.chords))) { // or not a number
		list = make([]int32, len(g.chords))
		for k := range list {
			list[k] = int32(k)
		}
		return list
	}
	from, to := cellOf(low[0], low[1]), cellOf(high[0], high[1])
	list = slices.Clone(g.vast)
	for x := from[0]; x <= to[0]; x++ {
		for y := from[1]; y <= to[1]; y++ {
			list = append(list, g.cells[[2]int32{x, y}]...)
		}
	}
	slices.Sort(list)
	return list
}

// apart returns a lower bound on the distance from a position to the road in the box.
func (c *chord) apart(p frames.Vector) float64 {
	dx := max(c.min[0]-p.X, p.X-c.max[0], 0)
	dy := max(c.min[1]-p.Y, p.Y-c.max[1], 0)
	return portable.Hypot(dx, dy)
}

func (p *Place) better(other *Place, preferred []*Road) bool {
	if other.Road == nil {
		return true
	}
	if p.OnRoad() != other.OnRoad() {
		return p.OnRoad()
	}
	if !p.OnRoad() && p.Distance != other.Distance {
		return p.Distance < other.Distance
	}
	if a, b := prefers(preferred, p.Road), prefers(preferred, other.Road); a != b {
		return a
	}
	// Heights that differ only by rounding count as equal; in that case, file order decides.
	if d := math.Abs(p.H) - math.Abs(other.H); math.Abs(d) > 1e-6 {
		return d < 0
	}
	return p.Distance < other.Distance
}

func prefers(preferred []*Road, r *Road) bool {
	for _, p := range preferred {
		if p == r {
			return true
		}
	}
	return false
}

// locate solves for s and t of a position by Newton's method, from the middle of the chord.
func (c *chord) locate(p frames.Vector) Place {
	s, t := c.start(p)
	st := c.road.station(c.road.approach(p, s, t))
	return st.place(p)
}

// start projects a position onto the chord.
func (c *chord) start(p frames.Vector) (s, t float64) {
	a, b := c.road.station(c.from).Origin, c.road.station(c.to).Origin
	dx, dy := b.X-a.X, b.Y-a.Y
	length := float64(dx*dx) + float64(dy*dy)
	share := 0.5
	if length > 0 {
		share = min(max((float64((p.X-a.X)*dx)+float64((p.Y-a.Y)*dy))/length, 0), 1)
		t = (float64((p.Y-a.Y)*dx) - float64((p.X-a.X)*dy)) / math.Sqrt(length)
	}
	return c.from + float64(share*(c.to-c.from)), t
}

// place returns the place of a position to the side of a station: its t in the axes there, and the
// remaining distance.
func (st *Station) place(p frames.Vector) Place {
	r, s := st.Road, st.S
	flat := float64(st.Left.X*st.Left.X) + float64(st.Left.Y*st.Left.Y)
	t := (float64((p.X-st.Origin.X)*st.Left.X) + float64((p.Y-st.Origin.Y)*st.Left.Y)) / flat
	// this moves the point sideways if the road is tilted
	if h := r.SurfaceHeight(s, t); h != 0 {
		t -= h * (float64(st.Up.X*st.Left.X) + float64(st.Up.Y*st.Left.Y)) / flat
	}
	q := st.Surface(t)
	place := Place{Road: r, S: s, T: t, H: (p.Z - q.Z) / st.Up.Z}
	rest := portable.Hypot(p.X-q.X, p.Y-q.Y)
	if rest < Tolerance {
		place.Lane, rest = r.laneAt(s, t), 0
	}
	if place.Lane == nil {
		left, right := r.edges(s)
		place.Distance = portable.Hypot(rest, max(t-left, right-t, 0))
	}
	return place
}

// laneAt returns the lane at (s, t), or nil outside of all lanes.
func (r *Road) laneAt(s, t float64) *Lane {
	for _, l := range r.SectionAt(s).Lanes {
		inner, outer := l.Edges(s)
		if l.ID != 0 && inner != outer && t >= min(inner, outer)-Tolerance && t <= max(inner,
			outer)+Tolerance {
			return l
		}
	}
	return nil
}
