package inputfile

import (
	"gosmp/sensor/simsensor"
)

// Inspect examines a recording.
func (in *File) Inspect(opt simsensor.Options) (*simsensor.Report, error) {
	if in.Piped {
		return simsensor.InspectBytes(in.Name, in.Bytes, opt)
	}
	return simsensor.Inspect(in.Name, opt)
}

// Play opens a recording for replay.
func (in *File) Play(opt simsensor.Options) (*simsensor.Player, error) {
	if in.Piped {
		return simsensor.OpenBytes(in.Name, in.Bytes, opt)
	}
	return simsensor.Open(in.Name, opt)
}
