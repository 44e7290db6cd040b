package examine

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"time"

	"gosmp/importer/worker/probe"
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

// Certain reports whether a refuted rule is certain after the first of some trials, which test these
// rules, if the rule unless may explain it.
func Certain(trials [][]string, rule, unless string) bool {
	var list []trial
	for _, rules := range trials {
		list = append(list, trial{rules: rules})
	}
	l := (&exam{}).newLedger(list)
	l.entered = 1
	return l.certain([]outcome{{rule: rule, outcome: Refuted, unless: unless}}, rule)
}

// Blob returns a statement that sets a binary, and what its program does not do.
func Blob(content []byte) (statement string, lacks []string) {
	data := binary.NativeEndian.AppendUint64(nil, uint64(len(content)))
	data = append(append(data, content...), make([]byte, 8-len(content)%8)...)
	a := &pieces{}
	return (&subject{major: 3}).blobStatement(&probe.Op{Code: "fmi3SetBinary", Values: 1,
		Data: data}, "c[0]", "7", false, a), a.lacks
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

// Brief returns a call in one line for a finding.
func Brief(call string) string { return brief(call) }
