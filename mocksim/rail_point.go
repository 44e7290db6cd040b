package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// railPoint is a place on a rail, with derivatives with respect to u.
type railPoint struct {
	s, ds                 float64
	position, d1, d2      frames.Vector
	angles, turn, turn2   frames.Orientation
	straight              bool
	cosine, sine          float64
	curvature, curvature1 float64
}

func (p *railPiece) atStraight(way, x float64, out *railPoint) {
	*out = railPoint{s: p.s[0] + float64(p.s[1]*x), ds: p.s[1] * p.scale, straight: true,
		cosine: p.cosine, sine: p.sine}
	// The coefficients refer to the middle of the piece.
	way -= 1 / p.scale
	out.position = frames.Vector{X: p.x[0] + float64(p.slope*way),
		Y: p.y[0] + float64(p.across*way), Z: p.z[0] + float64(p.tilt*way)}
	out.d1 = frames.Vector{X: p.slope, Y: p.across, Z: p.tilt}
	out.angles = frames.Orientation{Roll: p.roll[0], Pitch: p.pitch[0], Yaw: p.yaw[0]}
}

func (p *railPiece) atCurve(x float64, out *railPoint) {
	k, kk := p.scale, p.scale*p.scale
	*out = railPoint{}
	v, d, dd := p.x.at(x)
	out.position.X, out.d1.X, out.d2.X = v, d*k, dd*kk
	v, d, dd = p.y.at(x)
	out.position.Y, out.d1.Y, out.d2.Y = v, d*k, dd*kk
	v, d, dd = p.yaw.at(x)
	out.angles.Yaw, out.turn.Yaw, out.turn2.Yaw = v, d*k, dd*kk
	if p.level {
		out.position.Z = p.z[0]
	} else {
		p.atSlope(x, out)
	}
	v, d, _ = p.s.at(x)
	out.s, out.ds = v, d*k
	out.sine, out.cosine = portable.Sincos(out.angles.Yaw)
	out.curvature, out.curvature1 = out.turn.Yaw, out.turn2.Yaw
}

// atSlope fills in the values that are 0 on a level road, except the height.
func (p *railPiece) atSlope(x float64, out *railPoint) {
	k, kk := p.scale, p.scale*p.scale
	v, d, dd := p.z.at(x)
	out.position.Z, out.d1.Z, out.d2.Z = v, d*k, dd*kk
	v, d, dd = p.pitch.at(x)
	out.angles.Pitch, out.turn.Pitch, out.turn2.Pitch = v, d*k, dd*kk
	v, d, dd = p.roll.at(x)
	out.angles.Roll, out.turn.Roll, out.turn2.Roll = v, d*k, dd*kk
}

// extend moves the place straight ahead.
func (p *railPoint) extend(way float64) {
	p.position = p.position.Add(p.d1.Scale(way))
	p.d2 = frames.Vector{}
	p.turn, p.turn2 = frames.Orientation{}, frames.Orientation{}
	p.curvature, p.curvature1, p.straight = 0, 0, true
}

// turnRound converts the place for traffic in the other direction.
func (p *railPoint) turnRound() {
	p.ds = -p.ds
	p.d1 = p.d1.Scale(-1)
	p.angles.Yaw += math.Pi
	p.angles.Pitch, p.angles.Roll = 0-p.angles.Pitch, 0-p.angles.Roll // no negative zeros
	p.turn.Yaw = -p.turn.Yaw
	p.turn2.Pitch, p.turn2.Roll = -p.turn2.Pitch, -p.turn2.Roll
	p.cosine, p.sine = -p.cosine, -p.sine
	p.curvature = -p.curvature
}
