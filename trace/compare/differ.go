package compare

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/timebase"
	"gosmp/trace"
)

// differ compares two messages.
type differ struct {
	tolerances *tolerances
	ids        *renaming
	exact      bool
	report     func(object, field, expected, found string)

	object string // the owner of the fields
	// path inside the object, with indices; nothing keeps it, so its memory is used again
	shown []string
	place *place // path from the top, without indices
	pair  *pair  // notes whether fields are compared
}

// top compares two whole messages. Lists of tracked objects come first, because other fields refer
// to them.
func (d *differ) top(e, f protoreflect.Message) {
	d.fields(e, f, isTracked)
	d.fields(e, f, func(field protoreflect.FieldDescriptor) bool { return !isTracked(field) })
	d.unknown(e, f)
}

func isTracked(f protoreflect.FieldDescriptor) bool {
	if !f.IsList() || f.Message() == nil {
		return false
	}
	_, tracked := keyOf(f.Message())
	return tracked
}

// message compares two nested messages.
func (d *differ) message(e, f protoreflect.Message) {
	d.fields(e, f, func(protoreflect.FieldDescriptor) bool { return true })
	d.unknown(e, f)
}

// unknown compares fields that the schema does not define.
func (d *differ) unknown(e, f protoreflect.Message) {
	if a, b := e.GetUnknown(), f.GetUnknown(); !bytes.Equal(a, b) {
		d.say(fmt.Sprintf("%d bytes of unknown fields", len(a)), fmt.Sprintf("%d other bytes",
			len(b)))
	}
}

// fields compares the expected fields in schema order, and then the fields that only the found
// schema has.
func (d *differ) fields(e, f protoreflect.Message, wanted func(protoreflect.FieldDescriptor) bool) {
	list, more := e.Descriptor().Fields(), f.Descriptor().Fields()
	same := e.Descriptor() == f.Descriptor()
	for k := range list.Len() {
		field := list.Get(k)
		other := field
		if !same {
			other = more.ByNumber(field.Number())
		}
		switch {
		case !e.Has(field) && (other == nil || !f.Has(other)) || !wanted(field):
		case !same && (other == nil || !sameKind(field, other)):
			d.at(field, func() { d.foreign(text(e, field), "a schema without such a field") })
		default:
			d.at(field, func() { d.field(e, f, field, other) })
		}
	}
	for k := 0; k < more.Len() && !same; k++ {
		if field := more.Get(k); list.ByNumber(field.Number()) == nil && f.Has(field) &&
			wanted(field) {
			d.at(field, func() { d.foreign("a schema without such a field", text(f, field)) })
		}
	}
}

// sameKind reports whether the fields of two schemas can be compared.
func sameKind(a, b protoreflect.FieldDescriptor) bool {
	return a.Kind() == b.Kind() && a.Cardinality() == b.Cardinality() && a.IsMap() == b.IsMap() &&
		(a.Message() == nil || isTimestamp(a) == isTimestamp(b) &&
			isIdentifier(a) == isIdentifier(b))
}

// foreign reports a field that one schema lacks, unless it is ignored.
func (d *differ) foreign(expected, found string) {
	if !d.tolerances.of(d.place).Ignore {
		d.say(expected, found)
	}
}

// at calls what with a field added to the paths, then restores the paths.
func (d *differ) at(f protoreflect.FieldDescriptor, what func()) {
	shown, place := d.shown, d.place
	d.shown, d.place = with(shown, string(f.Name())), place.field(f)
	what()
	d.shown, d.place = shown, place
}

// with returns a path with a name appended, in the memory of the path if there is room.
func with(path []string, name string) []string { return append(path, name) }

// say reports a difference at the current field.
func (d *differ) say(expected, found string) {
	d.report(d.object, strings.Join(d.shown, "."), expected, found)
}

const nothing = "nothing"

