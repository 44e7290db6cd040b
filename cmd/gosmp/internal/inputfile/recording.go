package inputfile

import (
	"fmt"
	"slices"
	"strings"

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

// Has reports whether a recording contains a row of one of the sensors. If not, it returns the
// sensors that the recording does contain.
func (in *File) Has(kinds []simsensor.Kind) (found bool, others []simsensor.Kind, err error) {
	p, err := in.Play(simsensor.Options{})
	if err != nil {
		return false, nil, err
	}
	defer func() { _ = p.Close() }() // opened read-only
	var row simsensor.Row
	for {
		_, ok, err := p.Next(1<<63-1, &row)
		switch {
		case err != nil:
			return false, others, err
		case !ok:
			return false, others, nil
		case slices.Contains(kinds, row.Kind):
			return true, nil, nil
		case !slices.Contains(others, row.Kind):
			others = append(others, row.Kind)
		}
	}
}

// Listed formats things as "a, b and c".
func Listed[T fmt.Stringer](things []T) string {
	words := make([]string, len(things))
	for k, x := range things {
		words[k] = x.String()
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
