package frames

import "golang.org/x/sys/cpu"

// fourAtOnce reports whether the processor and the operating system can run the functions below.
var fourAtOnce = cpu.X86.HasAVX2

// seenTurning4 is SeenTurning of four bodies for an observer that is not level. Bit k of the result
// is set if body k is a usual one: roll and pitch are small, as given and as seen, and all angles
// are finite. The results of the others are not valid.
//
//go:noescape
func seenTurning4(o *Observer, turned, rate, seen, seenRate *Triple4) (usual uint64)

// seenMotion4 is SeenPosition and SeenMotion of four bodies.
//
//go:noescape
func seenMotion4(o *Observer, position, velocity, acceleration, seen, seenVelocity, seenAcceleration *Triple4)
