package mocksim

import (
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// Digitized reference lines turn too sharply for any vehicle within a few decimetres, and back soon
// after: their points deviate by some centimetres from the real road. Drivers do not follow such
// wiggles, so that a rail leaves the middle of the lane there, on a smooth curve.

const (
	sharpBend   = 0.1  // 1/m; a short bend that is sharper is replaced. Lorries cannot follow it
	startOfBend = 0.05 // 1/m, the curvature with which it begins and ends
	bendSample  = 0.1  // m
	longestBend = 2.0  // m
	largestTurn = 0.35 // rad
	bendsApart  = 0.5  // m; ranges closer together become one
	mostBeside  = 0.5  // m between a curve and the lane
)

// easing is a range of s of a lane in which x and y are polynomials in the fraction of the range.
type easing struct {
	from, to float64
	x, y     septic
}

// septic is a polynomial of degree seven.
type septic [8]float64

// ease returns the polynomial in the fraction of a length that has the given values and first two
// derivatives at both ends, where its third derivative is 0, so that the jerk does not jump.
func ease(a, b [3]float64, length float64) septic {
	v0, d0, s0 := a[0], float64(a[1]*length), float64(a[2]*length*length/2)
	v, d, s := b[0]-v0-d0-s0, float64(b[1]*length)-d0-float64(2*s0),
		float64(b[2]*length*length)-float64(2*s0)
	return septic{v0, d0, s0, 0,
		float64(35*v) - float64(15*d) + float64(2.5*s),
		float64(-84*v) + float64(39*d) - float64(7*s),
		float64(70*v) - float64(34*d) + float64(6.5*s),
		float64(-20*v) + float64(10*d) - float64(2*s)}
}

// at returns the value and the first two derivatives with respect to q.
func (c *septic) at(q float64) (v, d, dd float64) {
	for k := len(c) - 1; k >= 0; k-- {
		dd = float64(dd*q) + d
		d = float64(d*q) + v
		v = float64(v*q) + c[k]
	}
	return v, d, 2 * dd
}

func (c *septic) value(q float64) float64 {
	v, _, _ := c.at(q)
	return v
}

// straighten finds the short bends that are too sharp for vehicles. It returns the breaks of the
// lane in which curves replace them, or nil if there are none.
func (r *rail) straighten(breaks []float64) []float64 {
	ranges := r.sharpRanges()
	if len(ranges) == 0 {
		return nil
	}
	list := slices.Clone(breaks)
	for _, x := range ranges {
		b, ok := r.bendOver(x[0], x[1])
		if !ok {
			continue
		}
		r.bends = append(r.bends, b)
		list = slices.DeleteFunc(list, func(s float64) bool { return s > b.from && s < b.to })
		list = append(list, b.from, b.to)
	}
	if len(r.bends) == 0 {
		return nil
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sharpRanges returns the ranges of u in which short bends are too sharp, with room before and
// after them to turn less sharply.
func (r *rail) sharpRanges() (list [][2]float64) {
	var from, turn, peak float64
	open := false
	end := func(u float64) {
		if open && peak > sharpBend && u-from <= longestBend && turn <= largestTurn {
			half := min(widestWindow, max(shortestWindow, windowOfKink*turn))
			x := [2]float64{max(from-half, 0), min(u+half, r.length)}
			for n := len(list); n > 0 && x[0] < list[n-1][1]+bendsApart; n-- {
				x = [2]float64{min(x[0], list[n-1][0]), max(x[1], list[n-1][1])}
				list = list[:n-1]
			}
			list = append(list, x)
		}
		open = false
	}
	for k := range r.pieces {
		p := &r.pieces[k]
		n := 1
		if !p.straight {
			n = min(max(1, int(math.Ceil(p.length/bendSample))), 500)
		}
		step := p.length / float64(n)
		for i := range n {
			curvature := 0.0
			if !p.straight {
				_, d, _ := p.yaw.at(float64((float64(i)+0.5)*step*p.scale) - 1)
				curvature = math.Abs(d * p.scale)
			}
			u := p.u0 + float64(float64(i)*step)
			if curvature < startOfBend {
				end(u)
				continue
			}
			if !open {
				from, turn, peak, open = u, 0, 0, true
			}
			turn += float64(curvature * step)
			peak = max(peak, curvature)
		}
	}
	end(r.length)
	return list
}

// bendOver returns the curve that replaces a range of u, unless it is as sharp as the lane itself.
func (r *rail) bendOver(from, to float64) (b easing, ok bool) {
	const samples, better, shortest = 32, 0.8, 0.01
	for k := range r.joints {
		if j := &r.joints[k]; j.u > from && j.u < to && j.off > kinkOfRecords {
			return b, false // the height may jump there
		}
	}
	var one, two railPoint
	r.at(from, true, &one)
	r.at(to, true, &two)
	if from == 0 { // the lane may begin with the bend, and traffic comes from another one
		one.s, one.curvature = r.lane.Section.S, 0
	}
	if to == r.length {
		two.s, two.curvature = r.lane.Section.End, 0
	}
	length := portable.Hypot(two.position.X-one.position.X, two.position.Y-one.position.Y)
	if !(two.s > one.s) || !(length > shortest) {
		return b, false
	}
	side := func(p *railPoint) (x, y [3]float64) {
		flat := p.flat()
		bow := p.curvature / flat
		return [3]float64{p.position.X, p.cosine, -float64(bow * p.sine)},
			[3]float64{p.position.Y, p.sine, float64(bow * p.cosine)}
	}
	x0, y0 := side(&one)
	x1, y1 := side(&two)
	b = easing{from: one.s, to: two.s, x: ease(x0, x1, length), y: ease(y0, y1, length)}
	before, after := 0.0, 0.0
	for k := range samples + 1 {
		q := float64(k) / samples
		_, dx, ddx := b.x.at(q)
		_, dy, ddy := b.y.at(q)
		flat := portable.Hypot(dx, dy)
		after = max(after, math.Abs(float64(dx*ddy)-float64(dy*ddx))/(flat*flat*flat))
		r.at(from+float64((to-from)*q), true, &one)
		before = max(before, math.Abs(one.curvature))
		aside := float64((b.y.value(q)-one.position.Y)*one.cosine) -
			float64((b.x.value(q)-one.position.X)*one.sine)
		if !(math.Abs(aside) <= mostBeside) {
			return b, false
		}
	}
	return b, after < better*before
}

// point returns the place at s on the curve, at the height of the lane, whose middle is near it.
func (b *easing) point(l *opendrive.Lane, st *opendrive.Station, t float64) frames.Vector {
	q := (st.S - b.from) / (b.to - b.from)
	x, y := b.x.value(q), b.y.value(q)
	v := l.Point(st, t)
	ahead := st.Ahead()
	t += float64((y-v.Y)*ahead.X) - float64((x-v.X)*ahead.Y)
	v = l.Point(st, t)
	v.X, v.Y = x, y
	return v
}
