package main

import (
	"math"

	"gosmp/frames"
)

// matrix is a symmetric 3x3 matrix, the covariance of a vector.
type matrix struct{ XX, XY, XZ, YY, YZ, ZZ float64 }

func diagonal(x, y, z float64) matrix { return matrix{XX: x, YY: y, ZZ: z} }

// plus is m + s o.
func (m matrix) plus(o matrix, s float64) matrix {
	return matrix{m.XX + s*o.XX, m.XY + s*o.XY, m.XZ + s*o.XZ, m.YY + s*o.YY, m.YZ + s*o.YZ, m.ZZ + s*o.ZZ}
}

func (m matrix) times(v frames.Vector) frames.Vector {
	return frames.Vector{
		X: m.XX*v.X + m.XY*v.Y + m.XZ*v.Z,
		Y: m.XY*v.X + m.YY*v.Y + m.YZ*v.Z,
		Z: m.XZ*v.X + m.YZ*v.Y + m.ZZ*v.Z,
	}
}

// inverse is that of a positive definite matrix, by its decomposition L D L'. Its diagonal cannot become negative by
// rounding, as it could with a determinant.
func (m matrix) inverse() matrix {
	x := 1 / m.XX
	l, k := m.XY*x, m.XZ*x
	y := 1 / (m.YY - l*m.XY)
	n := (m.YZ - k*m.XY) * y
	z := 1 / (m.ZZ - k*m.XZ - n*(m.YZ-k*m.XY))
	b := l*n - k // the rows of the inverse of L are 1 0 0, -l 1 0, b -n 1
	return matrix{x + l*l*y + b*b*z, -l*y - b*n*z, b * z, y + n*n*z, -n * z, z}
}

// turned is R m R'.
func (m matrix) turned(r *frames.Rotation) matrix {
	x := r.Apply(frames.Vector{X: m.XX, Y: m.XY, Z: m.XZ}) // the columns of R m
	y := r.Apply(frames.Vector{X: m.XY, Y: m.YY, Z: m.YZ})
	z := r.Apply(frames.Vector{X: m.XZ, Y: m.YZ, Z: m.ZZ})
	first := r.Apply(frames.Vector{X: x.X, Y: y.X, Z: z.X}) // R times the rows of R m
	second := r.Apply(frames.Vector{X: x.Y, Y: y.Y, Z: z.Y})
	third := r.Apply(frames.Vector{X: x.Z, Y: y.Z, Z: z.Z})
	return matrix{first.X, first.Y, first.Z, second.Y, second.Z, third.Z}
}

func (m *matrix) trace() float64 { return m.XX + m.YY + m.ZZ }

// deviations are the standard deviations of the three coordinates.
func (m matrix) deviations() frames.Vector {
	return frames.Vector{X: math.Sqrt(m.XX), Y: math.Sqrt(m.YY), Z: math.Sqrt(m.ZZ)}
}

// estimate is what is known about a vector: nothing, or its value and the covariance of its error.
type estimate struct {
	Known, Stated bool // Stated: a sensor has told the error
	Value         frames.Vector
	Cov           matrix
}

// turned is the estimate in the parent frame of r.
func (e estimate) turned(r *frames.Rotation) estimate {
	e.Value, e.Cov = r.Apply(e.Value), e.Cov.turned(r)
	return e
}

// merged combines two independent estimates of the same vector, each weighted by the inverse of its covariance.
func (e estimate) merged(o estimate) estimate {
	switch {
	case !o.Known:
		return e
	case !e.Known:
		return o
	}
	weight := o.Cov.inverse()
	cov := e.Cov.inverse().plus(weight, 1).inverse()
	shift := cov.times(weight.times(o.Value.Sub(e.Value)))
	return estimate{Known: true, Stated: e.Stated || o.Stated, Value: e.Value.Add(shift), Cov: cov}
}

// distance2 is the squared Mahalanobis distance, infinite when it is beyond limit anyway.
func (e *estimate) distance2(o *estimate, limit float64) float64 {
	d := o.Value.Sub(e.Value)
	if d.Dot(d) > limit*(e.Cov.trace()+o.Cov.trace()) { // which is no less than the greatest variance in any direction
		return math.Inf(1)
	}
	return d.Dot(e.Cov.plus(o.Cov, 1).inverse().times(d))
}

// motion is what prediction needs.
type motion struct{ Position, Velocity estimate }

// predictor says how uncertain prediction is.
type predictor struct {
	acceleration float64 // standard deviation of what the velocity does not tell, m/s2
	speed        float64 // standard deviation of a velocity that is not known, m/s
}

// predict moves m forward by dt seconds, or back.
func (p *predictor) predict(m *motion, dt float64) {
	drift := diagonal(p.speed*p.speed, p.speed*p.speed, p.speed*p.speed)
	if m.Velocity.Known {
		m.Position.Value = m.Position.Value.Add(m.Velocity.Value.Scale(dt))
		drift = m.Velocity.Cov
	}
	swerve := p.acceleration * dt * dt / 2
	m.Position.Cov = m.Position.Cov.plus(drift, dt*dt).plus(diagonal(1, 1, 1), swerve*swerve)
}
