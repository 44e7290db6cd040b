package cdr_test

import (
	"fmt"

	"gosmp/bridge/cdr"
)

// Write and read a message field by field. Reading beyond its end is an error that names the byte.
func Example() {
	for _, form := range []cdr.Form{cdr.Little, cdr.Big} {
		b := cdr.Begin(nil, form)
		b = cdr.AppendString(b, "map", form)
		b = cdr.AppendTime(b, cdr.Time{Sec: 3, Nanosec: 7}, form)
		r := cdr.NewReader(b)
		fmt.Println(r.String(), r.Time(), r.End())
		r = cdr.NewReader(b[:len(b)-1])
		fmt.Println(r.String(), r.Time(), r.End())
	}
	// Output:
	// map {3 7} <nil>
	// map {3 0} byte 16: bad CDR: found 3 bytes, expected 4 with padding
	// map {3 7} <nil>
	// map {3 0} byte 16: bad CDR: found 3 bytes, expected 4 with padding
}
