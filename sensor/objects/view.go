package objects

import (
	"encoding/binary"
	"errors"

	"gosmp/frames"
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// Keys of the fields that are read.
const (
	keyIdentifierValue = field.IdentifierValue<<3 | wire.Varint

	keyTimestampSeconds = field.TimestampSeconds<<3 | wire.Varint
	keyTimestampNanos   = field.TimestampNanos<<3 | wire.Varint

	keyViewTimestamp   = field.SensorViewTimestamp<<3 | wire.Len
	keyViewSensorID    = field.SensorViewSensorId<<3 | wire.Len
	keyViewMounting    = field.SensorViewMountingPosition<<3 | wire.Len
	keyViewGroundTruth = field.SensorViewGlobalGroundTruth<<3 | wire.Len
	keyViewHostID      = field.SensorViewHostVehicleId<<3 | wire.Len

	keyTruthHostID     = field.GroundTruthHostVehicleId<<3 | wire.Len
	keyTruthStationary = field.GroundTruthStationaryObject<<3 | wire.Len
	keyTruthMoving     = field.GroundTruthMovingObject<<3 | wire.Len

	keyMountingPosition    = field.MountingPositionPosition<<3 | wire.Len
	keyMountingOrientation = field.MountingPositionOrientation<<3 | wire.Len
)

// view is what the outer levels of a SensorView hold. Its lists keep their memory from step to step.
type view struct {
	bytes      []byte
	hasTruth   bool
	truthHost  optionalID
	viewHost   optionalID
	sensorID   optionalID
	timestamp  stamp
	mounting   mounting
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

// mounting is SensorView.mounting_position as it was sent.
type mounting struct {
	set              bool // position or orientation
	position, angles frames.Vector
}

// read goes through the SensorView and its GroundTruth, both of which may come in parts.
func (v *view) read(b []byte) error {
	*v = view{bytes: b, moving: v.moving[:0], stationary: v.stationary[:0]}
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return errMalformed
		}
		ok := true
		switch key {
		case keyViewTimestamp:
			ok = v.timestamp.merge(b[lo:hi])
		case keyViewSensorID:
			ok = v.sensorID.merge(b[lo:hi])
		case keyViewMounting:
			ok = v.mounting.merge(b[lo:hi])
		case keyViewHostID:
			ok = v.viewHost.merge(b[lo:hi])
		case keyViewGroundTruth:
			if err := v.readTruth(lo, hi); err != nil {
				return err
			}
		}
		if !ok {
			return errMalformed
		}
		i = hi
	}
	return nil
}

// readTruth goes through a GroundTruth and lists its objects. Most fields have the key and the length of the field
// before. To compare with that one, instead of adding the length that is read, lets the processor go on with the next
// field while this one is still on its way from memory.
func (v *view) readTruth(from, end int) error {
	v.hasTruth = true
	b := v.bytes[:end]
	var before struct { // the last field with a key of one byte and a length of two
		head uint32 // these three bytes
		size int    // of the field with them; 0 when there is none
	}
	for i := from; i < len(b); {
		var (
			key    wire.Key
			lo, hi int
			head   uint32
		)
		if i+4 <= len(b) {
			head = binary.LittleEndian.Uint32(b[i:]) & 0xffffff
		}
		if head == before.head && before.size != 0 && before.size <= len(b)-i {
			key, lo, hi = wire.Key(head&0xff), i+3, i+before.size
		} else {
			if key, lo, hi = wire.Field(b, i); hi < 0 {
				return errMalformed
			}
			if key&0x87 == wire.Len && b[i] == byte(key) && lo == i+3 {
				before.head, before.size = head, hi-i
			}
		}
		switch key {
		case keyTruthMoving:
			v.moving = append(v.moving, extent{lo, hi})
		case keyTruthStationary:
			v.stationary = append(v.stationary, extent{lo, hi})
		case keyTruthHostID:
			if !v.truthHost.merge(b[lo:hi]) {
				return errMalformed
			}
		}
		i = hi
	}
	return nil
}

// errMalformed ends the reading of a view; [undecodable] finds the reason.
var errMalformed = errors.New("malformed field")

// undecodable is the error of a view that is not well-formed. Its cause says where, which the reading above does not record.
func undecodable(b []byte) error {
	return &Error{Kind: ErrUndecodable, Cause: wire.CheckSensorView(b)}
}

func (o *optionalID) merge(b []byte) bool {
	o.set = true
	return mergeIdentifier(b, &o.id)
}

func (s *stamp) merge(b []byte) bool {
	s.set = true
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		switch key {
		case keyTimestampSeconds:
			s.seconds = int64(wire.Uint64(b[lo:hi]))
		case keyTimestampNanos:
			s.nanos = uint32(wire.Uint64(b[lo:hi]))
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

func (m *mounting) merge(b []byte) bool {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		ok := true
		switch key {
		case keyMountingPosition:
			m.set, ok = true, mergeTriple(b[lo:hi], &m.position)
		case keyMountingOrientation:
			m.set, ok = true, mergeTriple(b[lo:hi], &m.angles)
		}
		if !ok {
			return false
		}
		i = hi
	}
	return true
}

// pose is the mounting position; ok is false when it is missing or not finite. Without position, or without
// orientation, it has zeros there.
func (m *mounting) pose() (p frames.Pose, ok bool) {
	p = frames.Pose{Position: m.position, Orientation: orientation(m.angles)}
	if !m.set || !p.Finite() {
		return frames.Pose{}, false
	}
	return p, true
}

// orientation takes three doubles for what an Orientation3d means by them.
func orientation(v frames.Vector) frames.Orientation {
	return frames.Orientation{Roll: v.X, Pitch: v.Y, Yaw: v.Z}
}
