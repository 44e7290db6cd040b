//go:build !(linux && cgo)

package worker

// The operations; worker.h explains them.
const (
	Load Operation = 1 + iota
	Instantiate
	Configure
	Set
	Get
	Exchange
	Initialize
	LeaveInitialization
	Step
	Event
	Terminate
	Reset
	Free
	SaveState
	RestoreState
	ForgetState
	SerializeState
	DeserializeState
	SetLogging
	EnterEvent
	Update
	EnterStep
	Preload
)
