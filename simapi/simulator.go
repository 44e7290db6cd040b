package simapi

import (
	"context"

	"gosmp/timebase"
)

// Simulator is implemented by the vendor of a simulator. A [Server] calls one method at a time, in
// this order:
//
//  1. Init, once.
//  2. LaunchSimulator; from here on actors can be created, and the calls about actors, weather and
//     commands can come at any time except during Step.
//  3. StartSimulation, which returns at once, then WaitStartSimulation.
//  4. Step, repeatedly; each step starts where the previous one ended.
//  5. EndSimulation, after which there are no actors and time is 0; then step 3 again, or
//  6. TerminateSimulator, when all actors have been destroyed; then step 2 again.
//
// Requests belong to the caller, so a method must copy anything it needs later. Fields are already
// checked: identities exist or are new, numbers are finite, and angles and pedals are within their
// limits. An error from Step ends the simulation, and only EndSimulation and TerminateSimulator
// follow; an error from another method changes nothing. Errors that wrap a [Code] keep it; all
// others become [Code_INTERNAL]. The context ends when the server is closed, when the director is
// gone, or when a bounded wait ends.
type Simulator interface {
	// Init loads the map and returns the simulator's own step. The server refuses steps that do not
	// divide the director's.
	Init(ctx context.Context, r *Init) (*InitReply, error)
	LaunchSimulator(ctx context.Context) error
	TerminateSimulator(ctx context.Context) error
	// CreateActor returns the description with the actual sizes; nil means the description in the
	// request.
	CreateActor(ctx context.Context, r *CreateActor) (*ActorDescription, error)
	SetActorParams(ctx context.Context, r *SetActorParams) error
	DestroyActor(ctx context.Context, id string) error
	SetWeather(ctx context.Context, r *SetWeather) error
	SetTimeOfDay(ctx context.Context, r *SetTimeOfDay) error
	SimCommand(ctx context.Context, r *SimCommand) ([]*Property, error)
	// The three kinds of move. The last call applies, starting from the current state of the actor.
	SetXYTrajectory(ctx context.Context, r *SetXyTrajectory) error
	SetDynamicMove(ctx context.Context, r *SetDynamicMove) error
	SetExternalController(ctx context.Context, r *SetExternalController) error
	// ActorsStates returns the states of all actors, in the order of creation. They are valid until
	// the next call of any method. Values unknown to the simulator stay unset, and the server
	// estimates them.
	ActorsStates(ctx context.Context) ([]*ActorState, error)
	// StartSimulation starts the slow work and returns; WaitStartSimulation returns when the
	// simulator is ready.
	StartSimulation(ctx context.Context, r *StartSimulation) error
	WaitStartSimulation(ctx context.Context) error
	// Step performs one step of the simulator, and returns the events in it.
	Step(ctx context.Context, s timebase.Span) ([]*Event, error)
	// EndSimulation returns properties for the report, in addition to those from the director.
	EndSimulation(ctx context.Context, r *EndSimulation) ([]*Property, error)
}

// SUT is implemented by the vendor of a system under test. The same rules as for [Simulator] apply.
// StartSimulation comes before the simulator's StartSimulation. Step comes after the simulator's
// steps, once for each step of the director. EndSimulation comes before the simulator's
// EndSimulation.
type SUT interface {
	Init(ctx context.Context, r *Init) error
	StartSimulation(ctx context.Context, r *StartSimulation) error
	// WaitStartSimulation returns when the system is ready.
	WaitStartSimulation(ctx context.Context) error
	// Step receives the states of all actors at the end of the span. They are valid until it
	// returns.
	Step(ctx context.Context, s timebase.Span, states []*ActorState) ([]*Event, error)
	EndSimulation(ctx context.Context, r *EndSimulation) ([]*Property, error)
	// SetEgoDestination comes at most once in a simulation.
	SetEgoDestination(ctx context.Context, r *SetEgoDestination) error
	// Override may change the controls of an ego vehicle before the simulator receives them.
	Override(ctx context.Context, r *SetDynamicMove) error
	EgoInfo(ctx context.Context, actor string) ([]*Property, error)
	EgoCommand(ctx context.Context, r *EgoCommand) ([]*Property, error)
	// SendMessages passes messages from the director to the system. Messages returns messages from
	// the system to the director, oldest first.
	SendMessages(ctx context.Context, list []*Message) error
	Messages(ctx context.Context) (list []*Message, dropped uint64, err error)
}

// Ground can be implemented by a simulator with a map. It provides missing heights and angles of
// actors.
type Ground interface {
	// At returns the height of the road under a point, and the inclination of a body with this yaw
	// on it: pitch is positive if the nose is down, and roll is positive if the left side is up.
	// near is the id of the actor, for simulators that remember its last road.
	At(x, y, yaw float64, near string) (z, pitch, roll float64, ok bool)
	// Lane returns the direction of travel on the lane at a point.
	Lane(x, y float64) (yaw float64, ok bool)
}

