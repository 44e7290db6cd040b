package examine

import (
	"path/filepath"

	"context"
	"time"
)

// MakeLate makes the trials on which others rely, and then all others after the time has elapsed. It
// returns the rules that the late trials refute.
func MakeLate(path string) (refuted []string, err error) {
	x, remove, err := open(context.Background(), path, Options{})
	if err != nil {
		return nil, err
	}
	defer remove()
	first, rest := trialsOf(x.s)
	for k := range first {
		x.attempt(&first[k])
	}
	x.deadline = time.Now()
	for k := range rest {
		if x.hindrance(&rest[k]) != "" {
			continue
		}
		a := &attempt{x: x, s: x.s}
		rest[k].make(a)
		a.unlessExpired(&rest[k])
		for _, o := range a.outcomes {
			if o.outcome == Refuted {
				refuted = append(refuted, o.rule)
			}
		}
	}
	return refuted, nil
}

// Unlocated returns a text without the temporary folders of an examination below scratch.
func Unlocated(scratch, text string) string {
	x := &exam{scratch: scratch, s: &subject{folder: filepath.Join(scratch, "fmu")}}
	return x.unlocated(text)
}

// InShell returns a path as a word of a shell command in a comment.
func InShell(path string) string { return inShell(path) }

// Pack returns the numbers from which a program makes bytes, and how many bytes it makes.
func Pack(b []byte) (list []int, size int) { return pack(b) }
