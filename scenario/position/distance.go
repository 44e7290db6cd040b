package position

import (
	"container/heap"
	"math"

	"gosmp/internal/portable"
)

// ways holds the cheapest paths from one end of a road, by the ends at which they enter other
// roads.
type ways struct {
	cost   []float64 // +Inf: no path
	length []float64 // m
	from   []int     // the end at which the previous road was entered; -1: the first road
}

// cheapest returns the paths onwards from an end under a strategy, which are computed once.
func (n *Network) cheapest(from int, s Strategy) *ways {
	if n.ways[s] == nil {
		n.ways[s] = make([]*ways, len(n.joints))
	}
	if n.ways[s][from] == nil {
		n.ways[s][from] = n.search(from, s)
	}
	return n.ways[s][from]
}

// queue is a heap of ends by their cost, then by their number.
type queue struct {
	ends []int
	cost []float64
}

func (q *queue) Len() int { return len(q.ends) }
func (q *queue) Less(i, j int) bool {
	if q.cost[i] != q.cost[j] {
		return q.cost[i] < q.cost[j]
	}
	return q.ends[i] < q.ends[j]
}
func (q *queue) Swap(i, j int) {
	q.ends[i], q.ends[j] = q.ends[j], q.ends[i]
	q.cost[i], q.cost[j] = q.cost[j], q.cost[i]
}

type entry struct {
	end  int
	cost float64
}

func (q *queue) Push(x any) {
	e := x.(entry)
	q.ends, q.cost = append(q.ends, e.end), append(q.cost, e.cost)
}

func (q *queue) Pop() any {
	last := len(q.ends) - 1
	e := entry{q.ends[last], q.cost[last]}
	q.ends, q.cost = q.ends[:last], q.cost[:last]
	return e
}

// search runs Dijkstra's algorithm.
func (n *Network) search(from int, s Strategy) *ways {
	w := &ways{make([]float64, len(n.joints)), make([]float64, len(n.joints)),
		make([]int, len(n.joints))}
	for k := range w.cost {
		w.cost[k], w.from[k] = math.Inf(1), -1
	}
	q := &queue{}
	reach := func(list []int, before int, cost, length float64) {
		for _, k := range list {
			if cost < w.cost[k] {
				w.cost[k], w.length[k], w.from[k] = cost, length, before
				heap.Push(q, entry{k, cost})
			}
		}
	}
	reach(n.joints[from], -1, 0, 0)
	for q.Len() > 0 {
		e := heap.Pop(q).(entry)
		if e.cost > w.cost[e.end] {
			continue
		}
		r := n.m.Roads[e.end/2]
		reach(n.joints[e.end^1], e.end, e.cost+s.cost(r), w.length[e.end]+r.Length)
	}
	return w
}

// Apart returns how far the second place is from the first: ds along the roads, positive in the
// direction in which the first place faces, and dt across them, positive to the left of s. It
// follows the shortest path over links. ok is false if there is none.
func (n *Network) Apart(a, b *Place) (ds, dt float64, ok bool) {
	ds, dt, _, ok = n.ApartTurned(a, b)
	return ds, dt, ok
}

// ApartTurned is [Network.Apart] that also returns the angle from the direction of s at the first
// place to the direction at the second place, along the roads: 0 or pi.
func (n *Network) ApartTurned(a, b *Place) (ds, dt, turn float64, ok bool) {
	return n.ApartBy(a, b, Shortest)
}

// ApartBy is [Network.ApartTurned] along the path that a strategy chooses.
func (n *Network) ApartBy(a, b *Place, s Strategy) (ds, dt, turn float64, ok bool) {
	if a.Road == nil || b.Road == nil {
		return 0, 0, 0, false
	}
	if a.Road == b.Road {
		return (b.S - a.S) * a.Sign(), b.T - a.T, 0, true
	}
	w := n.passageBy(a, b, s)
	ds, dt, turn = w.apart(a, b)
	return ds, dt, turn, w.Leads
}

// Ahead returns the coordinates of the second place in the frame of the first.
func Ahead(a, b *Place) (dx, dy float64) {
	sin, cos := portable.Sincos(a.Direction.Yaw)
	x, y := b.Position.X-a.Position.X, b.Position.Y-a.Position.Y
	return float64(x*cos) + float64(y*sin), float64(y*cos) - float64(x*sin)
}

