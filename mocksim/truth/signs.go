package truth

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

var (
	mainTypes = osi3.TrafficSign_MainSign_Classification_Type_value
	addTypes  = osi3.TrafficSign_SupplementarySign_Classification_Type_value
)

type (
	mainType = osi3.TrafficSign_MainSign_Classification_Type
	addType  = osi3.TrafficSign_SupplementarySign_Classification_Type
)

// leftHanded has the types of signs that mean the other side where traffic keeps left.
var leftHanded = map[mainType]mainType{
	osi3.TrafficSign_MainSign_Classification_TYPE_NO_U_TURN_LEFT: osi3.
		TrafficSign_MainSign_Classification_TYPE_NO_U_TURN_RIGHT,
	osi3.TrafficSign_MainSign_Classification_TYPE_EMERGENCY_STOPPING_RIGHT: osi3.
		TrafficSign_MainSign_Classification_TYPE_EMERGENCY_STOPPING_LEFT,
}

// mainSignOn is mainSign for a sign at a road, whose traffic may keep left.
func mainSignOn(r *opendrive.Road, g *opendrive.Signal) mainType {
	kind := mainSign(g)
	if other, ok := leftHanded[kind]; ok && r.LeftHand {
		return other
	}
	return kind
}

// mainSign returns the type of a sign, or TYPE_OTHER if OSI has no name for the sign.
func mainSign(g *opendrive.Signal) mainType {
	if t, ok := mainTypes["TYPE_"+g.MainSign()]; ok {
		return mainType(t)
	}
	return osi3.TrafficSign_MainSign_Classification_TYPE_OTHER
}

// supplementarySign returns the type of a sign that belongs to another one; ok is false for main
// signs.
func supplementarySign(g *opendrive.Signal) (t addType, ok bool) {
	name := g.SupplementarySign()
	return addType(addTypes["TYPE_"+name]), name != ""
}

// speedSigns is the set of signs that state a speed.
var speedSigns = map[mainType]bool{
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_BEGIN:          true,
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_END:            true,
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_ZONE_BEGIN:     true,
	osi3.TrafficSign_MainSign_Classification_TYPE_SPEED_LIMIT_ZONE_END:       true,
	osi3.TrafficSign_MainSign_Classification_TYPE_MINIMUM_SPEED_BEGIN:        true,
	osi3.TrafficSign_MainSign_Classification_TYPE_MINIMUM_SPEED_END:          true,
	osi3.TrafficSign_MainSign_Classification_TYPE_ADVISORY_SPEED_LIMIT_BEGIN: true,
	osi3.TrafficSign_MainSign_Classification_TYPE_ADVISORY_SPEED_LIMIT_END:   true,
}

// signValue returns the number that a sign shows; nil if it shows none. The speed of a sign without
// a value is in its subtype, as in 274-50: in km/h or, in the United States, in mph. In catalogues
// before 2017, 274-51 to 274-59 count upwards from 10 km/h.
func signValue(g *opendrive.Signal, t mainType) *osi3.TrafficSignValue {
	value, unit := g.Value, g.Unit
	speed := speedSigns[t]
	if !g.HasValue || speed && value <= 0 {
		if !speed {
			return nil
		}
		kind, digits := g.Code()
		if _, after, parted := strings.Cut(kind, "-"); parted {
			digits = after
		}
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n <= 0 || n > 200:
			return nil
		case n > 50 && n < 60:
			n = (n - 50) * 10
		}
		value = float64(n)
	}
	if unit == "" && speed {
		unit = "km/h"
		if strings.HasPrefix(strings.ToLower(g.Country), "us") {
			unit = "mph"
		}
	}
	return &osi3.TrafficSignValue{Value: proto.Float64(value), ValueUnit: signUnit(unit).Enum(),
		Text: optional(g.Text)}
}

// attach assigns supplementary signs to the main signs next to them: within 1 m along the road and
// 1 m across it, for the same traffic. A supplementary sign without a main sign stays separate.
func attach(list []*opendrive.Signal) (main []*opendrive.Signal,
	belonging map[*opendrive.Signal][]*opendrive.Signal) {
	const near = 1.0
	belonging = map[*opendrive.Signal][]*opendrive.Signal{}
	for _, g := range list {
		if _, is := supplementarySign(g); !is {
			main = append(main, g)
		}
	}
	for _, g := range list {
		if _, is := supplementarySign(g); !is {
			continue
		}
		var best *opendrive.Signal
		distance := 2 * near
		for _, m := range main {
			ds, dt := abs(m.S-g.S), abs(m.T-g.T)
			_, alone := supplementarySign(m)
			if _, paint := signalPaint(m); alone || paint || ds > near || dt > near ||
				m.Orientation != g.Orientation || m.Dynamic {
				continue
			}
			if ds+dt < distance {
				best, distance = m, ds+dt
			}
		}
		if best == nil {
			main = append(main, g)
		} else {
			belonging[best] = append(belonging[best], g)
		}
	}
	return main, belonging
}

func abs(x float64) float64 { return max(x, -x) }
