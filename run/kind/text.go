package kind

import (
	"fmt"
	"io"

	"gosmp/internal/regular"
)

// largestText is the maximum size of a hand-written file.
const largestText = 16 << 20

// ReadText returns the content of a hand-written file, such as a chart or the description of an
// experiment.
func ReadText(name string) ([]byte, error) {
	f, err := regular.OpenStream(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	return LimitedText(name, f)
}

// LimitedText reads such a text to its end.
func LimitedText(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, largestText+1))
	if err == nil && len(text) > largestText {
		err = fmt.Errorf(
			"%s: more than %d MB, expected a text that people write",
			name,
			largestText>>20,
		)
	}
	return text, err
}
