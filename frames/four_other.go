//go:build !amd64

package frames

// fourAtOnce reports whether the functions below are implemented.
var fourAtOnce = false

func seenTurning4(*Observer, *Triple4, *Triple4, *Triple4, *Triple4) (usual uint64) { return 0 }

func seenMotion4(*Observer, *Triple4, *Triple4, *Triple4, *Triple4, *Triple4, *Triple4) {}
