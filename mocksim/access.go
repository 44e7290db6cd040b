package mocksim

import "gosmp/mocksim/opendrive"

// users maps the kinds of actors to the kinds of road users, in the standard's terms, that
// determine which lanes they may use. All vehicles also count as autonomous traffic.
var users = [kinds][]string{
	Car: {"passengerCar", "autonomousTraffic", "autonomous traffic", "simulator"},
	Van: {"passengerCar", "delivery", "autonomousTraffic", "autonomous traffic",
		"simulator"},
	Truck: {"truck", "trucks", "delivery", "autonomousTraffic", "autonomous traffic",
		"simulator"},
	Bus:        {"bus", "autonomousTraffic", "autonomous traffic", "simulator"},
	Motorcycle: {"motorcycle", "autonomousTraffic", "autonomous traffic", "simulator"},
	Bicycle:    {"bicycle", "autonomousTraffic", "autonomous traffic", "simulator"},
	Pedestrian: {"pedestrian"},
	Animal:     nil,
	Static:     nil,
}

// mayUse reports whether a lane is for cars and open to a kind of actor.
func (k Kind) mayUse(l *opendrive.Lane) bool {
	return l.Drivable() && (len(l.Access) == 0 || l.Admits(users[k]...))
}

// mix lists the kinds of vehicles in random traffic in proportion to their frequency.
var mix = [...]Kind{Car, Car, Car, Van, Car, Truck, Car, Bus, Car, Motorcycle}

// admitted returns k if the lane of a start is open to it, or else the first kind of the mix to
// which the lane is open.
func (w *World) admitted(k Kind, s *Start) (Kind, bool) {
	lane := w.m.Road(s.Road).SectionAt(s.S).Lane(s.Lane)
	if k.mayUse(lane) {
		return k, true
	}
	for _, other := range mix {
		if other.mayUse(lane) {
			return other, true
		}
	}
	return k, false
}

// carFirst moves a start on a lane that is open to cars, if there is one, to the front of the list.
func (w *World) carFirst(starts []Start) {
	for k := range starts {
		if kind, ok := w.admitted(Car, &starts[k]); ok && kind == Car {
			starts[0], starts[k] = starts[k], starts[0]
			return
		}
	}
}
