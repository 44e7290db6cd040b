package simapi

import "context"

// Init loads the map and determines the steps. It must be the first call.
func (c *Client) Init(ctx context.Context, r *Init) (*InitReply, error) {
	return ask[*InitReply](ctx, c, Method_INIT, r)
}

// LaunchSimulator prepares the simulator for actors.
func (c *Client) LaunchSimulator(ctx context.Context) error {
	return do(ctx, c, Method_LAUNCH_SIMULATOR, &LaunchSimulator{})
}

// TerminateSimulator undoes launch_simulator.
func (c *Client) TerminateSimulator(ctx context.Context) error {
	return do(ctx, c, Method_TERMINATE_SIMULATOR, &TerminateSimulator{})
}

// StartSimulation initiates the start and returns at once.
func (c *Client) StartSimulation(ctx context.Context, r *StartSimulation) error {
	return do(ctx, c, Method_START_SIMULATION, r)
}

// WaitStartSimulation returns when the simulation is ready for steps.
func (c *Client) WaitStartSimulation(ctx context.Context, r *WaitStartSimulation) error {
	return do(ctx, c, Method_WAIT_START_SIMULATION, r)
}

// EndSimulation ends the simulation. Afterwards there are no actors, and time is 0.
func (c *Client) EndSimulation(ctx context.Context, r *EndSimulation) (*Report, error) {
	return ask[*Report](ctx, c, Method_END_SIMULATION, r)
}

// StartStep starts a step and returns at once.
func (c *Client) StartStep(ctx context.Context, r *StartStep) error {
	return do(ctx, c, Method_START_STEP, r)
}

// WaitStep returns when the step is complete.
func (c *Client) WaitStep(ctx context.Context, r *WaitStep) (*WaitStepReply, error) {
	return ask[*WaitStepReply](ctx, c, Method_WAIT_STEP, r)
}

// GetActorsStates returns states in the order of creation.
func (c *Client) GetActorsStates(ctx context.Context, r *GetActorsStates) (*GetActorsStatesReply,
	error) {
	return ask[*GetActorsStatesReply](ctx, c, Method_GET_ACTORS_STATES, r)
}

// CreateActor creates an actor.
func (c *Client) CreateActor(ctx context.Context, r *CreateActor) (*CreateActorReply, error) {
	return ask[*CreateActorReply](ctx, c, Method_CREATE_ACTOR, r)
}

// SetActorParams sets parameters that the simulator defines.
func (c *Client) SetActorParams(ctx context.Context, r *SetActorParams) error {
	return do(ctx, c, Method_SET_ACTOR_PARAMS, r)
}

// DestroyActor removes an actor.
func (c *Client) DestroyActor(ctx context.Context, r *DestroyActor) error {
	return do(ctx, c, Method_DESTROY_ACTOR, r)
}

// SetWeather changes the weather.
func (c *Client) SetWeather(ctx context.Context, r *SetWeather) error {
	return do(ctx, c, Method_SET_WEATHER, r)
}

// SetTimeOfDay changes the time of day.
func (c *Client) SetTimeOfDay(ctx context.Context, r *SetTimeOfDay) error {
	return do(ctx, c, Method_SET_TIME_OF_DAY, r)
}

// SimCommand executes a command defined by the simulator.
func (c *Client) SimCommand(ctx context.Context, r *SimCommand) (*SimCommandReply, error) {
	return ask[*SimCommandReply](ctx, c, Method_SIM_COMMAND, r)
}

// SetXYTrajectory makes an actor follow the points of a trajectory.
func (c *Client) SetXYTrajectory(ctx context.Context, r *SetXyTrajectory) error {
	return do(ctx, c, Method_SET_XY_TRAJECTORY, r)
}

// SetDynamicMove makes an actor follow pedals and steering.
func (c *Client) SetDynamicMove(ctx context.Context, r *SetDynamicMove) error {
	return do(ctx, c, Method_SET_DYNAMIC_MOVE, r)
}

// SetExternalController lets the simulator control an actor.
func (c *Client) SetExternalController(ctx context.Context, r *SetExternalController) error {
	return do(ctx, c, Method_SET_EXTERNAL_CONTROLLER, r)
}

// SetEgoDestination gives the system under test its destination, once in a simulation.
func (c *Client) SetEgoDestination(ctx context.Context, r *SetEgoDestination) error {
	return do(ctx, c, Method_SET_EGO_DESTINATION, r)
}

// SetEgoControl is deprecated; see SetDynamicMove.
func (c *Client) SetEgoControl(ctx context.Context, r *SetEgoControl) error {
	return do(ctx, c, Method_SET_EGO_CONTROL, r)
}

// GetEgoInfo returns the system under test's report about itself.
func (c *Client) GetEgoInfo(ctx context.Context, r *GetEgoInfo) (*GetEgoInfoReply, error) {
	return ask[*GetEgoInfoReply](ctx, c, Method_GET_EGO_INFO, r)
}

// EgoCommand executes a command defined by the system under test.
func (c *Client) EgoCommand(ctx context.Context, r *EgoCommand) (*EgoCommandReply, error) {
	return ask[*EgoCommandReply](ctx, c, Method_EGO_COMMAND, r)
}

// SendMessages sends messages to the system under test.
func (c *Client) SendMessages(ctx context.Context, r *SendMessages) error {
	return do(ctx, c, Method_SEND_MESSAGES, r)
}

// GetMessages fetches messages from the system under test, oldest first.
func (c *Client) GetMessages(ctx context.Context, r *GetMessages) (*GetMessagesReply, error) {
	return ask[*GetMessagesReply](ctx, c, Method_GET_MESSAGES, r)
}

// Step performs a step: start_step, wait_step and, with States, get_actors_states in one call.
func (c *Client) Step(ctx context.Context, r *Step) (*StepReply, error) {
	return ask[*StepReply](ctx, c, Method_STEP, r)
}

// SetActorState sets the state of an actor at the end of the next step.
func (c *Client) SetActorState(ctx context.Context, r *SetActorState) error {
	return do(ctx, c, Method_SET_ACTOR_STATE, r)
}

// GroundTruth requests an OSI GroundTruth.
func (c *Client) GroundTruth(ctx context.Context, r *GetGroundTruth) (*GetGroundTruthReply, error) {
	return ask[*GetGroundTruthReply](ctx, c, Method_GET_GROUND_TRUTH, r)
}
