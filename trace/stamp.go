package trace

import (
	"cmp"
	"fmt"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/proto/osifile"
	"gosmp/proto/wire"
	"gosmp/timebase"

	_ "gosmp/proto/osi3" // registers its messages
)

// stamper holds the numbers of the fields that all top-level OSI messages have, or 0 if a message
// lacks the field.
type stamper struct{ version, timestamp wire.Number }

var stampers sync.Map // of full name to stamper

// stampOf returns the stamper of a type. SensorViewConfiguration has no time stamp.
func stampOf(fullType string) (s stamper) {
	if known, found := stampers.Load(fullType); found {
		return known.(stamper)
	}
	defer func() { stampers.Store(fullType, s) }()
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(fullType))
	if err != nil {
		return s
	}
	if f := t.Descriptor().Fields().ByName("version"); f != nil {
		s.version = wire.Number(f.Number())
	}
	if f := t.Descriptor().Fields().ByName("timestamp"); f != nil {
		s.timestamp = wire.Number(f.Number())
	}
	return s
}

// StampOf returns the time stamp inside an OSI message; ok is false if it has none.
func StampOf(fullType string, data []byte) (t timebase.Time, ok bool) {
	return stampOf(fullType).time(data)
}

// VersionOf returns the OSI release that a message states, "3.8.0", or "" if it states none.
func VersionOf(fullType string, data []byte) string { return versionOf(stampOf(fullType), data) }

// time returns the time stamp of a message; ok is false if it has none, or one that does not fit in
// a Time.
func (s stamper) time(data []byte) (t timebase.Time, ok bool) {
	return osifile.Stamp(data, s.timestamp)
}

// numbers reads the Varint fields of a message into v, which is indexed by field number.
func numbers(content []byte, v []uint64) bool {
	for i := 0; i < len(content); {
		key, lo, hi := wire.Field(content, i)
		if hi < 0 {
			return false
		}
		if n := int(key.Number()); key.Type() == wire.Varint && n < len(v) {
			v[n] = wire.Uint64(content[lo:hi])
		}
		i = hi
	}
	return true
}

// Seconds formats a time in seconds, with as many digits as necessary.
func Seconds(t timebase.Time) string {
	s, n := t.Split()
	if n == 0 {
		return fmt.Sprint(s)
	}
	if s < 0 {
		return fmt.Sprint(t.Seconds())
	}
	text := fmt.Sprintf("%d.%09d", s, n)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	return cmp.Or(text, "0")
}
