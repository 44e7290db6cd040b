package entities

import (
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/scenario"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// The OSI types for the categories of the standard.
var (
	vehicles = map[string]osi3.MovingObject_VehicleClassification_Type{
		"car":         osi3.MovingObject_VehicleClassification_TYPE_MEDIUM_CAR,
		"van":         osi3.MovingObject_VehicleClassification_TYPE_DELIVERY_VAN,
		"truck":       osi3.MovingObject_VehicleClassification_TYPE_HEAVY_TRUCK,
		"trailer":     osi3.MovingObject_VehicleClassification_TYPE_TRAILER,
		"semitrailer": osi3.MovingObject_VehicleClassification_TYPE_SEMITRAILER,
		"bus":         osi3.MovingObject_VehicleClassification_TYPE_BUS,
		"train":       osi3.MovingObject_VehicleClassification_TYPE_TRAIN,
		"tram":        osi3.MovingObject_VehicleClassification_TYPE_TRAM,
		"motorbike":   osi3.MovingObject_VehicleClassification_TYPE_MOTORBIKE,
		"bicycle":     osi3.MovingObject_VehicleClassification_TYPE_BICYCLE,
		"wheelchair":  osi3.MovingObject_VehicleClassification_TYPE_WHEELCHAIR,
	}
	roles = map[string]osi3.MovingObject_VehicleClassification_Role{
		"ambulance":         osi3.MovingObject_VehicleClassification_ROLE_AMBULANCE,
		"civil":             osi3.MovingObject_VehicleClassification_ROLE_CIVIL,
		"fire":              osi3.MovingObject_VehicleClassification_ROLE_FIRE,
		"garbageCollection": osi3.MovingObject_VehicleClassification_ROLE_GARBAGE_COLLECTION,
		"military":          osi3.MovingObject_VehicleClassification_ROLE_MILITARY,
		"none":              osi3.MovingObject_VehicleClassification_ROLE_CIVIL,
		"other":             osi3.MovingObject_VehicleClassification_ROLE_OTHER,
		"police":            osi3.MovingObject_VehicleClassification_ROLE_POLICE,
		"publicTransport":   osi3.MovingObject_VehicleClassification_ROLE_PUBLIC_TRANSPORT,
		"roadAssistance":    osi3.MovingObject_VehicleClassification_ROLE_ROAD_ASSISTANCE,
		"roadConstruction":  osi3.MovingObject_VehicleClassification_ROLE_ROAD_CONSTRUCTION,
	}
	stationary = map[string]osi3.StationaryObject_Classification_Type{
		"barrier":       osi3.StationaryObject_Classification_TYPE_BARRIER,
		"building":      osi3.StationaryObject_Classification_TYPE_BUILDING,
		"gantry":        osi3.StationaryObject_Classification_TYPE_OVERHEAD_STRUCTURE,
		"pole":          osi3.StationaryObject_Classification_TYPE_POLE,
		"railing":       osi3.StationaryObject_Classification_TYPE_BARRIER,
		"soundBarrier":  osi3.StationaryObject_Classification_TYPE_WALL,
		"streetLamp":    osi3.StationaryObject_Classification_TYPE_POLE,
		"trafficIsland": osi3.StationaryObject_Classification_TYPE_CURBSTONE,
		"tree":          osi3.StationaryObject_Classification_TYPE_TREE,
		"vegetation":    osi3.StationaryObject_Classification_TYPE_VEGETATION,
	}
)

// appearance returns how a body looks in messages.
func (b *body) appearance(x *scenario.Element) *truth.Look {
	l := &truth.Look{Stationary: stationary[b.category]}
	if b.category == "wheelchair" {
		l.Type = osi3.MovingObject_TYPE_VEHICLE
	}
	l.Vehicle, l.Role = vehicles[b.category], roles[x.Value("role")]
	axles := x.Child("Axles")
	if axles == nil {
		return l
	}
	l.Rear = position.Number(axles.Child("RearAxle"), "positionX", 0) - b.center.X
	l.Front = position.Number(axles.Child("FrontAxle"), "positionX", b.shape.Wheelbase) - b.center.X
	for _, a := range axles.Children {
		if position.Number(a, "trackWidth", 0) > 0 {
			l.Wheels += 2
		} else {
			l.Wheels++
		}
	}
	return l
}

// lamp is a light that an action has switched.
type lamp struct {
	on            bool
	period, share float64 // flashing period, s; 0: not flashing
	since         float64
}

// The lights of vehicles (VehicleLightType).
var lampNames = [...]string{"daytimeRunningLights", "lowBeam", "highBeam", "fogLights",
	"fogLightsFront", "fogLightsRear", "brakeLights", "warningLights", "indicatorLeft",
	"indicatorRight", "reversingLights", "licensePlateIllumination", "specialPurposeLights"}

// lampLights holds, for each lamp, its bit in the simulation's set of lights, or 0 if it has none.
var lampLights = [len(lampNames)]mocksim.Lights{1: mocksim.LowBeam, 2: mocksim.HighBeam,
	3: mocksim.FogFront | mocksim.FogRear, 4: mocksim.FogFront, 5: mocksim.FogRear,
	6: mocksim.BrakeLamps, 10: mocksim.ReversingLamps, 12: mocksim.Emergency}

// Numbers of lights that the simulation shows as indicators.
const (
	warning = 7
	left    = 8
	right   = 9
)

type lamps struct {
	list     [len(lampNames)]lamp
	switched bool // by any action
}

// lit reports whether a lamp is on now.
func (l *lamp) lit(now float64) bool {
	if !l.on || l.period == 0 {
		return l.on
	}
	t := now - l.since
	return t-float64(float64(int64(t/l.period))*l.period) < l.share
}

// show sets the lights of a state. The state of a blinking indicator is simply on.
func (l *lamps) show(s *mocksim.State, now float64) {
	s.Lights, s.Indicator = 0, mocksim.IndicatorOff
	if !l.switched {
		return
	}
	list := &l.list
	for k := range list {
		if list[k].on && lampLights[k] != 0 && list[k].lit(now) {
			s.Lights |= lampLights[k]
		}
	}
	switch {
	case list[warning].on || list[left].on && list[right].on:
		s.Indicator = mocksim.IndicatorWarning
	case list[left].on:
		s.Indicator = mocksim.IndicatorLeft
	case list[right].on:
		s.Indicator = mocksim.IndicatorRight
	}
}

// lightState is LightStateAction.
type lightState struct {
	common
	lamp  int
	to    lamp
	takes float64 // s
	ends  float64
	extra bool // has a color or an intensity
}

func newLightState(c common) (storyboard.Action, error) {
	a := &lightState{common: c, lamp: -1, takes: position.Number(c.e, "transitionTime", 0)}
	x := c.e.Path("LightType", "VehicleLight")
	if x == nil { // a user-defined light, which only takes the time of its transition
		return &animation{common: c, takes: a.takes, what: "a light"}, nil
	}
	for k, name := range lampNames {
		if x.Value("vehicleLightType") == name {
			a.lamp = k
		}
	}
	if a.lamp < 0 {
		return nil, fault.New(storyboard.ErrUnsupported, x.PlaceOf("vehicleLightType"),
			x.Value("vehicleLightType"), "a light of vehicles")
	}
	s := c.e.Child("LightState")
	a.to = lamp{on: s.Value("mode") != "off"}
	a.extra = s.Child("Color") != nil || s.Has("luminousIntensity")
	if s.Value("mode") == "flashing" {
		const usual = 0.5 // s
		a.to.share = position.Number(s, "flashingOnDuration", usual)
		a.to.period = a.to.share + position.Number(s, "flashingOffDuration", usual)
	}
	return a, nil
}

// Domains returns the domain of the light.
func (a *lightState) Domains() storyboard.Domain {
	return storyboard.FirstLight << a.lamp
}

// Start switches the light. The light takes its new state at the start of the transition, and the
// action lasts as long as the transition.
func (a *lightState) Start(now float64, report func(storyboard.Note)) error {
	a.w.report = report
	if a.extra {
		a.w.tell(a.b, "not shown", "the colour and intensity of a light, which are in no message")
	}
	l := a.to
	l.since = now
	a.b.lamps.list[a.lamp], a.b.lamps.switched = l, true
	a.b.lamps.show(&a.b.motion.State, now)
	a.done, a.ends = a.takes <= 0, now+a.takes
	return nil
}

// Ended reports whether the transition is over.
func (a *lightState) Ended() bool { return a.done || a.w.now >= a.ends-instant }
