package objects

import (
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// Problem is a kind of anomaly in the input. Each has a defined effect, which [Detector.Explain]
// describes; a Problem is not an error.
type Problem uint8

// The kinds. With the kinds up to HostUnusable, nothing can be detected.
const (
	NoGroundTruth Problem = iota // SensorView without global_ground_truth
	NoHostID                     // neither GroundTruth nor SensorView names the host vehicle
	HostNotFound                 // no moving object has the host vehicle's id
	// the host vehicle has no position, or a pose that is not finite.
	HostUnusable
	HostIDsDiffer       // GroundTruth and SensorView name different host vehicles
	HostNoOrientation   // the host vehicle has no orientation
	HostNoRearAxle      // the host vehicle has no bbcenter_to_rear, or one that is not finite
	HostNoVelocity      // the host vehicle has no velocity, or one that is not finite
	HostNoTurning       // the host vehicle has a velocity and no orientation_rate
	HostBadMotion       // the host vehicle's acceleration or turning is not finite
	NoMounting          // the SensorView has no mounting_position, or one that is not finite
	NoSensorID          // the SensorView has no sensor_id
	NoTimestamp         // the SensorView has no timestamp, or an invalid one
	LateTimestamp       // the SensorView is newer than the step that reads it
	ObjectNoID          // an object without id
	ObjectNoPosition    // an object without base or position
	ObjectBadPosition   // an object with a position that is not finite
	ObjectNoOrientation // an object in view without orientation
	ObjectBadNumber     // an object in view with other numbers that are not finite
	ObjectBadSize       // an object in view with a negative or infinite dimension
	DuplicateID         // two detected objects of one kind with the same id, or the host vehicle's
	TooManyObstacles    // more boxes than occlusion considers
	problemCount
)

// Problems is a set of kinds.
type Problems uint32

// Has reports whether p is in the set.
func (s Problems) Has(p Problem) bool { return s>>p&1 != 0 }

// With returns the set with p added.
func (s Problems) With(p Problem) Problems { return s | 1<<p }

// All returns the kinds in the set, in the order of their numbers.
func (s Problems) All() iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		for rest := s; rest != 0; rest &= rest - 1 {
			if !yield(Problem(bits.TrailingZeros32(uint32(rest)))) {
				return
			}
		}
	}
}

