package mocksim

import (
	"math"
	"sort"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// rail is the middle of a lane in space, as a function of the distance u along it, in m from its
// lower s. It is a sequence of polynomials that agree with the map within railAccuracy.
type rail struct {
	lane    *opendrive.Lane
	length  float64
	pieces  []railPiece
	enough  int         // pieces
	joints  []railJoint // gaps and kinks between pieces
	windows []window    // where it leaves the middle of the lane, which has gaps or kinks
	bends   []easing    // where it leaves the middle of the lane, which turns too sharply
	bins    []railBin   // limits of the speed, in parts of equal length
	bin     float64     // their length, m: at most binLength unless the rail is extremely long
	most    float64     // largest curvature, 1/m
	narrow  bool        // too narrow for a lorry somewhere
	bays    bool        // closes and reopens: parking bays rather than a lane
}

// narrowLane is the width, in m, below which vehicles in the middle of a lane may extend beyond the
// lane.
const narrowLane = 2.6

// The widths, in m, between which a lane counts neither as closed nor as open.
const closedLane, openLane = 1.0, 1.9

// railJoint is a gap or a kink in a rail, at a gap or kink of the map. It has a size in m or rad.
type railJoint struct{ u, bend, off float64 }

const (
	railAccuracy = 1e-8 // m; see [railPiece.tolerance]
	railOrder    = 8    // coefficients of a polynomial
	longestPiece = 50.0 // m
	railDepth    = 20   // halvings before a piece is accepted without further checks
	binLength    = 5.0  // m

	// A rail with this many pieces is not divided further. No real road needs more, but impossible
	// heights would take hours.
	enoughPieces, enoughPerMeter = 1000, 10
)

// railBin is the largest curvature, seen from above, and the speed limit in a part of a rail.
type railBin struct{ curvature, limit float64 }

// railPiece is a piece of a rail that starts at u0.
type railPiece struct {
	u0, length, scale   float64
	skip                float64 // at the start, which overlaps with the previous piece, m
	broken              bool    // the map has a gap or a kink within it
	straight            bool    // x, y and z are linear, the angles constant
	level               bool    // z is constant, pitch and roll are 0
	s, x, y, z          series
	yaw, pitch, roll    series
	cosine, sine        float64 // of the yaw of a straight piece
	slope, across, tilt float64 // of a straight piece: dx/du, dy/du, dz/du
}

// fitCoordinates is like fit. Values far from the origin, as in maps with the coordinates of a
// national grid, are first reduced: the conversion to coefficients enlarges their rounding errors.
func fitCoordinates(values *[railOrder]float64) series {
	const far = 1e5 // m
	origin := values[0]
	if math.Abs(origin) < far {
		return fit(values)
	}
	near := *values
	for k := range near {
		near[k] -= origin
	}
	c := fit(&near)
	c[0] += origin
	return c
}

// newRail measures the middle of a lane, which is part of a strand.
func newRail(lane *opendrive.Lane, x *strand, fallback float64) *rail {
	r := &rail{lane: lane, enough: enoughPieces + int(enoughPerMeter*lane.Section.Length())}
	breaks := r.smooth(x)
	r.lay(breaks)
	if list := r.straighten(breaks); list != nil {
		r.lay(list)
	}
	r.measure(fallback)
	return r
}

// lay creates the pieces of a rail, which begin and end at the breaks of its lane.
func (r *rail) lay(breaks []float64) {
	lane := r.lane
	r.pieces, r.joints, r.length = nil, nil, 0
	for k := 0; k+1 < len(breaks); k++ {
		from, to := breaks[k], breaks[k+1]
		if k+2 < len(breaks) || to < lane.Section.Road.Length {
			// The end of a piece belongs to the records before it.
			to -= min(1e-9, (to-from)/4)
		}
		parts := max(1, math.Ceil((to-from)/longestPiece))
		for i := range int(parts) {
			r.cover(from+(to-from)*float64(i)/parts, from+(to-from)*float64(i+1)/parts, railDepth)
		}
	}
	if len(r.pieces) == 0 {
		r.cover(lane.Section.S, lane.Section.S, 0)
	}
	r.findJoints()
}

// middle returns the middle of the lane at s, and the station there.
func (r *rail) middle(s float64) (frames.Vector, opendrive.Station) {
	road := r.lane.Section.Road
	st, err := road.Station(min(max(s, 0), road.Length))
	if err != nil { // NaN, which reading refuses
		return frames.Vector{}, st
	}
	for k := range r.bends {
		if b := &r.bends[k]; s > b.from && s < b.to {
			return b.point(r.lane, &st, r.center(st.S)), st
		}
	}
	return r.lane.Point(&st, r.center(st.S)), st
}

// cover appends pieces for [from, to].
func (r *rail) cover(from, to float64, depth int) {
	p, ok := r.piece(from, to)
	p.broken = !ok && to-from <= 1e-3
	if !ok && depth > 0 && to-from > 1e-3 && len(r.pieces) < r.enough {
		half := from + (to-from)/2
		r.cover(from, half, depth-1)
		r.cover(half, to, depth-1)
		return
	}
	if !(p.length <= longestWay) {
		p = railPiece{}
		r.point(&p, from)
	}
	p.u0 = r.length
	r.length += p.length
	r.pieces = append(r.pieces, p)
}

// longestWay bounds the length of a piece, in m. Impossible heights exceed it or give NaN.
const longestWay = 1e6

// piece fits [from, to], first by s to measure its length, then by the distance u; ok reports
// whether it is accurate.
func (r *rail) piece(from, to float64) (p railPiece, ok bool) {
	half, center := (to-from)/2, (to+from)/2
	var values [3][railOrder]float64
	for k, x := range nodes {
		v, _ := r.middle(center + float64(half*x))
		values[0][k], values[1][k], values[2][k] = v.X, v.Y, v.Z
	}
	x, y, z := fitCoordinates(&values[0]), fitCoordinates(&values[1]), fit(&values[2])
	pace := func(at float64) float64 { return speed(&x, &y, &z, at) }
	p.length = gauss(pace, -1, 1)
	if p.length < 1e-6 {
		r.point(&p, from)
		return p, true
	}
	p.scale = 2 / p.length
	var at [railOrder]float64 // the nodes of u as x of s
	for k, x := range nodes {
		at[k] = solve(pace, (x+1)/2*p.length, x)
	}
	r.fitByWay(&p, &at, center, half)
	return p, r.accurate(&p, pace, center, half)
}

// fitByWay fits all quantities at the nodes of u.
func (r *rail) fitByWay(p *railPiece, at *[railOrder]float64, center, half float64) {
	var values [4][railOrder]float64
	var stations [railOrder]opendrive.Station
	for k := range at {
		s := center + float64(half*at[k])
		v, st := r.middle(s)
		stations[k] = st
		values[0][k], values[1][k], values[2][k], values[3][k] = v.X, v.Y, v.Z, s
	}
	p.x, p.y = fitCoordinates(&values[0]), fitCoordinates(&values[1])
	p.z, p.s = fit(&values[2]), fit(&values[3])
	var angles [3][railOrder]float64
	before := stations[0].Heading
	for k, x := range nodes {
		_, dx, _ := p.x.at(x)
		_, dy, _ := p.y.at(x)
		yaw := before + frames.WrapAngle(portable.Atan2(dy, dx)-before)
		before = yaw
		o := stations[k].Attitude(yaw)
		angles[0][k], angles[1][k], angles[2][k] = yaw, o.Pitch, o.Roll
	}
	p.yaw, p.pitch, p.roll = fit(&angles[0]), fit(&angles[1]), fit(&angles[2])
	p.flatten()
}

// flatten removes rounding errors, so that straight pieces are fast.
func (p *railPiece) flatten() {
	linear := func(c *series, order int, limit float64) bool {
		for k := order; k < railOrder; k++ {
			if math.Abs(c[k]) > limit {
				return false
			}
		}
		return true
	}
	const length, angle = 1e-11, 1e-11
	size := min(max(1, math.Abs(p.x[0]), math.Abs(p.y[0]))*length, p.tolerance())
	p.straight = linear(&p.x, 2, size) && linear(&p.y, 2, size) && linear(&p.z, 2, size) &&
		linear(&p.pitch, 1, angle) && linear(&p.roll, 1, angle)
	if !p.straight {
		p.level = linear(&p.z, 1, length) && linear(&p.pitch, 0, angle) && linear(&p.roll, 0, angle)
		return
	}
	for _, c := range [...]*series{&p.x, &p.y, &p.z, &p.s} {
		*c = series{c[0], c[1]}
	}
	yaw := portable.Atan2(p.y[1], p.x[1])
	yaw = p.yaw[0] + frames.WrapAngle(yaw-p.yaw[0])
	if math.Abs(p.pitch[0]) < angle {
		p.pitch[0] = 0
	}
	if math.Abs(p.roll[0]) < angle {
		p.roll[0] = 0
	}
	p.yaw, p.pitch, p.roll = series{yaw}, series{p.pitch[0]}, series{p.roll[0]}
	p.sine, p.cosine = portable.Sincos(yaw)
	p.slope, p.across, p.tilt = p.x[1]*p.scale, p.y[1]*p.scale, p.z[1]*p.scale
}

// tolerance returns the largest acceptable difference from the map, in m. Far from the origin, as
// in maps with coordinates of a national grid, coordinates are rounded too coarsely for
// railAccuracy.
func (p *railPiece) tolerance() float64 {
	const rounding = 32 * 0x1p-52
	return max(railAccuracy, rounding*max(math.Abs(p.x[0]), math.Abs(p.y[0])))
}

// accurate compares a piece with the map between its nodes.
func (r *rail) accurate(p *railPiece, pace func(float64) float64, center, half float64) bool {
	const checks = 5
	tolerance := p.tolerance()
	for k := range checks {
		x := -1 + (float64(k)+0.5)*2/checks
		u := gauss(pace, -1, x)
		v, _ := r.middle(center + float64(half*x))
		at := float64(u*p.scale) - 1
		d := frames.Vector{X: p.x.value(at), Y: p.y.value(at), Z: p.z.value(at)}.Sub(v)
		if !(d.Length() < tolerance) {
			return false
		}
	}
	return true
}

// point creates a piece of negligible length.
func (r *rail) point(p *railPiece, s float64) {
	v, st := r.middle(s)
	yaw := st.Heading
	o := st.Attitude(yaw)
	p.length = max(p.length, 1e-12)
	p.scale = 2 / p.length
	p.straight = true
	p.sine, p.cosine = portable.Sincos(yaw)
	p.s, p.x, p.y, p.z = series{s}, series{v.X}, series{v.Y}, series{v.Z}
	p.yaw, p.pitch, p.roll = series{yaw}, series{o.Pitch}, series{o.Roll}
	p.slope, p.across = p.cosine, p.sine
}

// binSamples is the number of samples per bin.
const binSamples = 16

// measure determines the limits of the speed.
func (r *rail) measure(fallback float64) {
	if r.uniform() {
		r.sample(fallback, binSamples) // only at the ends, where rounding may leave the lane
	} else {
		r.sample(fallback, 1)
	}
}

// sample determines the limits of the speed from samples, or only from some of them.
func (r *rail) sample(fallback float64, apart int) {
	const most = 1 << 20 // also for a rail whose length is NaN
	n := most
	if count := math.Ceil(r.length / binLength); count < most {
		n = max(1, int(count))
	}
	r.bins, r.bin = make([]railBin, n), max(r.length/float64(n), 1e-9)
	var p railPoint
	opened, closed := false, false
	for k := range r.bins {
		r.bins[k].limit = math.Inf(1)
		for i := 0; i <= binSamples; i += apart {
			u := min((float64(k)+float64(i)/binSamples)*r.bin, r.length)
			r.at(u, true, &p)
			r.bins[k].curvature = max(r.bins[k].curvature, math.Abs(p.curvature))
			if i%4 != 0 {
				continue
			}
			width := r.lane.Width(p.s)
			r.narrow = r.narrow || width < narrowLane
			opened = opened || width > openLane
			closed = closed || opened && width < closedLane
			r.bays = r.bays || closed && width > openLane
			limit, ok := r.lane.SpeedLimit(min(p.s, r.lane.Section.End-1e-6))
			if !ok {
				limit = fallback
			}
			r.bins[k].limit = min(r.bins[k].limit, limit)
		}
	}
	at := func(u float64) *railBin { return &r.bins[max(0, min(int(u/r.bin), n-1))] }
	for _, j := range r.joints {
		b := at(j.u)
		b.curvature = max(b.curvature, j.bend)
	}
	for i := range r.pieces {
		if q := &r.pieces[i]; !q.straight && q.length < r.bin/binSamples {
			_, d, _ := q.yaw.at(0) // samples miss short pieces
			b := at(q.u0 + q.length/2)
			b.curvature = max(b.curvature, math.Abs(d*q.scale))
		}
	}
	for k := range r.bins {
		r.most = max(r.most, r.bins[k].curvature)
	}
}

// uniform reports whether neither the curvature nor the width and the limit change along the rail.
func (r *rail) uniform() bool {
	for k := range r.pieces {
		if !r.pieces[k].straight {
			return false
		}
	}
	return r.lane.Uniform()
}

// at computes the place at u from the start of the course, which is the start of the rail if
// forwards is true, or else its other end. The rail continues straight before its start and beyond
// its end.
func (r *rail) at(u float64, forwards bool, out *railPoint) {
	if !forwards {
		u = r.length - u
	}
	k := 0
	if n := len(r.pieces); n > 1 {
		k = max(sort.Search(n, func(k int) bool { return r.pieces[k].u0 > u })-1, 0)
	}
	beyond := 0.0
	if u < -edgeWidth {
		beyond, u = u, 0
	} else if u > r.length+edgeWidth {
		beyond, u = u-r.length, r.length
	}
	r.pieces[k].at(u, out)
	if beyond != 0 {
		out.extend(beyond)
	}
	if !forwards {
		out.turnRound()
	}
}

func (p *railPiece) at(u float64, out *railPoint) {
	way := u - p.u0 + p.skip
	x := float64(way*p.scale) - 1
	if p.straight {
		p.atStraight(way, x, out)
	} else {
		p.atCurve(x, out)
	}
}

// way returns the nearest u for an s, from the start of the course.
func (r *rail) way(s float64, forwards bool) float64 {
	k := max(sort.Search(len(r.pieces), func(k int) bool { return r.pieces[k].s.value(-1) > s })-1,
		0)
	p := &r.pieces[k]
	low, high := -1.0, 1.0
	x := 0.0
	for range 60 {
		v, d, _ := p.s.at(x)
		rest := s - v
		if d == 0 || math.Abs(rest) < 1e-12 || high-low < 1e-15 {
			break
		}
		if rest > 0 {
			low = x
		} else {
			high = x
		}
		next := x + rest/d
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		x = next
	}
	u := p.u0 + max(float64((x+1)/p.scale)-p.skip, 0)
	if !forwards {
		return r.length - u
	}
	return u
}
