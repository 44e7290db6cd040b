package opendrive

import (
	"slices"
	"strings"
)

// LaneAccess states who may use a lane from S onwards: only the named users, or everyone else.
type LaneAccess struct {
	S     float64
	Deny  bool
	Users []string // as the standard names them: passengerCar, bus, pedestrian, ...
	line  int
}

// motorVehicles lists the users that drive on car lanes.
var motorVehicles = []string{"simulator", "autonomousTraffic", "autonomous traffic", "passengerCar",
	"bus", "delivery", "emergency",
	"taxi", "throughTraffic", "truck", "trucks", "motorcycle", "HOV"}

// admitsCars reports whether a lane is open to any motor vehicle.
func (l *Lane) admitsCars() bool {
	return len(l.Access) == 0 || slices.ContainsFunc(motorVehicles,
		func(user string) bool { return l.Admits(user) })
}

// Admits reports whether a user may use a lane along its whole length. A user can be of several
// kinds: a delivery van is "passengerCar" and "delivery". The user is refused if one of the kinds
// is denied, and admitted if one of them is allowed.
func (l *Lane) Admits(kinds ...string) bool {
	for from := 0; from < len(l.Access); {
		to := from + 1
		for to < len(l.Access) && l.Access[to].S == l.Access[from].S {
			to++
		}
		begin, end := l.Origin+l.Access[from].S, l.Section.End
		if to < len(l.Access) {
			end = min(end, l.Origin+l.Access[to].S)
		}
		if end > max(begin, l.Section.S) && !admits(l.Access[from:to], kinds) {
			return false
		}
		from = to
	}
	return true
}

// admits reports whether records that apply together admit a user.
func admits(records []LaneAccess, kinds []string) bool {
	limited, allowed := false, false
	for k := range records {
		r := &records[k]
		named := slices.ContainsFunc(kinds, func(kind string) bool {
			return slices.Contains(r.Users,
				kind)
		})
		switch {
		case slices.Contains(r.Users, "none"): // no restriction
		case r.Deny && named:
			return false
		case !r.Deny:
			limited, allowed = true, allowed || named
		}
	}
	return !limited || allowed
}

// access reads a record. Maps of version 1.4 state no rule: they name the allowed users.
func (r *reader) access(e *element) LaneAccess {
	a := LaneAccess{S: e.number("sOffset"), Deny: e.string("rule") == "deny", line: e.line}
	if user := e.string("restriction"); user != "" {
		a.Users = append(a.Users, user)
	}
	r.each(func(e *element) {
		if e.name == "restriction" { // OpenDRIVE 1.8
			a.Users = append(a.Users, e.string("type"))
		}
	})
	return a
}

// String describes a record in words: "allow bus, taxi".
func (a *LaneAccess) String() string {
	rule := "allow "
	if a.Deny {
		rule = "deny "
	}
	return rule + strings.Join(a.Users, ", ")
}
