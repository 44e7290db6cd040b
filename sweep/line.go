package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// A line of the store is a row with two additional members at its end, the number of times the run
// was recomputed on request and a checksum:
//
//	{"id":"…","outcome":"failed",…,"again":1,"crc":"5f0b1c9a"}
//
// The checksum is CRC-32C of the line without it. Lines of earlier versions have no checksum.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mostAgain bounds the number of recomputations of a run.
const mostAgain = 1_000_000_000

const (
	sumBefore = `,"crc":"`
	sumLength = len(sumBefore) + 8 + len(`"}`)
)

// encodeLine returns a row as a line, with its line feed.
func encodeLine(r Row, again int) ([]byte, error) {
	text, err := json.Marshal(stored{r, again})
	if err != nil {
		return nil, err
	}
	sum := crc32.Checksum(text, castagnoli)
	return fmt.Appendf(text[:len(text)-1], "%s%08x\"}\n", sumBefore, sum), nil
}

// stored is the content of a line without its checksum.
type stored struct {
	Row
	Again int `json:"again,omitempty"`
}

// decodeLine reads a line. An error means that it is damaged, or that it cannot be the row of a
// run, as a line from another program.
func decodeLine(line []byte) (s stored, err error) {
	line = bytes.TrimRight(line, "\r\n")
	checked, err := verified(line)
	if err != nil {
		return s, err
	}
	if checked {
		err = json.Unmarshal(line, &s)
	} else {
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields() // such as the checksum's key if it is damaged
		if err = d.Decode(&s.Row); err == nil && d.More() {
			err = errors.New("found more after the row")
		}
	}
	switch {
	case err != nil:
		return s, err
	case s.ID == "":
		return s, errors.New("found no id, expected the identity of a run")
	case s.Again < 0 || s.Again > mostAgain:
		return s, fmt.Errorf("found %d recomputations, expected 0 to %d", s.Again, mostAgain)
	}
	return s, s.Check()
}

// verified compares a line with its checksum, if it has one.
func verified(line []byte) (checked bool, err error) {
	at := len(line) - sumLength
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sumBefore)) {
		return false, nil
	}
	found := string(line[at+len(sumBefore) : len(line)-2])
	sum := crc32.Update(crc32.Checksum(line[:at], castagnoli), castagnoli, []byte("}"))
	if expected := fmt.Sprintf("%08x", sum); found != expected {
		return true, fmt.Errorf("found the checksum %s, expected %s", found, expected)
	}
	return true, nil
}
