package simapi

import (
	"google.golang.org/protobuf/proto"
)

// State is the state of a party. The calls from init to launch_simulator, and the calls that end
// them, affect all parties of a server together; each party starts and steps on its own.
type State uint8

// The states.
const (
	Nowhere     State = iota
	Connected         // C: has said hello
	Initialised       // I: the map is loaded
	Launched          // L: actors can be created
	Starting          // S: between start_simulation and the end of wait_start_simulation
	Running           // R: between steps
	Stepping          // P: between start_step and the end of wait_step
)

var stateNames = [...]string{"nowhere", "connected", "initialised", "launched", "starting",
	"running", "stepping"}

// String returns the name of the state.
func (s State) String() string { return stateNames[s] }

// roles is a set of Role.
type roles uint8

func of(list ...Role) (r roles) {
	for _, role := range list {
		r |= 1 << role
	}
	return r
}

var (
	director = of(Role_SSP)
	vehicle  = of(Role_SSP, Role_DSP)
	everyone = of(Role_SSP, Role_DSP, Role_OBSERVER)
)

// Short names for the table.
const (
	no  = Nowhere
	toI = Initialised
	toL = Launched
	toS = Starting
	toR = Running
	toP = Stepping
)

// cells has an entry for each of the states Connected to Stepping: the state after the call, or
// Nowhere if the call is not legal.
type cells [6]State

// rule is a row of the table of legal calls.
type rule struct {
	by      roles
	cells   cells
	request proto.Message
	reply   proto.Message
}

// empty is the reply to calls without results.
var empty proto.Message = &Empty{}

// table shows the order of calls on one screen: who may make a call, and to which state the call
// leads from each of the six states.
var table = [...]rule{
	// to the state          \ from        C    I    L    S    R    P
	Method_INIT: {director, cells{toI, no, no, no, no, no}, &Init{},
		&InitReply{}},
	Method_LAUNCH_SIMULATOR: {director, cells{no, toL, no, no, no, no}, &LaunchSimulator{},
		empty},
	Method_TERMINATE_SIMULATOR: {director, cells{no, no, toI, no, toI, no},
		&TerminateSimulator{}, empty},
	Method_START_SIMULATION: {vehicle, cells{no, no, toS, no, no, no}, &StartSimulation{},
		empty},
	Method_WAIT_START_SIMULATION: {vehicle, cells{no, no, no, toR, no, no},
		&WaitStartSimulation{}, empty},
	Method_END_SIMULATION: {director, cells{no, no, no, toL, toL, no}, &EndSimulation{},
		&Report{}},
	Method_START_STEP: {vehicle, cells{no, no, no, no, toP, no}, &StartStep{}, empty},
	Method_WAIT_STEP: {vehicle, cells{no, no, no, no, no, toR}, &WaitStep{},
		&WaitStepReply{}},
	Method_GET_ACTORS_STATES: {everyone, cells{no, no, toL, no, toR, no}, &GetActorsStates{},
		&GetActorsStatesReply{}},
	Method_CREATE_ACTOR: {director, cells{no, no, toL, no, toR, no}, &CreateActor{},
		&CreateActorReply{}},
	Method_SET_ACTOR_PARAMS: {director, cells{no, no, toL, no, toR, no}, &SetActorParams{},
		empty},
	Method_DESTROY_ACTOR: {director, cells{no, no, toL, no, toR, no}, &DestroyActor{},
		empty},
	Method_SET_WEATHER: {director, cells{no, no, toL, no, toR, no}, &SetWeather{},
		empty},
	Method_SET_TIME_OF_DAY: {director, cells{no, no, toL, no, toR, no}, &SetTimeOfDay{},
		empty},
	Method_SIM_COMMAND: {director, cells{no, no, toL, toS, toR, toP}, &SimCommand{},
		&SimCommandReply{}},
	Method_SET_XY_TRAJECTORY: {director, cells{no, no, toL, no, toR, no}, &SetXyTrajectory{},
		empty},
	Method_SET_DYNAMIC_MOVE: {vehicle, cells{no, no, toL, no, toR, no}, &SetDynamicMove{},
		empty},
	Method_SET_EXTERNAL_CONTROLLER: {director, cells{no, no, toL, no, toR, no},
		&SetExternalController{}, empty},
	Method_SET_ACTOR_STATE: {director, cells{no, no, toL, no, toR, no}, &SetActorState{},
		empty},
	Method_GET_GROUND_TRUTH: {everyone, cells{no, no, toL, no, toR, no}, &GetGroundTruth{},
		&GetGroundTruthReply{}},
	Method_STEP: {vehicle, cells{no, no, no, no, toR, no}, &Step{}, &StepReply{}},
	Method_SET_EGO_DESTINATION: {vehicle, cells{no, no, toL, no, toR, no}, &SetEgoDestination{},
		empty},
	Method_SET_EGO_CONTROL: {vehicle, cells{no, no, toL, no, toR, no}, &SetEgoControl{},
		empty},
	Method_GET_EGO_INFO: {vehicle, cells{no, no, toL, no, toR, no}, &GetEgoInfo{},
		&GetEgoInfoReply{}},
	Method_EGO_COMMAND: {vehicle, cells{no, no, toL, no, toR, no}, &EgoCommand{},
		&EgoCommandReply{}},
	Method_SEND_MESSAGES: {vehicle, cells{no, no, toL, toS, toR, toP}, &SendMessages{},
		empty},
	Method_GET_MESSAGES: {everyone, cells{no, no, toL, toS, toR, toP}, &GetMessages{},
		&GetMessagesReply{}},
}

// Methods lists the methods of the table in the order of their numbers.
func Methods() (list []Method) {
	for m := range table {
		if table[m].request != nil {
			list = append(list, Method(m))
		}
	}
	return list
}

// known reports whether the method has a row in the table.
func (x Method) known() bool { return x >= 0 && int(x) < len(table) && table[x].request != nil }

// After returns the state after a call, and whether the call is legal in state s.
func (x Method) After(s State) (after State, legal bool) {
	if s < Connected || s > Stepping || !x.known() {
		return Nowhere, false
	}
	after = table[x].cells[s-Connected]
	return after, after != Nowhere
}
