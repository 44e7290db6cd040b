package frames

// fourAtOnce reports whether the processor and the operating system can run the functions below.
var fourAtOnce = supported()

// supported reports whether both support AVX2. It does not use golang.org/x/sys/cpu, because an FMU
// is built without any external modules.
func supported() bool

// seenTurning4 computes SeenTurning for four bodies and an observer that is not level. Bit k of the
// result is set if body k is ordinary: its roll and pitch are small, both as given and as seen, and
// all angles are finite. The results of the other bodies are not valid.
//
//go:noescape
func seenTurning4(o *Observer, turned, rate, seen, seenRate *Triple4) (usual uint64)

// seenMotion4 computes SeenPosition and SeenMotion for four bodies.
//
//go:noescape
func seenMotion4(o *Observer, position, velocity, acceleration, seen, seenVelocity,
	seenAcceleration *Triple4)
