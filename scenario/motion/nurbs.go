package motion

import (
	"sort"

	"gosmp/internal/portable"
)

// maxOrder is the largest order of a NURBS, which bounds the memory for basis functions.
const maxOrder = 16

// panels is the number of entries per knot span in the arc length table.
const panels = 32

// ControlPoint is a control point of a NURBS.
type ControlPoint struct {
	Point
	Weight float64
}

// NURBS is a non-uniform rational B-spline with a table of its arc length.
type NURBS struct {
	points []ControlPoint
	knots  []float64
	order  int
	u, s   []float64 // the arc length table
}

// NewNURBS creates a spline of the given order, which is its degree plus 1. The number of knots is
// the number of points plus the order, and the knots never decrease.
func NewNURBS(points []ControlPoint, knots []float64, order int) (*NURBS, error) {
	n := &NURBS{points: points, knots: knots, order: order}
	if order < 2 || order > maxOrder || len(points) < order || len(knots) != len(points)+order ||
		!sort.Float64sAreSorted(knots) || !(knots[len(points)] > knots[order-1]) {
		return nil, ErrCurve
	}
	for k := range points {
		if !(points[k].Weight > 0) {
			return nil, ErrCurve
		}
	}
	n.u, n.s = append(n.u, knots[order-1]), append(n.s, 0)
	for k := order - 1; k < len(points); k++ {
		a, b := knots[k], knots[k+1]
		if b <= a {
			continue
		}
		for i := range panels {
			to := a + float64((b-a)*float64(i+1)/panels)
			last := len(n.u) - 1
			n.s = append(n.s, n.s[last]+n.way(n.u[last], to))
			n.u = append(n.u, to)
		}
	}
	if !(n.Length() > 0) {
		return nil, ErrCurve
	}
	return n, nil
}

// Length returns the arc length in m.
func (n *NURBS) Length() float64 { return n.s[len(n.s)-1] }

// way integrates the arc length between two parameters within a span.
func (n *NURBS) way(from, to float64) (sum float64) {
	half, middle := (to-from)/2, (to+from)/2
	for k, x := range gaussNodes {
		sum += float64(gaussWeights[k] *
			(n.pace(middle-float64(half*x)) + n.pace(middle+float64(half*x))))
	}
	return sum * half
}

func (n *NURBS) pace(u float64) float64 {
	v := n.evaluate(u)
	return portable.Hypot(v.dx, v.dy)
}

// value is a point of a spline, with its derivatives with respect to the parameter.
type value struct{ x, y, z, time, dx, dy float64 }

// evaluate computes the rational sums over the basis functions that are not 0 at u.
func (n *NURBS) evaluate(u float64) (v value) {
	p := n.order - 1
	span := n.span(u)
	var basis, slope [maxOrder]float64
	n.basis(span, u, &basis, &slope)
	var w, dw, ax, ay float64
	for k := range n.order {
		q := &n.points[span-p+k]
		b, d := float64(basis[k]*q.Weight), float64(slope[k]*q.Weight)
		w, dw = w+b, dw+d
		v.x, v.y, v.z = v.x+float64(b*q.X), v.y+float64(b*q.Y), v.z+float64(b*q.Z)
		v.time += float64(b * q.Time)
		ax, ay = ax+float64(d*q.X), ay+float64(d*q.Y)
	}
	v.x, v.y, v.z, v.time = v.x/w, v.y/w, v.z/w, v.time/w
	v.dx, v.dy = (ax-float64(dw*v.x))/w, (ay-float64(dw*v.y))/w
	return v
}

// span returns the index of the last knot that is not above u and is below the end.
func (n *NURBS) span(u float64) int {
	low, high := n.order-1, len(n.points)-1
	for low < high {
		if middle := (low + high + 1) / 2; n.knots[middle] <= u {
			low = middle
		} else {
			high = middle - 1
		}
	}
	for low > n.order-1 && n.knots[low] == n.knots[low+1] {
		low--
	}
	return low
}

// basis computes the basis functions at u and their first derivatives (The NURBS Book, A2.2, 2.7).
func (n *NURBS) basis(span int, u float64, basis, slope *[maxOrder]float64) {
	p := n.order - 1
	var left, right, lower [maxOrder]float64
	basis[0] = 1
	for j := 1; j <= p; j++ {
		if j == p {
			lower = *basis
		}
		left[j], right[j] = u-n.knots[span+1-j], n.knots[span+j]-u
		saved := 0.0
		for r := range j {
			t := basis[r] / (right[r+1] + left[j-r])
			basis[r] = saved + float64(right[r+1]*t)
			saved = left[j-r] * t
		}
		basis[j] = saved
	}
	for k := range n.order { // of the function span-p+k
		i := span - p + k
		d := 0.0
		if k > 0 {
			if width := n.knots[i+p] - n.knots[i]; width > 0 {
				d += float64(float64(p) / width * lower[k-1])
			}
		}
		if k < p {
			if width := n.knots[i+p+1] - n.knots[i+1]; width > 0 {
				d -= float64(float64(p) / width * lower[k])
			}
		}
		slope[k] = d
	}
}

// parameter returns u at an arc length.
func (n *NURBS) parameter(s float64) float64 {
	s = min(max(s, 0), n.Length())
	k := min(sort.SearchFloat64s(n.s, s), len(n.s)-1)
	k = max(k-1, 0)
	ds := n.s[k+1] - n.s[k]
	if ds <= 0 {
		return n.u[k]
	}
	u := n.u[k] + float64((n.u[k+1]-n.u[k])*(s-n.s[k])/ds)
	for range 3 {
		pace := n.pace(u)
		if pace == 0 {
			break
		}
		u -= (n.way(n.u[k], u) - (s - n.s[k])) / pace
		u = min(max(u, n.u[k]), n.u[k+1])
	}
	return u
}

// At computes the point of the spline at s.
func (n *NURBS) At(s float64, out *Point) {
	v := n.evaluate(n.parameter(s))
	h := portable.Atan2(v.dy, v.dx)
	*out = Point{X: v.x, Y: v.y, Z: v.z, HasZ: n.points[0].HasZ, Heading: h, Direction: h,
		Time: v.time}
}

// Times returns the times of the first and the last control point.
func (n *NURBS) Times() (first, last float64, ok bool) {
	first, last = n.points[0].Time, n.points[len(n.points)-1].Time
	return first, last, last > first
}

// AtTime returns the arc length at a time. It treats the times of the control points as an
// additional dimension, and finds the parameter at which the spline has the given time.
func (n *NURBS) AtTime(t float64) float64 {
	low, high := n.u[0], n.u[len(n.u)-1]
	for range 60 {
		middle := (low + high) / 2
		if n.evaluate(middle).time < t {
			low = middle
		} else {
			high = middle
		}
	}
	u := (low + high) / 2
	k := max(min(sort.SearchFloat64s(n.u, u), len(n.u)-1)-1, 0)
	return n.s[k] + n.way(n.u[k], u)
}
