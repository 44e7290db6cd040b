package objects

import (
	"encoding/binary"
	"errors"

	"gosmp/frames"
	"gosmp/internal/fault"
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

// view holds the outer levels of a SensorView. Its lists keep their memory from step to step.
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

// stamp is a Timestamp as received.
type stamp struct {
	set     bool
	seconds int64
	nanos   uint32
}

// mounting is SensorView.mounting_position as received.
type mounting struct {
	set              bool // position or orientation
	position, angles frames.Vector
}

// read scans the SensorView and its GroundTruth, both of which may be split into parts.
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

// readTruth scans a GroundTruth and lists its objects. Most fields have the same key and length as
// the previous field. Comparing with these, instead of adding the length just read, lets the
// processor start on the next field while this one is still being loaded from memory.
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

// errMalformed stops the reading of a view; [undecodable] finds the reason.
var errMalformed = errors.New("malformed field")

// undecodable returns the error for a malformed view. Its cause gives the position, which the code
// above does not record.
func undecodable(b []byte) error {
	return fault.Wrap(ErrUndecodable, fault.Place{}, wire.CheckSensorView(b))
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

// time returns the instant of the stamp; ok is false when the stamp is missing or outside the range
// of the clock.
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

// pose returns the mounting position; ok is false when it is missing or not finite. A missing
// position or orientation is zero.
func (m *mounting) pose() (p frames.Pose, ok bool) {
	p = frames.Pose{Position: m.position, Orientation: orientation(m.angles)}
	if !m.set || !p.Finite() {
		return frames.Pose{}, false
	}
	return p, true
}

// orientation interprets three doubles as an Orientation3d.
func orientation(v frames.Vector) frames.Orientation {
	return frames.Orientation{Roll: v.X, Pitch: v.Y, Yaw: v.Z}
}