// String lists the kinds.
func (s Problems) String() string {
	var names []string
	for p := range s.All() {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

// problemText is the description of a kind that does not depend on the input. %s stands for the
// culprit.
var problemText = [problemCount]struct{ name, found, want, effect string }{
	NoGroundTruth: {
		name:   "no ground truth",
		found:  "no global_ground_truth in the SensorView",
		want:   "the host vehicle and its surroundings",
		effect: "nothing is detected",
	},
	NoHostID: {
		name:   "no host vehicle id",
		found:  "no host_vehicle_id in GroundTruth or SensorView",
		want:   "the id of a moving object",
		effect: "nothing is detected",
	},
	HostNotFound: {
		name:   "host vehicle not found",
		found:  "no moving object with the host_vehicle_id %s",
		want:   "one",
		effect: "nothing is detected",
	},
	HostUnusable: {
		name:   "host vehicle without place",
		found:  "the host vehicle %s without a base.position, or with a pose that is not finite",
		want:   "finite numbers",
		effect: "nothing is detected",
	},
	HostIDsDiffer: {
		name:   "host vehicle ids differ",
		found:  "SensorView.host_vehicle_id %s, which differs from the one in GroundTruth",
		want:   "the same id",
		effect: "the id of GroundTruth is used",
	},
	HostNoOrientation: {
		name:   "host vehicle without orientation",
		found:  "the host vehicle %s without base.orientation",
		want:   "yaw, pitch and roll",
		effect: "yaw, pitch and roll count as 0",
	},
	HostNoRearAxle: {
		name:   "host vehicle without rear axle",
		found:  "the host vehicle %s without a finite vehicle_attributes.bbcenter_to_rear",
		want:   "the middle of the rear axle",
		effect: "the centre of the bounding box counts as the vehicle's origin",
	},
	HostNoVelocity: {
		name:   "host vehicle without velocity",
		found:  "the host vehicle %s without a finite base.velocity",
		want:   "its velocity",
		effect: "detections have no velocity and no acceleration",
	},
	HostNoTurning: {
		name:   "host vehicle without turning",
		found:  "the host vehicle %s without base.orientation_rate",
		want:   "the rates of yaw, pitch and roll",
		effect: "they count as 0, so the velocities of detections in a curve are wrong",
	},
	HostBadMotion: {
		name: "host vehicle with impossible motion",
		found: "the host vehicle %s with an acceleration, orientation_rate or " +
			"orientation_acceleration that is not finite",
		want:   "finite numbers",
		effect: "the quantity counts as missing, and a missing rotation as 0",
	},
	NoMounting: {
		name:   "no mounting position",
		found:  "no finite mounting_position in the SensorView",
		want:   "position and orientation of the sensor in the vehicle",
		effect: "the sensor counts as mounted at the vehicle's origin",
	},
	NoSensorID: {
		name:   "no sensor id",
		found:  "no sensor_id in the SensorView and none configured",
		want:   "the id of the sensor",
		effect: fmt.Sprintf("detections get sensor_id %d", DefaultSensorID),
	},
	NoTimestamp: {
		name: "no timestamp",
		found: "no timestamp in the SensorView, or one with nanos above 999999999 or seconds " +
			"beyond 292 years",
		want:   "seconds and nanos",
		effect: "the end of the step is used as the time of measurement",
	},
	LateTimestamp: {
		name:   "timestamp in the future",
		found:  "a SensorView with a timestamp after the end of the step",
		want:   "a timestamp up to the end of the step, on the clock of the co-simulation",
		effect: "the end of the step is used as the time of measurement",
	},
	ObjectNoID: {
		name:   "object without id",
		found:  "%s without id",
		want:   "an id, by which to track it",
		effect: "it is not detected",
	},
	ObjectNoPosition: {
		name:   "object without position",
		found:  "%s without base.position",
		want:   "one",
		effect: "it is not detected",
	},
	ObjectBadPosition: {
		name:   "object with impossible position",
		found:  "%s with a base.position that is not finite",
		want:   "finite numbers",
		effect: "it is not detected",
	},
	ObjectNoOrientation: {
		name:   "object without orientation",
		found:  "%s without base.orientation",
		want:   "yaw, pitch and roll",
		effect: "it is detected without orientation and orientation_rate",
	},
	ObjectBadNumber: {
		name:   "object with impossible motion",
		found:  "%s with numbers in base that are not finite",
		want:   "finite numbers",
		effect: "it is detected without the quantity",
	},
	ObjectBadSize: {
		name:   "object with impossible size",
		found:  "%s with a base.dimension that is negative or not finite",
		want:   "lengths of 0 m or more",
		effect: "it is detected without dimension",
	},
	DuplicateID: {
		name:   "duplicate id",
		found:  "%s, whose id an earlier object has",
		want:   "a different id for each object",
		effect: "the first object that is detected counts",
	},
	TooManyObstacles: {
		name:   "too many obstacles",
		found:  "more boxes in range than occlusion considers",
		want:   fmt.Sprintf("at most %d", maxObstacles),
		effect: "the boxes farthest away hide nothing",
	},
}

// String returns a short name of the kind.
func (p Problem) String() string {
	if p >= problemCount {
		return fmt.Sprintf("Problem(%d)", uint8(p))
	}
	return problemText[p].name
}

// culprit is the first object in a view that had a problem.
type culprit struct {
	kind Kind
	id   uint64
	nth  int // index in its list, -1 when the id alone identifies it
}

func (c culprit) String() string {
	switch {
	case c.nth < 0:
		return strconv.FormatUint(c.id, 10)
	default:
		return fmt.Sprintf("GroundTruth.%s_object[%d] (id %d)", c.kind, c.nth, c.id)
	}
}

// Explain describes in one line what was found in the newest view, what was expected, and the
// effect. It is meant for a log, once per kind and run.
func (d *Detector) Explain(p Problem) string {
	if p >= problemCount {
		return p.String()
	}
	t := &problemText[p]
	found := t.found
	if strings.Contains(found, "%s") {
		found = fmt.Sprintf(found, d.culprits[p])
	}
	return fmt.Sprintf("%s: found %s, expected %s; %s", t.name, found, t.want, t.effect)
}

// note records a problem, and the first object in the view that has it.
func (d *Detector) note(p Problem, c culprit) {
	if d.problems.Has(p) {
		return
	}
	d.problems = d.problems.With(p)
	d.culprits[p] = c
}

// noteHost records a problem that an id identifies.
func (d *Detector) noteHost(p Problem, id uint64) { d.note(p, culprit{id: id, nth: -1}) }
