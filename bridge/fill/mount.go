package fill

import (
	"gosmp/frames"
	"gosmp/proto/osi3"
)

// mount is where a sensor is on the vehicle.
type mount struct {
	position frames.Vector
	rotation frames.Rotation
}

// mountOf returns a mounting position; without one, the origin of the vehicle.
func mountOf(m *osi3.MountingPosition) *mount {
	return &mount{vector(m.GetPosition()), orientation(m.GetOrientation()).Rotation()}
}

// out moves a pose from the frame of the sensor into the frame of the vehicle.
func (m *mount) out(at frames.Vector, o frames.Orientation) (frames.Vector, frames.Orientation) {
	child := o.Rotation()
	whole := m.rotation.Compose(&child)
	return m.rotation.Apply(at).Add(m.position), whole.Orientation()
}

// into moves a place from the frame of the vehicle into the frame of the sensor.
func (m *mount) into(at frames.Vector) frames.Vector {
	return m.rotation.Into(at.Add(m.position.Scale(-1)))
}
