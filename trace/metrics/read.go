package metrics

import (
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// Metrics need only a few fields of a message, so these are read from its bytes, without generated
// types. Functions return false if a field is malformed. As protobuf requires, a message that
// occurs more than once is the merge of all occurrences.

// eachField calls take with the fields of a message, until it returns false.
func eachField(b []byte, take func(key wire.Key, content []byte) bool) bool {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 || !take(key, b[lo:hi]) {
			return false
		}
		i = hi
	}
	return true
}

// readView reads the GroundTruth of a SensorView; has is set if there is one.
func (s *scene) readView(b []byte, has *bool) bool {
	return eachField(b, func(key wire.Key, content []byte) bool {
		if key != field.SensorViewGlobalGroundTruth<<3|wire.Len {
			return true
		}
		*has = true
		return s.readTruth(content)
	})
}

// readTruth reads a GroundTruth.
func (s *scene) readTruth(b []byte) bool {
	var a actor
	return eachField(b, func(key wire.Key, content []byte) bool {
		switch key {
		case field.GroundTruthHostVehicleId<<3 | wire.Len:
			s.hosted = true
			return wire.MergeIdentifier(content, &s.hostID)
		case field.GroundTruthMovingObject<<3 | wire.Len:
			a = actor{}
			if !a.read(content) {
				return false
			}
			s.add(&a)
		}
		return true
	})
}

// read reads a MovingObject.
func (a *actor) read(b []byte) bool {
	return eachField(b, func(key wire.Key, content []byte) bool {
		switch key {
		case field.MovingObjectId<<3 | wire.Len:
			return wire.MergeIdentifier(content, &a.id)
		case field.MovingObjectBase<<3 | wire.Len:
			return a.readBase(content)
		case field.MovingObjectVehicleAttributes<<3 | wire.Len:
			return a.readAttributes(content)
		}
		return true
	})
}

// readBase reads a BaseMoving.
func (a *actor) readBase(b []byte) bool {
	return eachField(b, func(key wire.Key, content []byte) (ok bool) {
		unused := 0.0
		switch key {
		case field.BaseMovingDimension<<3 | wire.Len:
			a.sized, ok = true, merge(content, &a.length, &a.width, &unused)
		case field.BaseMovingPosition<<3 | wire.Len:
			a.placed, ok = true, merge(content, &a.x, &a.y, &unused)
		case field.BaseMovingOrientation<<3 | wire.Len:
			a.turned, ok = true, merge(content, &unused, &unused, &a.yaw)
		case field.BaseMovingVelocity<<3 | wire.Len:
			a.moving, ok = true, merge(content, &a.vx, &a.vy, &unused)
		case field.BaseMovingOrientationRate<<3 | wire.Len:
			ok = merge(content, &unused, &unused, &a.turn)
		default:
			ok = true
		}
		return ok
	})
}

// readAttributes reads a MovingObject.VehicleAttributes.
func (a *actor) readAttributes(b []byte) bool {
	return eachField(b, func(key wire.Key, content []byte) bool {
		unused := 0.0
		return key != field.MovingObjectVehicleAttributesBbcenterToRear<<3|wire.Len ||
			merge(content, &a.rear, &unused, &unused)
	})
}

// merge reads a Vector3d, an Orientation3d or a Dimension3d.
func merge(b []byte, first, second, third *float64) bool {
	v := wire.Vector3d{X: *first, Y: *second, Z: *third}
	ok := v.Merge(b)
	*first, *second, *third = v.X, v.Y, v.Z
	return ok
}

// sensed holds what metrics need from a SensorData.
type sensed struct {
	mount    mount
	objects  []detected
	points   bool // it has feature data
	measured bool // it has the time of its last measurement
	last     timebase.Time
	carried  bool // it has a SensorView with a GroundTruth
	truth    scene
}

// detected is a DetectedMovingObject in the frame of its sensor.
type detected struct {
	actor
	named []uint64 // ground truth ids
}

// read reads a SensorData.
func (d *sensed) read(b []byte) bool {
	var position wire.Vector3d
	var orientation wire.Orientation3d
	var seconds int64
	var nanos uint32
	ok := eachField(b, func(key wire.Key, content []byte) bool {
		switch key {
		case field.SensorDataMountingPosition<<3 | wire.Len:
			return readMount(content, &position, &orientation)
		case field.SensorDataSensorView<<3 | wire.Len:
			return d.carried || d.truth.readView(content, &d.carried)
		case field.SensorDataLastMeasurementTime<<3 | wire.Len:
			d.measured = true
			return readTime(content, &seconds, &nanos)
		case field.SensorDataMovingObject<<3 | wire.Len:
			d.objects = append(d.objects, detected{})
			return d.objects[len(d.objects)-1].read(content)
		case field.SensorDataFeatureData<<3 | wire.Len:
			d.points = true
		}
		return true
	})
	d.last = timebase.Time(seconds)*timebase.Second + timebase.Time(nanos)
	if m := (mount{position.X, position.Y, orientation.Yaw}); sane(m.x, m.y, m.yaw) {
		d.mount = m
	}
	return ok
}

// read reads a DetectedMovingObject.
func (d *detected) read(b []byte) bool {
	return eachField(b, func(key wire.Key, content []byte) bool {
		switch key {
		case field.DetectedMovingObjectHeader<<3 | wire.Len:
			return d.readHeader(content)
		case field.DetectedMovingObjectBase<<3 | wire.Len:
			return d.readBase(content)
		}
		return true
	})
}

// readHeader reads a DetectedItemHeader.
func (d *detected) readHeader(b []byte) bool {
	return eachField(b, func(key wire.Key, content []byte) bool {
		if key != field.DetectedItemHeaderGroundTruthId<<3|wire.Len {
			return true
		}
		d.named = append(d.named, 0)
		return wire.MergeIdentifier(content, &d.named[len(d.named)-1])
	})
}

// readMount reads a MountingPosition.
func readMount(b []byte, position *wire.Vector3d, orientation *wire.Orientation3d) bool {
	return eachField(b, func(key wire.Key, content []byte) bool {
		switch key {
		case field.MountingPositionPosition<<3 | wire.Len:
			return position.Merge(content)
		case field.MountingPositionOrientation<<3 | wire.Len:
			return orientation.Merge(content)
		}
		return true
	})
}

// readTime reads a Timestamp.
func readTime(b []byte, seconds *int64, nanos *uint32) bool {
	return eachField(b, func(key wire.Key, content []byte) bool {
		switch key {
		case field.TimestampSeconds<<3 | wire.Varint:
			*seconds = int64(wire.Uint64(content))
		case field.TimestampNanos<<3 | wire.Varint:
			*nanos = uint32(wire.Uint64(content))
		}
		return true
	})
}