// field compares one field.
func (d *differ) field(e, f protoreflect.Message, field, other protoreflect.FieldDescriptor) {
	t := d.tolerances.of(d.place)
	has, had := e.Has(field), f.Has(other)
	switch {
	case t.Ignore:
		d.pair.ignored = true
		return
	case field.Message() == nil || field.IsList() || field.IsMap() || isTimestamp(field):
		d.pair.compared = true
	}
	switch {
	case !has && !had:
	case field.IsList() && field.Message() != nil:
		d.list(e.Get(field).List(), f.Get(other).List(), field)
	case field.IsList():
		d.values(e.Get(field).List(), f.Get(other).List(), field, t)
	case field.IsMap():
		d.maps(e.Get(field).Map(), f.Get(other).Map(), field.MapValue(), t)
	case has != had && field.HasPresence():
		d.say(orNothing(has, e, field), orNothing(had, f, other))
	case field.Message() != nil:
		d.nested(e.Get(field).Message(), f.Get(other).Message(), field, t)
	default:
		d.value(e.Get(field), f.Get(other), field, t)
	}
}

func orNothing(has bool, m protoreflect.Message, f protoreflect.FieldDescriptor) string {
	if !has {
		return nothing
	}
	return text(m, f)
}

// text returns a short form of the value of a field for reports.
func text(m protoreflect.Message, f protoreflect.FieldDescriptor) string {
	const most = 80
	switch {
	case f.IsList():
		return fmt.Sprintf("%d elements", m.Get(f).List().Len())
	case f.IsMap():
		return fmt.Sprintf("%d entries", m.Get(f).Map().Len())
	case f.Message() == nil:
		return trace.Cell(m.Get(f), f)
	}
	b, err := trace.MarshalJSON(m.Get(f).Message().Interface())
	switch {
	case err != nil:
		return "a " + string(f.Message().Name())
	case len(b) > most:
		return string(b[:most]) + "..."
	}
	return string(b)
}

// nested compares nested messages: time stamps as times, tracking ids up to renaming.
func (d *differ) nested(e, f protoreflect.Message, field protoreflect.FieldDescriptor, t verdict) {
	switch {
	case isTimestamp(field):
		d.times(e, f, t)
	case !d.exact && isIdentifier(field) && field.Name() == "tracking_id":
		// already compared when partners were chosen
	case !d.exact && refersToTrack(field):
		d.reference(e, f)
	default:
		d.message(e, f)
	}
}

// refersToTrack reports whether a field is the tracking id of a detected object. In the input of a
// sensor, the object hit by a lidar ray is a ground truth object.
func refersToTrack(f protoreflect.FieldDescriptor) bool {
	return isIdentifier(f) && f.Name() == "object_id" &&
		f.ContainingMessage().FullName() != "osi3.LidarSensorView.Reflection"
}

// reference compares references to tracked objects.
func (d *differ) reference(e, f protoreflect.Message) {
	value := e.Descriptor().Fields().ByName("value")
	a, b := e.Get(value).Uint(), f.Get(value).Uint()
	expected := a
	if renamed, known := d.ids.found[a]; known {
		expected = renamed
	}
	if expected != b {
		d.say(strconv.FormatUint(expected, 10), strconv.FormatUint(b, 10))
	}
}

// isTimestamp reports whether a field is an OSI time stamp. A schema may define a type of that name
// with different fields.
func isTimestamp(f protoreflect.FieldDescriptor) bool {
	if f.Message().FullName() != "osi3.Timestamp" {
		return false
	}
	seconds, nanos := f.Message().Fields().ByName("seconds"), f.Message().Fields().ByName("nanos")
	return seconds != nil && seconds.Kind() == protoreflect.Int64Kind && !seconds.IsList() &&
		nanos != nil && nanos.Kind() == protoreflect.Uint32Kind && !nanos.IsList()
}

// longest is the number of seconds beyond which the difference between two times may not fit in a
// [timebase.Time].
const longest = int64(math.MaxInt64/2/timebase.Second) - 5 // nanoseconds add up to 4.3 s

// stamp returns a time, or false if it is too large to be one.
func stamp(m protoreflect.Message) (t timebase.Time, ok bool) {
	f := m.Descriptor().Fields()
	seconds, nanos := m.Get(f.ByName("seconds")).Int(), m.Get(f.ByName("nanos")).Uint()
	return timebase.Time(seconds)*timebase.Second + timebase.Time(nanos), //nolint:gosec // 32 bits
		-longest <= seconds && seconds <= longest
}

// times compares time stamps.
func (d *differ) times(first, second protoreflect.Message, t verdict) {
	e, ok := stamp(first)
	f, too := stamp(second)
	if !ok || !too {
		d.message(first, second)
		return
	}
	if e == f || t.named && math.Abs((f-e).Seconds()) <= max(t.Absolute,
		t.Relative*math.Abs(e.Seconds())) {
		return
	}
	d.say(trace.Seconds(e)+" s", trace.Seconds(f)+" s"+suffix(t, t.named))
}