// Populated can be implemented by a simulator that creates its own actors, such as traffic.
type Populated interface {
	// OwnStates returns their states, each with a description, in the order in which they appeared.
	// They are valid until the next call of any method.
	OwnStates(ctx context.Context) ([]*ActorState, error)
}

// Yielder can be implemented by a simulator that gives its own actors to a director: a director
// that creates an actor with the name of such an actor takes it over in its current state, and
// returns it by destroying it.
type Yielder interface {
	Yields(id string) bool
}

// Placer can be implemented by a simulator in which a director may move actors itself.
type Placer interface {
	// SetActorState sets the position and motion of an actor at the end of the director's next
	// step. It replaces any other kind of move.
	SetActorState(ctx context.Context, r *SetActorState) error
}

// Witness can be implemented by a simulator that describes its world in OSI messages.
type Witness interface {
	GroundTruth(ctx context.Context, r *GetGroundTruth) (*GetGroundTruthReply, error)
}

// Noter can be implemented by a simulator that reports remarks on successful calls, such as an
// unknown parameter or an unavailable size.
type Noter interface {
	// Notes returns notes about the last call.
	Notes() []string
}

// Base can be embedded by simulators: it declines the optional calls, and does nothing in calls
// that may require no action. The vendor implements Init, CreateActor, DestroyActor, ActorsStates
// and Step.
type Base struct{}

// LaunchSimulator does nothing.
func (Base) LaunchSimulator(context.Context) error { return nil }

// TerminateSimulator does nothing.
func (Base) TerminateSimulator(context.Context) error { return nil }

// SetActorParams is declined.
func (Base) SetActorParams(context.Context, *SetActorParams) error { return Code_NOT_SUPPORTED }

// SetWeather is declined.
func (Base) SetWeather(context.Context, *SetWeather) error { return Code_NOT_SUPPORTED }

// SetTimeOfDay is declined.
func (Base) SetTimeOfDay(context.Context, *SetTimeOfDay) error { return Code_NOT_SUPPORTED }

// SimCommand is declined.
func (Base) SimCommand(context.Context, *SimCommand) ([]*Property, error) {
	return nil, Code_NOT_SUPPORTED
}

// SetXYTrajectory is declined.
func (Base) SetXYTrajectory(context.Context, *SetXyTrajectory) error { return Code_NOT_SUPPORTED }

// SetDynamicMove is declined.
func (Base) SetDynamicMove(context.Context, *SetDynamicMove) error { return Code_NOT_SUPPORTED }

// SetExternalController is declined.
func (Base) SetExternalController(context.Context, *SetExternalController) error {
	return Code_NOT_SUPPORTED
}

// StartSimulation has nothing to do.
func (Base) StartSimulation(context.Context, *StartSimulation) error { return nil }

// WaitStartSimulation has nothing to wait for.
func (Base) WaitStartSimulation(context.Context) error { return nil }

// EndSimulation has nothing to add to the report.
func (Base) EndSimulation(context.Context, *EndSimulation) ([]*Property, error) { return nil, nil }

// BaseSUT can be embedded by systems under test: it declines commands and messages, and does
// nothing in a step.
type BaseSUT struct{}

// Init does nothing.
func (BaseSUT) Init(context.Context, *Init) error { return nil }

// StartSimulation has nothing to do.
func (BaseSUT) StartSimulation(context.Context, *StartSimulation) error { return nil }

// WaitStartSimulation has nothing to wait for.
func (BaseSUT) WaitStartSimulation(context.Context) error { return nil }

// Step does nothing.
func (BaseSUT) Step(context.Context, timebase.Span, []*ActorState) ([]*Event, error) {
	return nil, nil
}

// EndSimulation has nothing to add to the report.
func (BaseSUT) EndSimulation(context.Context, *EndSimulation) ([]*Property, error) {
	return nil, nil
}

// SetEgoDestination is declined.
func (BaseSUT) SetEgoDestination(context.Context, *SetEgoDestination) error {
	return Code_NOT_SUPPORTED
}

// Override changes nothing.
func (BaseSUT) Override(context.Context, *SetDynamicMove) error { return nil }

// EgoInfo has nothing to report.
func (BaseSUT) EgoInfo(context.Context, string) ([]*Property, error) { return nil, nil }

// EgoCommand is declined.
func (BaseSUT) EgoCommand(context.Context, *EgoCommand) ([]*Property, error) {
	return nil, Code_NOT_SUPPORTED
}

// SendMessages is declined.
func (BaseSUT) SendMessages(context.Context, []*Message) error { return Code_NOT_SUPPORTED }

// Messages returns no messages.
func (BaseSUT) Messages(context.Context) ([]*Message, uint64, error) { return nil, 0, nil }
