package wire

import (
	"strconv"
)

// Valid reports whether the fields of the top level of b are well formed: every key, length and integer is sound and
// every field ends within b. Nested messages are not opened, so it takes time by the number of top-level fields, not by
// the number of bytes. The error is an [*Error].
func Valid(b []byte) error {
	r := NewReader(b)
	for r.Next() {
		continue // the walk itself is the check
	}
	return r.Err()
}

// CheckSensorView reports whether b is an osi3.SensorView all the way down, by the verdict of proto.Unmarshal. The error
// is an [*Error] that names the nested message.
func CheckSensorView(b []byte) error { return checkRoot(b, "SensorView", rootSensorView) }

// CheckSensorViewConfiguration reports whether b is an osi3.SensorViewConfiguration all the way down, by the verdict of
// proto.Unmarshal. The error is an [*Error] that names the nested message.
func CheckSensorViewConfiguration(b []byte) error {
	return checkRoot(b, "SensorViewConfiguration", rootSensorViewConfiguration)
}

// rule says what is inside of one Len field of a message. Strings, bytes and unknown fields have no rule.
type rule struct {
	key     Key
	name    string
	content int // index into table, or one of the constants below
}

// Contents of a rule that have no place in table: packed numbers, which protobuf accepts although OSI's schema does not
// pack them, and messages without rules.
const (
	packedVarint  = -1
	packedFixed64 = -2
	plain         = -3
)

func checkRoot(b []byte, name string, message int) error {
	err := check(b, message)
	if err == nil {
		return nil
	}
	if e := placeOf(err); e != nil {
		e.Message = name
	}
	return err
}

// check walks over a message and everything nested. Fields mostly come in the order of their numbers, as rules do, so
// that the rule of a field is searched from the one of the field before.
func check(b []byte, message int) error {
	rules := table[message]
	next := 0
	r := NewReader(b)
	for r.Next() {
		if r.key.Type() != Len {
			continue
		}
		if next == len(rules) || rules[next].key > r.key {
			next = 0
		}
		for next < len(rules) && rules[next].key < r.key {
			next++
		}
		if next == len(rules) || rules[next].key != r.key {
			continue
		}
		if err := rules[next].check(r.value); err != nil {
			r.Nested(err)
			r.name(rules[next].name)
		}
	}
	return r.err
}

// check reports whether content is what the rule asks for.
func (f rule) check(content []byte) error {
	switch f.content {
	case plain:
		return Valid(content)
	case packedVarint:
		return checkVarints(content)
	case packedFixed64:
		if rest := len(content) % 8; rest != 0 {
			return &Error{Offset: len(content) - rest, Cause: ErrTruncated}
		}
		return nil
	}
	return check(content, f.content)
}

func checkVarints(content []byte) error {
	for pos := 0; pos < len(content); {
		_, n, err := readVarint(content[pos:])
		if err != nil {
			return &Error{Offset: pos, Cause: err}
		}
		pos += n
	}
	return nil
}

// name puts the name of the current field before the path of the error of r. A field that occurs more than once is named
// with the index of its occurrence.
func (r *Reader) name(field string) {
	e := placeOf(r.err)
	if e == nil {
		return
	}
	index, count := 0, 0
	for again := NewReader(r.buf); again.Next(); {
		if again.key != r.key {
			continue
		}
		if again.begin < r.begin {
			index++
		}
		count++
	}
	if count > 1 {
		field += "[" + strconv.Itoa(index) + "]"
	}
	if e.Field != "" {
		field += "." + e.Field
	}
	e.Field = field
}
