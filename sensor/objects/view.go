package objects

import (
	"fmt"

	"gosmp/sensor/frames"
	"gosmp/timebase"
)

// Tags of the fields that are read: field number times 8 plus wire type (0 varint, 1 eight bytes, 2 length-delimited).
const (
	tagIdentifierValue = 1<<3 | 0

	tagTimestampSeconds = 1<<3 | 0
	tagTimestampNanos   = 2<<3 | 0

	tagViewTimestamp   = 2<<3 | 2
	tagViewSensorID    = 3<<3 | 2
	tagViewMounting    = 4<<3 | 2
	tagViewGroundTruth = 7<<3 | 2
	tagViewHostID      = 8<<3 | 2

	tagTruthHostID     = 3<<3 | 2
	tagTruthStationary = 4<<3 | 2
	tagTruthMoving     = 5<<3 | 2

	tagMountingPosition    = 1<<3 | 2
	tagMountingOrientation = 2<<3 | 2
)

// view is what the outer levels of a SensorView hold. Its lists keep their memory from step to step.
type view struct {
	bytes      []byte
	hasTruth   bool
	truthHost  optionalID
	viewHost   optionalID
	sensorID   optionalID
	timestamp  stamp
	moving     []extent
	stationary []extent
}

type optionalID struct {
	set bool
	id  uint64
}

// stamp is a Timestamp as it was sent.
type stamp struct {
	set     bool
	seconds int64
	nanos   uint32
}

// read goes through the SensorView and its GroundTruth, both of which may come in parts.
func (v *view) read(b []byte) error {
	*v = view{bytes: b, moving: v.moving[:0], stationary: v.stationary[:0]}
	for i := 0; i < len(b); {
		tag, lo, hi := field(b, i)
		if hi < 0 {
			return undecodable(i, len(b), "SensorView")
		}
		ok := true
		switch tag {
		case tagViewTimestamp:
			ok = v.timestamp.merge(b[lo:hi])
		case tagViewSensorID:
			ok = v.sensorID.merge(b[lo:hi])
		case tagViewHostID:
			ok = v.viewHost.merge(b[lo:hi])
		case tagViewGroundTruth:
			if err := v.readTruth(lo, hi); err != nil {
				return err
			}
		}
		if !ok {
			return undecodable(lo, len(b), "SensorView")
		}
		i = hi
	}
	return nil
}

// readTruth goes through a GroundTruth and lists its objects.
func (v *view) readTruth(from, end int) error {
	v.hasTruth = true
	b := v.bytes[:end]
	for i := from; i < end; {
		tag, lo, hi := field(b, i)
		if hi < 0 {
			return undecodable(i, len(v.bytes), "GroundTruth")
		}
		switch tag {
		case tagTruthMoving:
			v.moving = append(v.moving, extent{lo, hi})
		case tagTruthStationary:
			v.stationary = append(v.stationary, extent{lo, hi})
		case tagTruthHostID:
			if !v.truthHost.merge(b[lo:hi]) {
				return undecodable(lo, len(v.bytes), "GroundTruth.host_vehicle_id")
			}
		}
		i = hi
	}
	return nil
}

func undecodable(at, size int, message string) error {
	return &Error{
		Where: fmt.Sprintf("%s, byte %d of the %d of the SensorView", message, at, size), Err: ErrUndecodable,
		Found: "bytes that are no field or reach beyond their message", Want: "protobuf fields",
		Hint: "see whether pointer and size belong to a complete osi3.SensorView",
	}
}

func (o *optionalID) merge(b []byte) bool {
	o.set = true
	return mergeIdentifier(b, &o.id)
}

func (s *stamp) merge(b []byte) bool {
	s.set = true
	for i := 0; i < len(b); {
		tag, lo, hi := field(b, i)
		if hi < 0 {
			return false
		}
		switch tag {
		case tagTimestampSeconds:
			s.seconds = int64(varint(b[lo:hi]))
		case tagTimestampNanos:
			s.nanos = uint32(varint(b[lo:hi]))
		}
		i = hi
	}
	return true
}

// time is the instant that the stamp means; ok is false when there is none, or it is none of the clock.
func (s stamp) time() (t timebase.Time, ok bool) {
	const last = int64(timebase.EndOfTime / timebase.Second)
	if !s.set || s.nanos >= uint32(timebase.Second) || s.seconds >= last || s.seconds <= -last {
		return 0, false
	}
	return timebase.Time(s.seconds)*timebase.Second + timebase.Time(s.nanos), true
}

// mounting is SensorView.mounting_position; ok is false when it is missing or not finite. A pose without position or without
// orientation has zeros there.
func (v *view) mounting() (p frames.Pose, ok bool) {
	whole := extent{0, len(v.bytes)}
	var angles frames.Vector
	hasPosition, ok1 := mergePath(v.bytes, whole, tagViewMounting, tagMountingPosition, &p.Position)
	hasOrientation, ok2 := mergePath(v.bytes, whole, tagViewMounting, tagMountingOrientation, &angles)
	p.Orientation = orientation(angles)
	if !ok1 || !ok2 || !hasPosition && !hasOrientation || !p.Finite() {
		return frames.Pose{}, false
	}
	return p, true
}

// orientation takes three doubles for what an Orientation3d means by them.
func orientation(v frames.Vector) frames.Orientation {
	return frames.Orientation{Roll: v.X, Pitch: v.Y, Yaw: v.Z}
}
