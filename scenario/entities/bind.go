package entities

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/scenario"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// binding prepares one kind of action.
type binding func(c common) (storyboard.Action, error)

// bindings maps the types of actions in the grammar to their bindings. Other actions are refused.
var bindings = map[string]binding{
	"SpeedAction":                   newSpeed,
	"SpeedProfileAction":            newSpeedProfile,
	"LongitudinalDistanceAction":    newLongitudinalDistance,
	"SynchronizeAction":             newSynchronize,
	"LaneChangeAction":              newLaneChange,
	"LaneOffsetAction":              newLaneOffset,
	"LateralDistanceAction":         newLateralDistance,
	"FollowTrajectoryAction":        newFollowTrajectory,
	"AssignRouteAction":             newAssignRoute,
	"AcquirePositionAction":         newAcquirePosition,
	"RandomRouteAction":             newRandomRoute,
	"ConnectTrailerAction":          newConnectTrailer,
	"DisconnectTrailerAction":       newDisconnectTrailer,
	"TeleportAction":                newTeleport,
	"AddEntityAction":               newAddEntity,
	"DeleteEntityAction":            newDeleteEntity,
	"VisibilityAction":              newVisibility,
	"EnvironmentAction":             newEnvironment,
	"LightStateAction":              newLightState,
	"AnimationAction":               newAnimation,
	"AssignControllerAction":        newAssignController,
	"ActivateControllerAction":      newActivateController,
	"OverrideControllerValueAction": newOverride,
}

// common is the part that all actions share.
type common struct {
	w    *World
	b    *body // nil for global actions
	e    *scenario.Element
	done bool
}

// Ended reports whether the action has reached its goal.
func (c *common) Ended() bool { return c.done }

// overruled ends an action that no longer has an effect.
func (c *common) overruled() { c.done = true }

// Stop ends the action; actions that move an entity have their own Stop.
func (c *common) Stop() {}

// Domains returns no domains; actions that have some override it.
func (c *common) Domains() storyboard.Domain { return 0 }

// Bind prepares an action.
func (w *World) Bind(e *scenario.Element, actor storyboard.Entity) (storyboard.Action, error) {
	kind := e.Type
	if kind == "" {
		kind = e.Name
	}
	bind, ok := bindings[kind]
	if !ok {
		return nil, refuse(kind, e)
	}
	c := common{w: w, e: e}
	if actor != storyboard.NoEntity {
		c.b = w.bodies[actor]
	} else if kind != "EnvironmentAction" {
		return nil, fault.New(storyboard.ErrUnsupported, e.Place(), kind+" without an actor",
			"an entity")
	}
	if err := measurable(e); err != nil {
		return nil, err
	}
	a, err := bind(c)
	if err != nil {
		return nil, unsupported(err)
	}
	return a, nil
}

// farthest limits the numbers in actions and conditions: with larger ones, positions would lose
// their precision.
const farthest = 1e9

// measurable refuses infinite or absurd numbers. Limits may be infinite.
func measurable(e *scenario.Element) (err error) {
	e.Walk(func(x *scenario.Element) bool {
		for _, a := range x.Attributes {
			n := position.Number(x, a.Name, 0)
			switch limit := strings.HasPrefix(a.Name, "max"); {
			case err != nil:
			case limit && !(n >= 0):
				err = fault.New(storyboard.ErrUnsupported, x.PlaceOf(a.Name), a.Value,
					"a limit of 0 or more")
			case !limit && !(math.Abs(n) <= farthest) && scenario.IsNumber(x, a.Name):
				err = fault.New(storyboard.ErrUnsupported, x.PlaceOf(a.Name), a.Value,
					"a number of at most 1e9")
			}
		}
		return err == nil
	})
	return err
}

// other returns the entity that an attribute names.
func (c *common) other(e *scenario.Element, attribute string) (*body, error) {
	k, err := c.w.reader.Entity(e, attribute)
	if err != nil {
		return nil, err
	}
	return c.w.bodies[k], nil
}

// another is like other, but refuses the actor itself, from which it can keep no distance.
func (c *common) another(e *scenario.Element, attribute string) (*body, error) {
	o, err := c.other(e, attribute)
	if err == nil && o == c.b {
		return nil, fault.New(storyboard.ErrUnsupported, e.PlaceOf(attribute),
			"the entity itself", "another entity")
	}
	return o, err
}

// dimension describes what the value of a TransitionDynamics means.
type dimension uint8

const (
	byTime dimension = iota
	byRate
	byDistance
)

// dynamics is a TransitionDynamics.
type dynamics struct {
	shape     motion.Shape
	dimension dimension
	value     float64
}

func readDynamics(e *scenario.Element) (d dynamics, err error) {
	var ok bool
	if d.shape, ok = motion.ParseShape(e.Value("dynamicsShape")); !ok {
		return d, fault.New(storyboard.ErrUnsupported, e.PlaceOf("dynamicsShape"),
			e.Value("dynamicsShape"), "linear, cubic, sinusoidal or step")
	}
	k := slices.Index([]string{"time", "rate", "distance"}, e.Value("dynamicsDimension"))
	if k < 0 {
		return d, fault.New(storyboard.ErrUnsupported, e.PlaceOf("dynamicsDimension"),
			e.Value("dynamicsDimension"), "time, rate or distance")
	}
	d.dimension, d.value = dimension(k), position.Number(e, "value", 0)
	return d, nil
}

// duration returns how long a change takes in s or, for changes over a distance, in m.
func (d *dynamics) duration(change float64) float64 {
	switch {
	case d.shape == motion.Step || change == 0:
		return 0
	case d.dimension == byRate:
		return motion.RateDuration(d.shape, change, d.value)
	}
	return max(d.value, 0)
}

// constraints returns the limits in a DynamicConstraints; anything not stated is unlimited.
func constraints(e *scenario.Element) motion.Limits {
	l := motion.NoLimits()
	if e == nil {
		return l
	}
	read := func(name string, to *float64) { *to = position.Number(e, name, *to) }
	read("maxSpeed", &l.Speed)
	read("maxAcceleration", &l.Acceleration)
	read("maxDeceleration", &l.Deceleration)
	read("maxAccelerationRate", &l.AccelerationRate)
	read("maxDecelerationRate", &l.DecelerationRate)
	return l
}

// laneID returns the lane id in an attribute.
func laneID(e *scenario.Element, attribute string) (int, error) {
	id, err := strconv.Atoi(strings.TrimSpace(e.Value(attribute)))
	if err != nil || id == 0 {
		return 0, fault.New(storyboard.ErrUnsupported, e.PlaceOf(attribute), e.Value(attribute),
			"the id of a lane, which is not 0")
	}
	return id, nil
}
