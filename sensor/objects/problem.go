package objects

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// Problem is one kind of oddity of the input. Each has a defined effect, which [Detector.Explain] tells; none is an error.
type Problem uint8

// The kinds. Those up to HostUnusable leave nothing to detect.
const (
	NoGroundTruth       Problem = iota // SensorView without global_ground_truth
	NoHostID                           // neither GroundTruth nor SensorView names the host vehicle
	HostNotFound                       // no moving object has the host vehicle's id
	HostUnusable                       // the host vehicle has no position, or a pose that is not finite
	HostIDsDiffer                      // GroundTruth and SensorView name different host vehicles
	HostNoOrientation                  // the host vehicle has no orientation
	HostNoRearAxle                     // the host vehicle has no bbcenter_to_rear, or one that is not finite
	HostNoVelocity                     // the host vehicle has no velocity, or one that is not finite
	HostBadMotion                      // the host vehicle's acceleration or turning is not finite
	NoMounting                         // the SensorView has no mounting_position, or one that is not finite
	NoSensorID                         // the SensorView has no sensor_id
	NoTimestamp                        // the SensorView has no timestamp, or one that is none
	LateTimestamp                      // the SensorView is younger than the step that reads it
	ObjectNoID                         // an object without id
	ObjectNoPosition                   // an object without base or position
	ObjectBadPosition                  // an object with a position that is not finite
	ObjectNoOrientation                // an object in view without orientation
	ObjectBadNumber                    // an object in view with other numbers that are not finite
	ObjectBadSize                      // an object in view with a negative or infinite dimension
	DuplicateID                        // two objects of one kind with the same id
	TooManyObstacles                   // more boxes than occlusion looks at
	problemCount
)

// Problems is a set of kinds.
type Problems uint32

// Has says whether p is in the set.
func (s Problems) Has(p Problem) bool { return s>>p&1 != 0 }

// With is the set and p.
func (s Problems) With(p Problem) Problems { return s | 1<<p }

// All are the kinds in the set, in order of their numbers.
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

// problemText is what is known about a kind without looking at the input. %s stands for the culprit.
var problemText = [problemCount]struct{ name, found, want, effect string }{
	NoGroundTruth:     {"no ground truth", "no global_ground_truth in the SensorView", "the host vehicle and all around it", "nothing is detected"},
	NoHostID:          {"no host vehicle id", "no host_vehicle_id in GroundTruth or SensorView", "the id of a moving object", "nothing is detected"},
	HostNotFound:      {"host vehicle not found", "no moving object with the host_vehicle_id %s", "one", "nothing is detected"},
	HostUnusable:      {"host vehicle without place", "the host vehicle %s without a base.position, or with a pose that is not finite", "finite numbers", "nothing is detected"},
	HostIDsDiffer:     {"host vehicle ids differ", "SensorView.host_vehicle_id %s, another than in GroundTruth", "the same", "that of GroundTruth is used"},
	HostNoOrientation: {"host vehicle without orientation", "the host vehicle %s without base.orientation", "yaw, pitch and roll", "it counts as 0, 0, 0"},
	HostNoRearAxle:    {"host vehicle without rear axle", "the host vehicle %s without a finite vehicle_attributes.bbcenter_to_rear", "the middle of the rear axle", "the centre of the bounding box counts as the vehicle's origin"},
	HostNoVelocity:    {"host vehicle without velocity", "the host vehicle %s without a finite base.velocity", "its velocity", "detections have no velocity and no acceleration"},
	HostBadMotion:     {"host vehicle with impossible motion", "the host vehicle %s with an acceleration, orientation_rate or orientation_acceleration that is not finite", "finite numbers", "the quantity counts as missing"},
	NoMounting:        {"no mounting position", "no finite mounting_position in the SensorView", "position and orientation of the sensor in the vehicle", "the sensor counts as mounted at the vehicle's origin"},
	NoSensorID:        {"no sensor id", "no sensor_id in the SensorView and none configured", "the id of the sensor", "detections carry sensor_id 0"},
	NoTimestamp:       {"no timestamp", "no timestamp in the SensorView, or one with nanos above 999999999 or seconds beyond 292 years", "seconds and nanos", "the end of the step counts as time of measurement"},
	LateTimestamp:     {"timestamp of the future", "a SensorView that is younger than the step that reads it", "a timestamp up to the end of the step, on the clock of the co-simulation", "the end of the step counts as time of measurement"},
	ObjectNoID:        {"object without id", "%s without id", "one, to track it by", "it is not detected"},
	ObjectNoPosition:  {"object without position", "%s without base.position", "one", "it is not detected"},
	ObjectBadPosition: {"object with impossible position", "%s with a base.position that is not finite", "finite numbers", "it is not detected"},
	ObjectNoOrientation: {"object without orientation", "%s without base.orientation", "yaw, pitch and roll",
		"it is detected without orientation and orientation_rate"},
	ObjectBadNumber: {"object with impossible motion", "%s with numbers in base that are not finite", "finite numbers", "it is detected without the quantity"},
	ObjectBadSize:   {"object with impossible size", "%s with a base.dimension that is negative or not finite", "lengths of 0 m or more", "it is detected without dimension"},
	DuplicateID:     {"duplicate id", "%s a second time", "ids that differ", "the first counts"},
	TooManyObstacles: {"too many obstacles", "more boxes in reach than occlusion looks at", fmt.Sprintf("at most %d", maxObstacles),
		"those farthest away hide nothing"},
}

// String is a short name of the kind.
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
	nth  int // index in its list, -1 when the id is to be told
}

func (c culprit) String() string {
	switch {
	case c.nth < 0:
		return fmt.Sprint(c.id)
	default:
		return fmt.Sprintf("GroundTruth.%s_object[%d] (id %d)", c.kind, c.nth, c.id)
	}
}

// Explain tells in one line what was found in the newest view, what was expected, and what follows. It is meant for a log, once
// for every kind and run.
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

// note records a problem, and who is to blame for it first.
func (d *Detector) note(p Problem, c culprit) {
	if d.problems.Has(p) {
		return
	}
	d.problems = d.problems.With(p)
	d.culprits[p] = c
}

// noteHost records a problem that an id identifies.
func (d *Detector) noteHost(p Problem, id uint64) { d.note(p, culprit{id: id, nth: -1}) }
