package mocksim

import (
	"math"

	"gosmp/internal/portable"
)

// findJoints finds the gaps and kinks between pieces, and closes the gaps along the lane, so that
// only lateral gaps remain.
func (r *rail) findJoints() {
	old := r.pieces
	r.pieces, r.length = make([]railPiece, 0, len(old)), 0
	forwards, _ := r.lane.Directions()
	for k := range old {
		p := &old[k]
		unusable := p.broken || p.length < p.shortest() || p.leaps()
		if unusable && (k+1 < len(old) || len(r.pieces) > 0) {
			continue // between two records meant to be at the same place
		}
		if len(r.pieces) > 0 {
			r.joinPiece(p, forwards)
		}
		p.u0 = r.length
		r.length += p.length
		r.pieces = append(r.pieces, *p)
	}
}

// shortestPiece is below the accuracy of files, in m.
const shortestPiece = 1e-6

// shortest returns the length below which a piece has no usable curvature, because the rounding of
// its coordinates and of the numbers in the file is divided by the square of the length. Its
// neighbors are extended over such a piece, or a straight line replaces it.
func (p *railPiece) shortest() float64 {
	const amplified, wrong = 1000, 1e-3 // by two derivatives of a polynomial; 1/m
	const usable = 1e-3                 // m
	rounding := max(math.Abs(p.x[0]), math.Abs(p.y[0])) * 0x1p-52
	return max(usable, math.Sqrt(amplified*rounding/wrong))
}

// leaps reports whether a piece of a few centimeters leads mostly sideways because of a short
// record that does not fit its neighbors. Such a piece is a gap rather than a path.
func (p *railPiece) leaps() bool {
	const shortRecord, aside = 0.1, 4.0 // m; length for each metre of s
	span := math.Abs(p.s.value(1) - p.s.value(-1))
	return !p.straight && span < shortRecord && p.length > aside*span
}

// joinPiece closes the gap along the lane between the last piece and the next one, p.
func (r *rail) joinPiece(p *railPiece, forwards bool) {
	var a, b railPoint
	last := &r.pieces[len(r.pieces)-1]
	last.at(r.length, &a)
	p.u0 = 0
	p.at(0, &b)
	entered := &b // its direction applies, because it is on the piece that traffic enters
	if !forwards {
		entered = &a
	}
	between := b.position.Sub(a.position)
	const extended = 20 // times the gap: the polynomials of the piece continue over it
	switch ahead := float64(between.X*entered.cosine) + float64(between.Y*entered.sine); {
	case ahead > negligible && forwards && p.length > extended*ahead:
		p.skip = -ahead
		p.length += ahead
	case ahead > negligible && !forwards && last.length > extended*ahead:
		last.length += ahead
		r.length += ahead
		last.at(r.length, &a)
	case ahead > shortestPiece:
		filler := railPiece{u0: r.length}
		filler.stay(&b, entered, ahead, forwards)
		r.addJoint(&a, &b)
		r.pieces = append(r.pieces, filler)
		r.length += filler.length
		r.addJoint(&a, &b) // one of the two has no kink
		return
	case ahead < -negligible && -ahead < p.length/2:
		p.skip = -ahead
		p.length -= p.skip
	}
	r.addJoint(&a, &b)
}

func (r *rail) addJoint(a, b *railPoint) {
	gap := a.gapTo(b)
	if gap.distance > negligible || math.Abs(gap.angle) > kinkOfMaps || gap.tilt > kinkOfMaps {
		r.joints = append(r.joints, railJoint{r.length, jointBend(gap.aside, gap.angle),
			max(gap.distance, math.Abs(gap.angle), gap.tilt)})
	}
}

// steepestGap is the ratio of horizontal to actual distance below which a road, or a fault in a
// map, is so steep that its slope is not continued over a gap.
const steepestGap = 0.1

// stay creates a piece that leads to a place, with the given length as seen from above and the
// slope and curvature at a second place.
func (p *railPiece) stay(to, along *railPoint, flat float64, forwards bool) {
	share, tilt := along.flat(), along.d1.Z
	if share < steepestGap {
		share, tilt = 1, 0
	}
	p.length = flat / share
	p.scale = 2 / p.length
	if along.turn.Yaw != 0 && share == along.flat() {
		p.arc(to, along, forwards)
		return
	}
	p.straight = true
	p.sine, p.cosine = along.sine, along.cosine
	p.slope, p.across, p.tilt = share*p.cosine, share*p.sine, tilt
	half := p.length / 2
	p.s = series{to.s}
	p.x, p.y = series{to.position.X - float64(half*p.slope)}, series{to.position.Y -
		float64(half*p.across)}
	p.z = series{to.position.Z - float64(half*p.tilt)}
	p.yaw, p.pitch, p.roll = series{along.angles.Yaw}, series{along.angles.Pitch},
		series{along.angles.Roll}
}

// flat returns the horizontal distance for each metre of u.
func (p *railPoint) flat() float64 { return portable.Hypot(p.d1.X, p.d1.Y) }

// arc fills a piece with an arc that leads to a place. It has the direction of a second place at
// its end if traffic drives forwards, or else at its start.
func (p *railPiece) arc(to, along *railPoint, forwards bool) {
	var x, y, z, yaw [railOrder]float64
	for k, node := range nodes {
		q := *along
		if forwards {
			q.continued((node - 1) / p.scale)
		} else {
			q.continued((node + 1) / p.scale)
		}
		x[k], y[k], z[k], yaw[k] = q.position.X, q.position.Y, q.position.Z, q.angles.Yaw
	}
	p.x, p.y, p.z, p.yaw = fit(&x), fit(&y), fit(&z), fit(&yaw)
	p.s = series{to.s}
	p.pitch, p.roll = series{along.angles.Pitch}, series{along.angles.Roll}
	p.x[0] += to.position.X - p.x.value(1)
	p.y[0] += to.position.Y - p.y.value(1)
	p.z[0] += to.position.Z - p.z.value(1)
}

// kinkOfMaps is an angle that results from the rounding in files, in rad.
const kinkOfMaps = 1e-6

// railGap is the difference between the end of one rail and the start of the next one.
type railGap struct{ distance, aside, angle, tilt float64 }

func (p *railPoint) gapTo(o *railPoint) (g railGap) {
	between := p.position.Sub(o.position)
	g.distance = between.Length()
	g.aside = float64(between.Y*o.cosine) - float64(between.X*o.sine)
	g.angle = wrapFast(p.angles.Yaw - o.angles.Yaw)
	g.tilt = max(math.Abs(p.d1.Z-o.d1.Z), math.Abs(wrapFast(p.angles.Pitch-o.angles.Pitch)),
		math.Abs(wrapFast(p.angles.Roll-o.angles.Roll)))
	return g
}
