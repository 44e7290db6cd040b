// Package draw provides random numbers that depend only on the purpose for which they are drawn.
//
// With a stateful generator, the noise on one object depends on how many others were drawn before
// it, so a lost frame or a restored snapshot changes all later numbers. Here, every number is a
// function of six keys: the seed of the run, the sensor, kind and identity of the object, the
// cycle, and the purpose. Equal keys give equal numbers on every platform and in every order, and
// there is no state to save.
//
// Index: [Key] names a draw, [Key.Uniform] and [Key.Normals] perform it.
package draw

import (
	"math"

	"gosmp/internal/portable"
)

// Purpose separates draws for the same object and cycle.
type Purpose uint64

// The purposes; their numbers affect the result.
const (
	Detection Purpose = iota
	Dropout
	DropoutPhase
	PositionXY
	PositionZ
	VelocityXY
	VelocityZ
)

// Key identifies the purpose for which a number is drawn.
type Key struct {
	Seed, Sensor, Object, Cycle uint64
	Kind                        uint8 // of object
	Purpose                     Purpose
}

// Increments of a Weyl sequence, odd numbers without structure: the first is 2^64 divided by the
// golden ratio.
const (
	stepSeed   = 0x9e3779b97f4a7c15
	stepSensor = 0x8cb92ba72f3d8dd7
	stepObject = 0xd1b54a32d192ed03
	stepCycle  = 0xaef17502108ef2d9
	stepHalf   = 0xdb4f0b9175ae2165
)

// mix is a bijection in which every input bit changes half the output bits (two multiply-xorshift
// rounds).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// bits returns the 64 random bits of the key for the given half. The keys are added one at a time,
// each after a round of mixing, so that sums or swaps of keys do not give the same word.
func (k Key) bits(half uint64) uint64 {
	h := mix(k.Seed + stepSeed)
	h = mix(h + k.Sensor*stepSensor)
	h = mix(h ^ k.Object*stepObject)
	h = mix(h + k.Cycle*stepCycle)
	return mix(h ^ (uint64(k.Kind)<<32|uint64(k.Purpose)<<1|half)*stepHalf)
}

// unit converts the 53 high bits to a number in [0, 1).
func unit(bits uint64) float64 { return float64(float64(bits>>11) * (1.0 / (1 << 53))) }

// Below returns a number evenly distributed in [0, n) up to a bias of 64-bit resolution; n must not
// be 0.
func (k Key) Below(n uint64) uint64 { return k.bits(0) % n }

// Uniform returns a number evenly distributed in [0, 1).
func (k Key) Uniform() float64 { return unit(k.bits(0)) }

// Normals returns two independent numbers of the standard normal distribution (Box-Muller method),
// both within ±8.6.
func (k Key) Normals() (float64, float64) {
	radius := math.Sqrt(-2 * portable.Log(1-unit(k.bits(0)))) // 1-u is never 0
	sin, cos := portable.Sincos(2 * math.Pi * unit(k.bits(1)))
	return radius * cos, radius * sin
}
