package mocksim

import "gosmp/mocksim/opendrive"

// users are the kinds of road users, in the words of the standard, that actors of each kind are for
// access to lanes. All of them are traffic that drives by itself.
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

// mayUse reports whether a lane is for cars, and open to a kind of actor.
func (k Kind) mayUse(l *opendrive.Lane) bool {
	return l.Drivable() && (len(l.Access) == 0 || l.Admits(users[k]...))
}

// mix are the kinds of vehicles of random traffic, as often as they occur.
var mix = [...]Kind{Car, Car, Car, Van, Car, Truck, Car, Bus, Car, Motorcycle}

// admitted is a kind if the lane of a start is open to it, else the first one of the mix to which
// it is.
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

// carFirst moves a start on a lane that is open to cars to the front of the list, if there is one.
func (w *World) carFirst(starts []Start) {
	for k := range starts {
		if kind, ok := w.admitted(Car, &starts[k]); ok && kind == Car {
			starts[0], starts[k] = starts[k], starts[0]
			return
		}
	}
}
