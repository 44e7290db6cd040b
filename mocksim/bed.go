package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// bed is the ground under a sidestep on an uneven road, up to the next place where the ground can
// have a kink. Height, pitch and roll are polynomials of the distance, so that their derivatives
// are exact. They agree with the map where the ground is smooth, and pass over kerbs and gaps.
type bed struct {
	from, to       float64 // u; the same: none
	z, pitch, roll series
}

// The lengths, in m, below which differences of the ground have no usable slope, or no usable
// curvature.
const shortBed, straightBed = 0.05, 0.5

func (b *bed) active() bool { return b.to > b.from }

// at returns a polynomial at u with its first two derivatives with respect to u.
func (b *bed) at(c *series, u float64) (v, d, dd float64) {
	from, to := b.measured()
	k := 2 / (to - from)
	v, d, dd = c.at(float64((u-from)*k) - 1)
	return v, d * k, dd * k * k
}

// measured returns the part of a bed that is measured. The polynomials continue to both ends, where
// the ground next to the rail can have its kink some centimeters earlier or later.
func (b *bed) measured() (from, to float64) {
	const widest, share = 0.05, 0.05 // m; of the length
	margin := min(widest, share*(b.to-b.from))
	return b.from + margin, b.to - margin
}

// layBed measures the ground under the path of a sidestep from u to the next edge.
func (w *World) layBed(d *controlled, u float64) {
	o := &d.offset
	o.ground = bed{}
	if d.course().lane.Section.Road.Level() || !o.wide() {
		return
	}
	b := bed{from: u, to: min(d.edgeFrom(u), o.from+o.length)}
	w.measureBed(d, &b)
	o.ground = b
}

// measureBed fills the polynomials of a bed.
func (w *World) measureBed(d *controlled, b *bed) {
	if !b.active() {
		return
	}
	var z, pitch, roll [railOrder]float64
	from, to := b.measured()
	half, center := (to-from)/2, (to+from)/2
	if b.to-b.from < shortBed {
		var p railPoint
		d.course().at(center, d.offset.lead, &p)
		b.z[0], b.pitch[0], b.roll[0] = w.groundAt(d, center)
		b.z[1] = p.d1.Z * half
		return
	}
	if b.to-b.from < straightBed {
		z0, pitch0, roll0 := w.groundAt(d, from)
		z1, pitch1, roll1 := w.groundAt(d, to)
		b.z = series{(z0 + z1) / 2, (z1 - z0) / 2}
		b.pitch = series{(pitch0 + pitch1) / 2, (pitch1 - pitch0) / 2}
		b.roll = series{(roll0 + roll1) / 2, (roll1 - roll0) / 2}
		return
	}
	for k, x := range nodes {
		z[k], pitch[k], roll[k] = w.groundAt(d, center+float64(half*x))
	}
	b.z, b.pitch, b.roll = fit(&z), fit(&pitch), fit(&roll)
}

// groundAt returns the height of the ground and the attitude of a body on it at u of a sidestep.
func (w *World) groundAt(d *controlled, u float64) (z, pitch, roll float64) {
	c, o := d.course(), &d.offset
	var p railPoint
	c.at(u, o.lead, &p)
	e, first, _, _ := o.at(u)
	along := portable.Hypot(p.d1.X, p.d1.Y) - float64(p.turn.Yaw*e)
	yaw := p.angles.Yaw + portable.Atan2(first, along)
	position := p.beside(e)
	road := c.lane.Section.Road
	s := min(max(p.s, 0), road.Length)
	at := w.m.Follow(position, Place{Road: road, Lane: c.lane, S: s,
		T: c.lane.Center(s) + float64(e*direction(c.forwards))})
	if at.Lane == nil {
		return p.position.Z, p.angles.Pitch, p.angles.Roll
	}
	st, err := at.Road.Station(at.S)
	if err != nil { // NaN, which reading refuses
		return p.position.Z, p.angles.Pitch, p.angles.Roll
	}
	attitude := st.Attitude(yaw)
	return at.Lane.Point(&st, at.T).Z, attitude.Pitch, attitude.Roll
}

// at computes the place at u of a course like [rail.at]. Up to lead, the rail is replaced by an arc
// or a line that continues it to the rear.
func (c *course) at(u, lead float64, p *railPoint) {
	c.rail.at(max(u, lead), c.forwards, p)
	if u < lead-passedEdge {
		p.continued(u - lead)
	} else if u < lead {
		p.position = p.position.Add(p.d1.Scale(u - lead))
	}
}

// continued moves the place along an arc with the curvature of the rail.
func (p *railPoint) continued(way float64) {
	const sharpest = 0.5 // 1/m, beyond the curvature of any lane for cars
	k := p.turn.Yaw
	if p.straight || math.Abs(k) > sharpest {
		p.extend(way)
		return
	}
	flat := portable.Hypot(p.d1.X, p.d1.Y)
	x, y, turn := arc(way, k, p.angles.Yaw)
	p.position = p.position.Add(frames.Vector{X: float64(x * flat), Y: float64(y * flat),
		Z: float64(p.d1.Z * way)})
	p.angles.Yaw += turn
	p.sine, p.cosine = portable.Sincos(p.angles.Yaw)
	p.d1 = frames.Vector{X: flat * p.cosine, Y: flat * p.sine, Z: p.d1.Z}
	p.d2 = frames.Vector{X: -k * p.d1.Y, Y: k * p.d1.X}
	p.turn, p.turn2 = frames.Orientation{Yaw: k}, frames.Orientation{}
	p.curvature1 = 0
}

// exactAt returns the distance, in m, below which a position counts as being next to a place. Far
// from the origin, such as with UTM coordinates, numbers do not resolve smaller distances.
func exactAt(at frames.Vector) float64 {
	const exact, rounding = 1e-10, 0x1p-50
	return exact + rounding*max(math.Abs(at.X), math.Abs(at.Y))
}

// project finds the place on a course that is next to a position, near u. If the rail has a kink
// there and no place on it is next to the position, the rail after the kink is extended to the
// rear: lead is then the place of the kink.
func (c *course) project(at frames.Vector, u, lead float64, p *railPoint) (place, newLead float64) {
	const attempts = 20
	exact := exactAt(at)
	for range 2 {
		before := u
		for range attempts {
			c.at(u, lead, p)
			step := float64((at.X-p.position.X)*p.cosine) + float64((at.Y-p.position.Y)*p.sine)
			if math.Abs(step) < exact {
				return u, lead
			}
			e := float64((at.Y-p.position.Y)*p.cosine) - float64((at.X-p.position.X)*p.sine)
			step /= max(portable.Hypot(p.d1.X, p.d1.Y)-float64(p.turn.Yaw*e), 0.2)
			before, u = u, u+min(max(step, -20), 20)
		}
		lead = max(c.rail.edgeBefore(max(before, u), c.forwards)+2*edgeWidth, lead)
	}
	u = max(u, lead)
	c.at(u, lead, p)
	return u, lead
}
