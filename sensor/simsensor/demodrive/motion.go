package demodrive

import "math"

// hump is a smooth change of a quantity by total between two times: its rate rises from 0 and falls
// back to 0 along one period of a cosine.
type hump struct{ from, to, total float64 }

// at returns the change until t, its rate, and the derivative of the rate.
func (h hump) at(t float64) (changed, rate, slope float64) {
	span := h.to - h.from
	x := (t - h.from) / span
	switch {
	case x <= 0:
		return 0, 0, 0
	case x >= 1:
		return h.total, 0, 0
	}
	sin, cos := math.Sincos(2 * math.Pi * x)
	return h.total * (x - sin/(2*math.Pi)), h.total / span * (1 - cos),
		h.total / (span * span) * 2 * math.Pi * sin
}

func sum(humps []hump, t float64) (total, rate, slope float64) {
	for _, h := range humps {
		a, b, c := h.at(t)
		total, rate, slope = total+a, rate+b, slope+c
	}
	return total, rate, slope
}

const degree = math.Pi / 180

// The drive, in s, m/s and rad. Heading is clockwise from north.
var (
	speedHumps   = []hump{{3, 12, 14}, {50, 57, -14}}
	headingHumps = []hump{{14, 24, 75 * degree}, {43, 50, -40 * degree}}
	// The road's slope is the rate of these humps: up to 6 degrees up, then up to 3 degrees down.
	slopeHumps = []hump{{26, 34, 4 * 6 * degree}, {34, 42, -4 * 3 * degree}}
)

const (
	startHeading = 30 * degree
	// rollPerAcceleration is how far the body leans out of a curve, in rad per m/s2 of lateral
	// acceleration.
	rollPerAcceleration = -0.01
	gravity             = 9.80665
)

// vector has the components north, east, down or forward, right, down.
type vector [3]float64

// motion is the state of the car at one time.
type motion struct {
	velocity     vector // NED
	acceleration vector // NED, without gravity
	rates        vector // body axes, rad/s
	toBody       [3]vector
	heading      float64
}

// motionAt evaluates the drive. Rotations are applied in the order heading, pitch, roll.
func motionAt(t float64) motion {
	v, vDot, _ := sum(speedHumps, t)
	turned, yawRate, yawSlope := sum(headingHumps, t)
	_, pitch, pitchRate := sum(slopeHumps, t)
	heading := startHeading + turned
	roll := rollPerAcceleration * v * yawRate
	rollRate := rollPerAcceleration * (vDot*yawRate + v*yawSlope)

	sh, ch := math.Sincos(heading)
	sp, cp := math.Sincos(pitch)
	sr, cr := math.Sincos(roll)
	return motion{
		heading:  heading,
		velocity: vector{v * cp * ch, v * cp * sh, -v * sp},
		acceleration: vector{
			vDot*cp*ch - v*sp*pitchRate*ch - v*cp*sh*yawRate,
			vDot*cp*sh - v*sp*pitchRate*sh + v*cp*ch*yawRate,
			-vDot*sp - v*cp*pitchRate,
		},
		rates: vector{
			rollRate - yawRate*sp,
			pitchRate*cr + yawRate*cp*sr,
			-pitchRate*sr + yawRate*cp*cr,
		},
		toBody: [3]vector{
			{cp * ch, cp * sh, -sp},
			{sr*sp*ch - cr*sh, sr*sp*sh + cr*ch, sr * cp},
			{cr*sp*ch + sr*sh, cr*sp*sh - sr*ch, cr * cp},
		},
	}
}

// body rotates a NED vector into body axes.
func (m *motion) body(v vector) vector {
	var b vector
	for i, row := range m.toBody {
		b[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return b
}

// specificForce returns the reading of an accelerometer: acceleration minus gravity, in body axes.
func (m *motion) specificForce() vector {
	f := m.acceleration
	f[2] -= gravity
	return m.body(f)
}

// track is the motion together with the integrated quantities: NED displacement from the start, and
// rotation angles in body axes.
type track struct {
	motion
	position vector
	angles   vector
}

// advance integrates over dt up to t by the trapezoidal rule, whose error at 1 ms is far below the
// resolution of the file.
func (k *track) advance(t, dt float64) {
	next := motionAt(t)
	for i := range 3 {
		k.position[i] += (k.velocity[i] + next.velocity[i]) / 2 * dt
		k.angles[i] += (k.rates[i] + next.rates[i]) / 2 * dt
	}
	k.motion = next
}
