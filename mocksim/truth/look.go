package truth

import (
	"gosmp/mocksim"
	"gosmp/proto/osi3"
)

// Look holds the properties of an actor in messages other than its motion, kind and shape. Zero
// values are replaced with defaults of the kind. A Look may change between messages.
type Look struct {
	Hidden     bool // omitted from messages unless it is the host vehicle
	Type       osi3.MovingObject_Type
	Vehicle    osi3.MovingObject_VehicleClassification_Type
	Role       osi3.MovingObject_VehicleClassification_Role
	Stationary osi3.StationaryObject_Classification_Type
	// Rear and Front are the positions of the axles on the body's x axis, from the middle of the
	// box, in m. If both are 0, the axles are half the wheelbase behind and in front of the middle.
	Rear, Front float64
	Wheels      uint64
	Trailer     uint64 // the id of the actor that it tows, 0: none
}

// look returns the Look of an actor.
func (m *Maker) look(v mocksim.View) Look {
	l := Look{}
	if given := m.o.Looks[v.Name()]; given != nil {
		l = *given
	}
	kind := v.Kind()
	if l.Type == 0 {
		l.Type = osi3.MovingObject_Type(objectTypes[kind])
	}
	if l.Vehicle == 0 && kind.Vehicle() {
		l.Vehicle = osi3.MovingObject_VehicleClassification_Type(vehicleTypes[kind])
	}
	if l.Role == 0 {
		l.Role = osi3.MovingObject_VehicleClassification_ROLE_CIVIL
	}
	if l.Stationary == 0 {
		l.Stationary = osi3.StationaryObject_Classification_TYPE_OTHER
	}
	if l.Rear == 0 && l.Front == 0 {
		l.Front = v.Shape().Wheelbase / 2
		l.Rear = -l.Front
	}
	if l.Wheels == 0 && int(kind) < len(wheels) {
		l.Wheels = wheels[kind]
	}
	return l
}
