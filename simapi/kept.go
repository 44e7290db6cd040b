package simapi

import (
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Limits of what parties can make a server keep.
const (
	mostKept    = 512 << 20 // estimated bytes of the actors of a simulation and their moves
	actorCost   = 4 << 10   // bytes of an actor, in addition to its description
	pointCost   = 128       // bytes of a point of a trajectory, or of a set of controls
	paramCost   = 256       // bytes of a parameter of an actor, in addition to its texts
	mostGiven   = LargestFrame
	mostNotices = 10_000 // events of the server itself that wait for the next step
)

// kept estimates the memory for the actors of a simulation.
type kept struct{ bytes int }

// plan is a part of an actor's future moves.
type plan struct {
	start, end timebase.Time
	bytes      int
}

// admit counts data that is about to be kept.
func (k *kept) admit(place string, bytes int) error {
	if k.bytes+bytes > mostKept {
		return fault.New(Code_INVALID, fault.At(place),
			fmt.Sprintf("more than %d MB for the actors of a simulation and their moves",
				mostKept>>20), "fewer actors, shorter trajectories, or fewer parameters")
	}
	k.bytes += bytes
	return nil
}

// costOf returns the memory that an actor takes. It notes that of each parameter, which
// set_actor_params may replace.
func (a *actor) costOf(r *CreateActor) int {
	parameters := r.GetDescription().GetAdditionalProperty()
	cost := actorCost + 4*(proto.Size(r)-sizeOf(parameters))
	for _, p := range parameters { // also those of the same name
		cost += paramCostOf(p)
	}
	a.params, _ = a.paramsWith(parameters)
	return cost
}

// paramsWith returns the memory of each of some parameters, and how much more the actor takes with
// them. Values that it already has are replaced.
func (a *actor) paramsWith(list []*Property) (fresh map[string]int, more int) {
	fresh = make(map[string]int, len(list))
	for _, p := range list {
		cost := paramCostOf(p)
		before, again := fresh[p.GetName()]
		if !again {
			before = a.params[p.GetName()]
		}
		fresh[p.GetName()] = cost
		more += cost - before
	}
	return fresh, more
}

func paramCostOf(p *Property) int { return paramCost + 2*(len(p.GetName())+len(p.GetValue())) }

// left returns what remains of a plan when a new move begins at a time: nothing of moves in the
// past, and of others the part before the new move.
func (p plan) left(now, start timebase.Time) plan {
	switch {
	case p.end < now || p.start >= start:
		return plan{}
	case p.end > start:
		share := (start - p.start).Seconds() / (p.end - p.start).Seconds()
		return plan{p.start, start, int(share * float64(p.bytes))}
	}
	return p
}

// planned counts the points of a move. It returns a function that must be called if the simulator
// refuses the move, whose actor keeps its former moves.
func (k *kept) planned(a *actor, now timebase.Time, fresh plan) (undo func(), err error) {
	former, change := a.plans, fresh.bytes
	var plans []plan
	for _, p := range former {
		left := p.left(now, fresh.start)
		change += left.bytes - p.bytes
		if left.bytes > 0 {
			plans = append(plans, left)
		}
	}
	if err := k.admit("actor_id", change); err != nil {
		return nil, err
	}
	plans = append(plans, fresh)
	a.plans = plans
	return func() {
		a.plans = former
		k.bytes -= change
	}, nil
}

// planOf returns the part of an actor's future that a move describes.
func planOf(request proto.Message) plan {
	const never = timebase.Time(math.MaxInt64)
	switch r := request.(type) {
	case *SetXyTrajectory:
		start, _ := FromMs(r.GetStartTimeMs())
		end, _ := FromMs(r.GetEndTimeMs())
		return plan{start, end, len(r.GetPolyline()) * pointCost}
	case *SetDynamicMove: // the last controls stay in effect
		return plan{0, never, len(r.GetControls()) * pointCost}
	default:
		return plan{0, never, 4 * proto.Size(request)}
	}
}

// forget gives back the memory of an actor that is destroyed. Its name stays known.
func (k *kept) forget(a *actor) {
	k.bytes -= a.cost - len(a.id)
	for _, p := range a.plans {
		k.bytes -= p.bytes
	}
}

// tooLongName returns the error for a name that is too long.
func tooLongName(place fault.Place, name string) error {
	return fault.New(Code_INVALID, place, fmt.Sprintf("a name of %d bytes, %s...", len(name),
		strconv.Quote(name[:32])), fmt.Sprintf("at most %d", longestName))
}

// sizeOf returns the encoded size of properties.
func sizeOf(list []*Property) (bytes int) {
	for _, p := range list {
		bytes += proto.Size(p)
	}
	return bytes
}
