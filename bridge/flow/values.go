package flow

import (
	"fmt"
	"math"

	"gosmp/bridge"
	"gosmp/cosim"
)

// fieldValue returns the value of a variable in the form that [bridge.Definitions.Encode] accepts.
func fieldValue(k cosim.Kind, cell uint64, blob []byte) any {
	switch k {
	case cosim.Float64:
		return math.Float64frombits(cell)
	case cosim.Float32:
		return float64(math.Float32frombits(uint32(cell)))
	case cosim.Boolean:
		return cell != 0
	case cosim.String:
		return string(blob)
	case cosim.UInt64:
		return cell
	default:
		return int64(cell)
	}
}

// sink connects a field of a message that comes up to an input.
func (f *Flow) sink(t *bridge.Topic, link bridge.Link, drive func(string) (*cosim.Control,
	error)) error {
	control, err := drive(link.Variable)
	if err != nil {
		return err
	}
	if v := control.Variable; !fits(v.Kind, link.Kind, false) || v.Size != 1 ||
		v.Role != cosim.Input {
		found := described(v)
		if v.Role != cosim.Input {
			found = "a variable that is not an input"
		}
		return unusable(t, link.Variable, found, "an input with one value for field "+link.Path()+
			" of type "+link.Kind.String())
	}
	f.sinks[t] = append(f.sinks[t], sink{control: control, link: link})
	return nil
}

// set sets the inputs that a topic names to the fields of a message. A number beyond the limits of
// an input becomes the nearest accepted number; a value that the input cannot represent leaves it
// unchanged. There is one warning for each input.
func (f *Flow) set(t *bridge.Topic, data map[string]any) {
	for k := range f.sinks[t] {
		s := &f.sinks[t][k]
		var value any = data
		for _, name := range s.link.Field {
			value = value.(map[string]any)[name] // the definition has these fields
		}
		remedy := s.take(value)
		if remedy == "" || f.sunk[s.link.Variable] {
			continue
		}
		f.sunk[s.link.Variable] = true
		if f.warn != nil {
			f.warn(fmt.Sprintf("topic %s: field %s: found %v, which input %s %s", t.Name,
				s.link.Path(), value, s.link.Variable, remedy))
		}
	}
}

// take sets the input. If the input cannot have the value, the result states what happens instead.
func (s *sink) take(value any) (remedy string) {
	v := &s.control.Variable
	value, remedy = within(v.Limits, value)
	if !s.put(v.Kind, value) {
		return fmt.Sprintf("of type %s cannot have: it keeps its value", v.Kind)
	}
	return remedy
}

// within returns the number within limits that is nearest to a value, with a remark if that is a
// different number.
func within(l *cosim.Limits, value any) (nearest any, remedy string) {
	var v float64
	switch x := value.(type) {
	case float64:
		v = x
	case int64:
		v = float64(x)
	case uint64:
		v = float64(x)
	default:
		return value, ""
	}
	if l == nil || math.IsNaN(v) || math.IsInf(v, 0) || v >= l.Least && v <= l.Most {
		return value, ""
	}
	near := min(max(v, l.Least), l.Most)
	accepted := fmt.Sprintf("%g to %g", l.Least, l.Most)
	if l.Most == math.MaxFloat64 {
		accepted = fmt.Sprintf("%g or more", l.Least)
	}
	remedy = fmt.Sprintf("does not accept (%s): it becomes %g", accepted, near)
	if _, is := value.(float64); is {
		return near, remedy
	}
	return int64(near), remedy
}

// put sets the input and reports whether it can represent the value.
func (s *sink) put(kind cosim.Kind, value any) bool {
	switch v := value.(type) {
	case string:
		s.control.SetBlob(0, []byte(v))
	case bool:
		cell := uint64(0)
		if v {
			cell = 1
		}
		s.on = v
		s.control.SetCell(0, cell)
	case float64:
		return s.float(kind, v)
	case int64:
		if kind.IsFloat() {
			return s.float(kind, float64(v))
		}
		return s.integer(kind, uint64(v), v < 0)
	case uint64:
		if kind.IsFloat() {
			return s.float(kind, float64(v))
		}
		return s.integer(kind, v, false)
	}
	return true
}

func (s *sink) float(k cosim.Kind, v float64) bool {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case k == cosim.Float64:
		s.control.SetFloat(0, v)
		return true
	}
	single := float32(v)
	if math.IsInf(float64(single), 0) {
		return false
	}
	s.control.SetCell(0, uint64(math.Float32bits(single)))
	return true
}

// ranges maps the integer kinds to their ranges.
var ranges = map[cosim.Kind]struct {
	least int64
	most  uint64
}{
	cosim.Int8: {math.MinInt8, math.MaxInt8}, cosim.UInt8: {0, math.MaxUint8},
	cosim.Int16: {math.MinInt16, math.MaxInt16}, cosim.UInt16: {0, math.MaxUint16},
	cosim.Int32: {math.MinInt32, math.MaxInt32}, cosim.UInt32: {0, math.MaxUint32},
	cosim.Int64: {math.MinInt64, math.MaxInt64}, cosim.UInt64: {0, math.MaxUint64},
}

func (s *sink) integer(k cosim.Kind, bits uint64, negative bool) bool {
	limit := ranges[k]
	if negative && int64(bits) < limit.least || !negative && bits > limit.most {
		return false
	}
	s.control.SetCell(0, bits)
	return true
}
