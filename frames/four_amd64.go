package frames

// fourAtOnce reports whether the processor and the operating system can run the functions below.
var fourAtOnce = supported()

// supported reports whether both support AVX2. It is not left to golang.org/x/sys/cpu, because an
// FMU is built without any module from elsewhere.
func supported() bool

// seenTurning4 is SeenTurning of four bodies for an observer that is not level. Bit k of the result
// is set if body k is a usual one: roll and pitch are small, as given and as seen, and all angles
// are finite. The results of the other bodies are not valid.
//
//go:noescape
func seenTurning4(o *Observer, turned, rate, seen, seenRate *Triple4) (usual uint64)

// seenMotion4 is SeenPosition and SeenMotion of four bodies.
//
//go:noescape
func seenMotion4(o *Observer, position, velocity, acceleration, seen, seenVelocity,
	seenAcceleration *Triple4)
