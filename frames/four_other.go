//go:build !amd64

package frames

const fourAtOnce = false

func seenTurning4(*Observer, *Turning4, *Turning4, *Turning4, *Turning4) (usual uint64) { return 0 }
