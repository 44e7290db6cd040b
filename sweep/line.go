package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
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
	text, err := json.Marshal(struct {
		Row
		Again int `json:"again,omitempty"`
	}{r, again})
	if err != nil {
		return nil, err
	}
	sum := crc32.Checksum(text, castagnoli)
	return fmt.Appendf(text[:len(text)-1], "%s%08x\"}\n", sumBefore, sum), nil
}

// head is the part of a row that the store keeps in memory.
type head struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Again   int    `json:"again"`
}

// headOf reads a line. An error means that it is damaged.
func headOf(line []byte) (h head, err error) {
	line = bytes.TrimRight(line, "\r\n")
	checked, err := verified(line)
	if err != nil {
		return h, err
	}
	if checked {
		err = json.Unmarshal(line, &h)
	} else { // the whole line, because damage is not detectable otherwise
		var r Row
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields() // such as the checksum's key if it is damaged
		if err = d.Decode(&r); err == nil && d.More() {
			err = errors.New("found more after the row")
		}
		h.ID, h.Outcome = r.ID, r.Outcome
	}
	switch {
	case err != nil:
		return h, err
	case h.ID == "":
		return h, errors.New("found no id, expected the identity of a run")
	case !slices.Contains(Outcomes, h.Outcome):
		return h, fmt.Errorf("found the outcome %.40q, expected one of %v", h.Outcome, Outcomes)
	case h.Again < 0 || h.Again > mostAgain:
		return h, fmt.Errorf("found %d recomputations, expected 0 to %d", h.Again, mostAgain)
	}
	return h, nil
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
