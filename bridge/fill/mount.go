package fill

import (
	"gosmp/frames"
	"gosmp/proto/osi3"
)

// mount is the mounting position of a sensor on the vehicle.
type mount struct {
	position frames.Vector
	rotation frames.Rotation
}

// mountOf returns a mounting position, or the origin of the vehicle if m is nil.
func mountOf(m *osi3.MountingPosition) *mount {
	return &mount{vector(m.GetPosition()), orientation(m.GetOrientation()).Rotation()}
}

// out transforms a pose from the sensor frame to the vehicle frame.
func (m *mount) out(at frames.Vector, o frames.Orientation) (frames.Vector, frames.Orientation) {
	child := o.Rotation()
	whole := m.rotation.Compose(&child)
	return m.rotation.Apply(at).Add(m.position), whole.Orientation()
}

// into transforms a position from the vehicle frame to the sensor frame.
func (m *mount) into(at frames.Vector) frames.Vector {
	return m.rotation.Into(at.Add(m.position.Scale(-1)))
}
