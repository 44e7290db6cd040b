package metrics

import (
	"cmp"
	"slices"

	"gosmp/internal/portable"
)

// judge assigns detected objects to true ones.
type judge struct {
	mount                 mount
	pairs                 []judged
	inRange, foundInRange int
	alone                 int // detections that match no true object
}

// mount is the position of a sensor in the host vehicle's rear-axle frame, seen from above.
// Detected objects are given in the frame of the sensor (OSI 3.8.0, DetectedMovingObject.base).
type mount struct{ x, y, yaw float64 }

// turn rotates a vector from the sensor's axes to the host vehicle's axes.
func (m mount) turn(x, y float64) (forward, left float64) {
	sin, cos := portable.Sincos(m.yaw)
	return float64(x*cos) - float64(y*sin), float64(x*sin) + float64(y*cos)
}

// judged is a detected object with its true counterpart.
type judged struct {
	truth    *actor
	detected *detected
	distance float64
}

// newJudge assigns detected objects to true objects one to one: first by the ids that detections
// name, then by distance, nearest pairs first.
func newJudge(s *scene, host *actor, o Options, d *sensed) *judge {
	j := &judge{mount: d.mount}
	taken := map[uint64]bool{host.id: true}
	var open []*detected
	for k := range d.objects {
		o := &d.objects[k]
		if a := named(s, host, taken, o); a != nil {
			j.add(host, a, o, taken)
		} else {
			open = append(open, o)
		}
	}
	j.alone = len(open) - j.nearest(s, host, o.Gate, open, taken)
	for k := range s.actors {
		a := &s.actors[k]
		if a == host || o.Range > 0 && portable.Hypot(a.x-host.x, a.y-host.y) > o.Range {
			continue
		}
		j.inRange++
		if taken[a.id] {
			j.foundInRange++
		}
	}
	return j
}

// named returns the true object that a detection names, if it is still free.
func named(s *scene, host *actor, taken map[uint64]bool, d *detected) *actor {
	for _, id := range d.named {
		if a := s.find(id, true); a != nil && a != host && !taken[a.id] {
			return a
		}
	}
	return nil
}

// add records a pair.
func (j *judge) add(host, a *actor, b *detected, taken map[uint64]bool) {
	taken[a.id] = true
	if distance, ok := j.distanceOf(host, a, b); ok {
		j.pairs = append(j.pairs, judged{a, b, distance})
	}
}

// distanceOf returns the distance between a detection and a true object.
func (j *judge) distanceOf(host, a *actor, b *detected) (float64, bool) {
	x, y := j.mount.turn(b.x, b.y)
	if !b.placed || !sane(x, y) {
		return 0, false
	}
	forward, left := host.along(a.x-host.x, a.y-host.y)
	return portable.Hypot(x+j.mount.x-(forward-host.rear), y+j.mount.y-left), true
}

// velocityError returns the difference between a detected velocity and the true one. The true
// velocity is that of the object in the frame of the sensor, without the motion of the host vehicle
// at the object's position.
func (j *judge) velocityError(host, a *actor, d *detected) float64 {
	x, y := j.mount.turn(d.vx, d.vy)
	carriedX, carriedY := -float64(host.turn*(a.y-host.y)), float64(host.turn*(a.x-host.x))
	forward, left := host.along(a.vx-host.vx-carriedX, a.vy-host.vy-carriedY)
	return portable.Hypot(x-forward, y-left)
}

// mostPairs bounds the number of distances computed for one message.
const mostPairs = 1 << 20

// nearest assigns detections that name no true object, and counts them.
func (j *judge) nearest(s *scene, host *actor, gate float64, open []*detected,
	taken map[uint64]bool) (assigned int) {
	type offer struct {
		detection, object int
		distance          float64
	}
	var offers []offer
	for k, b := range open {
		for i := range s.actors {
			if len(offers) == mostPairs || taken[s.actors[i].id] {
				continue
			}
			if d, ok := j.distanceOf(host, &s.actors[i], b); ok && d <= gate {
				offers = append(offers, offer{k, i, d})
			}
		}
	}
	slices.SortFunc(offers, func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.detection, b.detection),
			cmp.Compare(a.object, b.object))
	})
	done := map[int]bool{}
	for _, o := range offers {
		a := &s.actors[o.object]
		if done[o.detection] || taken[a.id] {
			continue
		}
		done[o.detection] = true
		j.add(host, a, open[o.detection], taken)
		assigned++
	}
	return assigned
}
