package wire

import (
	"errors"
	"fmt"
	"strconv"

	"gosmp/internal/fault"
)

// CheckSensorView reports whether b is a well-formed osi3.SensorView at all levels, with the same
// verdict as proto.Unmarshal. The error is an [*Error] that names the nested message.
func CheckSensorView(b []byte) error { return checkRoot(b, "SensorView", rootSensorView) }

// CheckSensorViewConfiguration reports whether b is a well-formed osi3.SensorViewConfiguration at
// all levels, with the same verdict as proto.Unmarshal. The error is an [*Error] that names the
// nested message.
func CheckSensorViewConfiguration(b []byte) error {
	return checkRoot(b, "SensorViewConfiguration", rootSensorViewConfiguration)
}

// rule describes the content of one Len field of a message. Strings, bytes and unknown fields have
// no rule.
type rule struct {
	key     Key
	name    string
	content int // index into table, or one of the constants below
}

// Contents of a rule that have no index in table: packed numbers, which protobuf accepts although
// OSI's schema does not pack them, and messages without rules.
const (
	packedVarint  = -1
	packedFixed64 = -2
	plain         = -3
)

// flaw describes an error in a message.
type flaw struct {
	at    int    // where the bad field begins
	field string // path of the nested message, empty at the top
	cause error
}

func checkRoot(b []byte, name string, message int) error {
	f := check(b, 0, table[message])
	if f == nil {
		return nil
	}
	place := fmt.Sprintf("%s, byte %d of %d", name, f.at, len(b))
	if f.field != "" {
		place += " in " + f.field
	}
	hint := "check that base and size point to one encoded message of this type and that its " +
		"memory still holds it"
	if errors.Is(f.cause, ErrTruncated) {
		hint = "check that the size given covers the whole message and that its memory " +
			"still holds it"
	}
	return fault.New(f.cause, fault.At(place), "", "an encoded osi3."+name).WithHint(hint)
}

// check walks over the message b[from:] and all messages nested in it. Like rules, fields are
// mostly in the order of their numbers, so the search for the rule of a field starts at the rule of
// the previous field.
func check(b []byte, from int, rules []rule) *flaw {
	next := 0
	for i := from; i < len(b); {
		key, lo, hi := Field(b, i)
		if hi < 0 {
			return &flaw{at: i, cause: reason(b[i:])}
		}
		if key.Type() == Len {
			if next == len(rules) || rules[next].key > key {
				next = 0
			}
			for next < len(rules) && rules[next].key < key {
				next++
			}
			if next < len(rules) && rules[next].key == key {
				if f := rules[next].check(b[:hi], lo); f != nil {
					f.prepend(rules[next].name, b, from, i)
					return f
				}
			}
		}
		i = hi
	}
	return nil
}

// reason returns the reason why b does not begin with a field.
func reason(b []byte) error {
	tag, n, err := readTag(b)
	if err == nil {
		_, err = skipValue(tag>>3, Key(tag&7), b[n:], 0)
	}
	return err
}

// check returns the flaw if b[lo:] does not follow the rule.
func (r rule) check(b []byte, lo int) *flaw {
	switch r.content {
	case plain:
		return check(b, lo, nil)
	case packedVarint:
		return checkVarints(b, lo)
	case packedFixed64:
		if rest := (len(b) - lo) % 8; rest != 0 {
			return &flaw{at: len(b) - rest, cause: ErrTruncated}
		}
		return nil
	}
	return check(b, lo, table[r.content])
}

func checkVarints(b []byte, lo int) *flaw {
	for lo < len(b) {
		_, n, err := readVarint(b[lo:])
		if err != nil {
			return &flaw{at: lo, cause: err}
		}
		lo += n
	}
	return nil
}

// prepend puts the name of the field at position i in front of the path. A field that occurs more
// than once in the message b[from:] is named with the index of its occurrence.
func (f *flaw) prepend(name string, b []byte, from, i int) {
	key, _, _ := Field(b, i)
	index, count := 0, 0
	for k := from; k < len(b); {
		other, _, hi := Field(b, k)
		if hi < 0 {
			break
		}
		if other == key {
			count++
			if k < i {
				index++
			}
		}
		k = hi
	}
	if count > 1 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	if f.field != "" {
		name += "." + f.field
	}
	f.field = name
}