// suffix describes the tolerance that was exceeded.
func suffix(t verdict, counts bool) string {
	if !counts || t.Tolerance == standard {
		return ""
	}
	return fmt.Sprintf(" (tolerance %v)", t.Tolerance)
}

// list compares lists of messages.
func (d *differ) list(e, f protoreflect.List, field protoreflect.FieldDescriptor) {
	path, tracked := keyOf(field.Message())
	if len(path) == 0 {
		d.byIndex(e, f, field)
		return
	}
	object, shown := d.object, d.shown
	last := len(shown) - 1
	name := shown[last]
	for _, c := range d.couples(elements(e), elements(f), tracked) {
		if object == "" {
			d.object, d.shown = c.label(strings.Join(shown, "."), tracked), shown[len(shown):]
		} else {
			d.shown = with(shown[:last], c.label(name, tracked))
		}
		switch {
		case c.found == nil:
			d.say("one", "none")
		case c.expected == nil:
			d.say("none", "one")
		default:
			d.message(c.expected.message, c.found.message)
		}
	}
	d.object, d.shown = object, shown
}

// maps compares maps key by key. OSI has no maps, but other schemas may have them.
func (d *differ) maps(e, f protoreflect.Map, value protoreflect.FieldDescriptor, t verdict) {
	keys := map[string]protoreflect.MapKey{}
	for _, m := range []protoreflect.Map{e, f} {
		m.Range(func(key protoreflect.MapKey, _ protoreflect.Value) bool {
			keys[key.String()] = key
			return true
		})
	}
	shown := d.shown
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		d.shown = with(shown, name)
		switch key := keys[name]; {
		case !e.Has(key):
			d.say("none", "one")
		case !f.Has(key):
			d.say("one", "none")
		case value.Message() != nil:
			d.nested(e.Get(key).Message(), f.Get(key).Message(), value, t)
		default:
			d.value(e.Get(key), f.Get(key), value, t)
		}
	}
	d.shown = shown
}

// byIndex compares lists of messages that have no ids.
func (d *differ) byIndex(e, f protoreflect.List, field protoreflect.FieldDescriptor) {
	if e.Len() != f.Len() {
		d.say(fmt.Sprintf("%d elements", e.Len()), strconv.Itoa(f.Len()))
	}
	shown := d.shown
	for k := range min(e.Len(), f.Len()) {
		d.shown = with(shown, strconv.Itoa(k))
		d.nested(e.Get(k).Message(), f.Get(k).Message(), field, d.tolerances.of(d.place))
	}
}

// values compares lists of scalars.
func (d *differ) values(e, f protoreflect.List, field protoreflect.FieldDescriptor, t verdict) {
	if e.Len() != f.Len() {
		d.say(fmt.Sprintf("%d elements", e.Len()), strconv.Itoa(f.Len()))
	}
	shown := d.shown
	for k := range min(e.Len(), f.Len()) {
		d.shown = with(shown, strconv.Itoa(k))
		d.value(e.Get(k), f.Get(k), field, t)
	}
}

// value compares scalars.
func (d *differ) value(e, f protoreflect.Value, field protoreflect.FieldDescriptor, t verdict) {
	a, b, counts := e, f, true
	equal := a.Equal(b)
	switch field.Kind() {
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		x, y := a.Float(), b.Float()
		if field.ContainingMessage().FullName() == "osi3.Orientation3d" && !math.IsNaN(x) {
			y = x + math.Remainder(y-x, 2*math.Pi)
		}
		equal = equal || t.allows(x, y)
	case protoreflect.Int32Kind, protoreflect.Int64Kind, protoreflect.Sint32Kind,
		protoreflect.Sint64Kind:
		equal = equal || t.named && t.allows(float64(a.Int()), float64(b.Int()))
		counts = t.named
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind,
		protoreflect.Fixed64Kind:
		equal = equal || t.named && t.allows(float64(a.Uint()), float64(b.Uint()))
		counts = t.named
	default:
		counts = false
	}
	if !equal {
		d.say(trace.Cell(a, field), trace.Cell(b, field)+suffix(t, counts))
	}
}
