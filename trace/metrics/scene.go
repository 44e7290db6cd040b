package metrics

import (
	"math"
	"slices"

	"gosmp/internal/portable"
	"gosmp/timebase"
)

// actor is a moving object, seen from above.
type actor struct {
	id        uint64
	x, y, yaw float64 // of the center
	vx, vy    float64
	// whether the message has a position, a velocity, an orientation and a size
	placed, moving, turned, sized bool

	turn          float64 // rate of the yaw
	length, width float64
	rear          float64 // from the center to the rear axle, along the object
}

// scene holds the moving objects at one time, sorted by id.
type scene struct {
	time   timebase.Time
	actors []actor
	hostID uint64
	hosted bool
}

// add adds a moving object with a finite position.
func (s *scene) add(a *actor) {
	if a.placed && sane(a.x, a.y, a.yaw, a.vx, a.vy, a.length, a.width, a.rear, a.turn) {
		s.actors = append(s.actors, *a)
	}
}

// sort sorts the objects by id. If two have the same id, the first one counts.
func (s *scene) sort() {
	if !slices.IsSortedFunc(s.actors, byID) {
		slices.SortStableFunc(s.actors, byID)
	}
	s.actors = slices.CompactFunc(s.actors, func(a, b actor) bool { return a.id == b.id })
}

// sane reports whether numbers can be used in computations. Nothing on earth is larger than the
// limit.
func sane(numbers ...float64) bool {
	for _, x := range numbers {
		if !(math.Abs(x) < 1e8) {
			return false
		}
	}
	return true
}

// host returns the host vehicle, or nil if there is none.
func (s *scene) host() *actor { return s.find(s.hostID, s.hosted) }

func (s *scene) find(id uint64, known bool) *actor {
	k, found := slices.BinarySearchFunc(s.actors, actor{id: id}, byID)
	if !known || !found {
		return nil
	}
	return &s.actors[k]
}

// along splits a vector into its components along the actor and to its left.
func (a *actor) along(x, y float64) (forward, left float64) {
	sin, cos := portable.Sincos(a.yaw)
	return float64(x*cos) + float64(y*sin), float64(y*cos) - float64(x*sin)
}

// reach returns half the extent of an actor along and across the axes of another one.
func (a *actor) reach(other *actor) (along, across float64) {
	sin, cos := portable.Sincos(other.yaw - a.yaw)
	sin, cos = math.Abs(sin), math.Abs(cos)
	return (float64(cos*other.length) + float64(sin*other.width)) / 2, (float64(sin*other.length) +
		float64(cos*other.width)) / 2
}

// gapTo returns how far ahead another actor is; ok reports whether it reaches into the corridor, in
// front of the actor or alongside it.
func (a *actor) gapTo(other *actor) (gap float64, ok bool) {
	forward, left := a.along(other.x-a.x, other.y-a.y)
	along, across := a.reach(other)
	if math.Abs(left) > a.width/2+across || forward+along < -a.length/2 {
		return 0, false
	}
	return max(0, forward-along-a.length/2), true
}
