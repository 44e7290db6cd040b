package check

// Mistake is something that integrators get wrong.
type Mistake struct{ ID, What, Remedy string }

// Mistakes lists what the check finds.
var Mistakes = []Mistake{
	{"SA01", "get_actors_states is answered for some actors only", "answer with the states of all actors when no id is given"},
	{"SA02", "requested_sim_time_ms is ignored", "make as many steps as the requested time needs"},
	{"SA03", "one trajectory point for each query, not for each time", "choose the point of a trajectory by the time of the step"},
	{"SA04", "start_step or start_simulation blocks", "answer at once, and do the waiting in wait_step and wait_start_simulation"},
	{"SA05", "a wait has no end, or does not say who is late", "end a wait after max_wait_ms with TIMEOUT and the late parties"},
	{"SA06", "the director's step is not a multiple of the simulator's", "refuse init with STEP_RATIO"},
	{"SA07", "the state moves without a step", "keep the state unchanged between steps, even while real time passes"},
	{"SA08", "degrees for radians, or another zero of yaw", "angles are in rad; yaw is 0 along x"},
	{"SA09", "a left-handed frame", "x east, y north, z up; yaw is counter-clockwise"},
	{"SA10", "cm, mm or km/h", "lengths are in m, speeds in m/s"},
	{"SA11", "another reference point", "positions are those of the middle of the bounding box"},
	{"SA12", "z is not the ground under the actor", "project the middle of the box onto the ground, also on hills"},
	{"SA13", "speeds in the axes of the body", "turn speeds into the axes of the world"},
	{"SA14", "another map, or its offset is applied", "use the coordinates of the map as they are"},
	{"SA15", "states without x or y, NaN, speeds without x or y", "leave out what is not known, but never x and y"},
	{"SA16", "actors that do not exist or exist already are accepted", "answer UNKNOWN_ACTOR or DUPLICATE"},
	{"SA17", "times in s or us, an end before the start", "times are in ms; refuse a trajectory that ends before it starts"},
	{"SA18", "a trajectory that is short or late", "refuse what lies in the past, and hold the last point"},
	{"SA19", "jumps", "move actors from where they are"},
	{"SA20", "two kinds of move at once are silently accepted", "report an event that names both"},
	{"SA21", "a second destination is accepted", "answer INVALID until the simulation has ended"},
	{"SA22", "calls out of order are accepted", "answer WRONG_STATE, and change nothing"},
	{"SA23", "sizes of 0, or pedals beyond 0 to 1", "choose a size of your own for 0; answer INVALID for the rest"},
	{"SA24", "ids are used again, or change their order", "answer in the order of creation, and never use an id again"},
	{"SA25", "the same seed gives another result", "draw all that is random from the seed of init"},
	{"SA26", "the simulator crashes", "read its log"},
	{"SA27", "lengths of frames are little-endian", "write the length of a frame with its highest byte first"},
	{"SA28", "messages that cannot be decoded", "encode messages as CDR: header, alignment, strings with NUL"},
}
