package probe

import (
	"encoding/binary"
	"math"
)

// Update is an intermediate update in a step of an instance for which [Updates] was given before
// its instantiation: with value references, of which the first Values are outputs to read and the
// others inputs that receive the numbers in Data. If X[0] is not 0, each update requests an early
// return X[1] seconds later. All variables are of the type Float64.
type Update struct {
	Time               float64
	Set, Get, Finished int // arguments of the callback: 0 or 1, unless the FMU passes other values
	CanReturn          int
	Requested          bool // an early return
	Got, Given         int  // statuses of reading and setting; StatusNotRun without
}

// sizeOfUpdate is the size of pb_update.
const sizeOfUpdate = 24

// Updates returns the intermediate updates of a step of FMI 3.0.
func (r *Record) Updates() (list []Update) {
	e := binary.NativeEndian
	for rest := r.Out; len(rest) >= sizeOfUpdate; rest = rest[sizeOfUpdate:] {
		list = append(list, Update{Time: math.Float64frombits(e.Uint64(rest)),
			Set: int(rest[8]), Get: int(rest[9]), Finished: int(rest[10]),
			CanReturn: int(rest[11]), Requested: rest[12] != 0,
			Got: int(int32(e.Uint32(rest[16:]))), Given: int(int32(e.Uint32(rest[20:])))})
	}
	return list
}