// Straight returns the distance between two places.
func Straight(a, b *Place) float64 {
	d := b.Position.Sub(a.Position)
	return math.Sqrt(float64(d.X*d.X) + float64(d.Y*d.Y) + float64(d.Z*d.Z))
}

// Gaps returns the distances between the projections of two boxes onto the axes of the first one:
// ahead is positive if the second is in front, and left if it is on the left. They are 0 where the
// projections overlap.
func Gaps(a *Box, p *Place, b *Box, q *Place) (ahead, left float64) {
	sin, cos := portable.Sincos(p.Direction.Yaw)
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, c := range b.Corners(q) {
		x, y := c[0]-p.Position.X, c[1]-p.Position.Y
		u, v := float64(x*cos)+float64(y*sin), float64(y*cos)-float64(x*sin)
		lowX, highX = min(lowX, u), max(highX, u)
		lowY, highY = min(lowY, v), max(highY, v)
	}
	return gap(a.X-a.Length/2, a.X+a.Length/2, lowX, highX),
		gap(a.Y-a.Width/2, a.Y+a.Width/2, lowY, highY)
}

// Extent is the area of a box around its reference point, in axes of any direction.
type Extent struct{ LowX, HighX, LowY, HighY float64 }

// Extent returns the extent of a box whose heading deviates from the axes by an angle.
func (b *Box) Extent(turn float64) Extent {
	sin, cos := portable.Sincos(turn)
	x, y := float64(b.X*cos)-float64(b.Y*sin), float64(b.X*sin)+float64(b.Y*cos)
	sin, cos = math.Abs(sin), math.Abs(cos)
	length := float64((float64(b.Length*cos) + float64(b.Width*sin)) / 2)
	width := float64((float64(b.Length*sin) + float64(b.Width*cos)) / 2)
	return Extent{x - length, x + length, y - width, y + width}
}

// Gaps returns the distances to another extent whose reference point is at (dx, dy), as [Gaps]
// does.
func (e *Extent) Gaps(o *Extent, dx, dy float64) (ahead, left float64) {
	return gap(e.LowX, e.HighX, dx+o.LowX, dx+o.HighX), gap(e.LowY, e.HighY, dy+o.LowY, dy+o.HighY)
}

// gap returns the signed distance from one interval to another.
func gap(low, high, otherLow, otherHigh float64) float64 {
	switch {
	case otherLow > high:
		return otherLow - high
	case otherHigh < low:
		return otherHigh - low
	}
	return 0
}

// Free returns the shortest distance between two boxes, seen from above; 0 if they overlap.
func Free(a *Box, p *Place, b *Box, q *Place) float64 {
	one, two := a.Corners(p), b.Corners(q)
	if overlap(&one, &two) {
		return 0
	}
	best := math.Inf(1)
	for k := range one {
		for i := range two {
			best = min(best, fromSegment(one[k], two[i], two[(i+1)%4]),
				fromSegment(two[i], one[k], one[(k+1)%4]))
		}
	}
	return best
}

// Overlap reports whether two boxes overlap, seen from above.
func Overlap(a *Box, p *Place, b *Box, q *Place) bool {
	one, two := a.Corners(p), b.Corners(q)
	return overlap(&one, &two)
}

// overlap applies the separating axis theorem to two rectangles.
func overlap(one, two *[4][2]float64) bool {
	for _, r := range [...]*[4][2]float64{one, two} {
		for k := range 2 {
			x, y := r[k+1][0]-r[k][0], r[k+1][1]-r[k][1]
			var low, high [2]float64
			for i, c := range [...]*[4][2]float64{one, two} {
				low[i], high[i] = math.Inf(1), math.Inf(-1)
				for _, v := range c {
					d := float64(v[0]*x) + float64(v[1]*y)
					low[i], high[i] = min(low[i], d), max(high[i], d)
				}
			}
			if high[0] < low[1] || high[1] < low[0] {
				return false
			}
		}
	}
	return true
}

// fromSegment returns the distance of the point p from the line segment between a and b.
func fromSegment(p, a, b [2]float64) float64 {
	x, y := b[0]-a[0], b[1]-a[1]
	square := float64(x*x) + float64(y*y)
	share := 0.0
	if square > 0 {
		share = min(max((float64((p[0]-a[0])*x)+float64((p[1]-a[1])*y))/square, 0), 1)
	}
	return portable.Hypot(p[0]-a[0]-float64(share*x), p[1]-a[1]-float64(share*y))
}
