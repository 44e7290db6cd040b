package rules

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/internal/fault"
	"gosmp/proto/wire"

	_ "gosmp/proto/osi3" // registers its messages
)

// ErrMessage reports bytes that are not a message of the expected type.
var ErrMessage = errors.New("not a message of OSI")

// Rule is a rule of OSI, or all rules of one kind about one field.
type Rule struct {
	ID     string // of the findings of [Check]: "OSI SensorView.sensor_id is_set"
	Target string // "osirules.sensorview.sensor_id.is_set", the name in public OSI checkers
	// Information marks a rule that requires a list element, whose absence OSI's own checker cannot
	// detect.
	Information bool
}

// Counter counts how often the messages of a trace break each rule. Ids stay known for references
// in later messages, because simulators send lanes only once. Once it has seen the largest
// messages, it no longer allocates, unless fields occur more than once. Only one goroutine may use
// it.
type Counter struct {
	root   *node
	rules  []Rule
	counts []int64
	broken []int // rules broken by the newest message, each once
	hits   []int // the same, each repeated as often as it is broken

	scopes uint64 // number of scopes so far
	// the current scope: a GroundTruth, or a message without one
	scope      uint64
	seen       map[uint64]uint64          // the scope in which each id was last seen
	known      map[string]map[uint64]bool // ids by type
	references []pending
	messageOf  protoreflect.MessageType
	twice      bool // a field that is not a list occurs twice: the message must be decoded
	unusable   bool // the newest message has a number that cannot be used in computations
}

// most limits the number of remembered ids of a type.
const most = 1 << 20

type pending struct {
	rule   int
	target string
	id     uint64
}

// NewCounter returns a counter for messages of an OSI type, such as "osi3.SensorView".
func NewCounter(fullType string) (*Counter, error) {
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(fullType))
	if err != nil || !strings.HasPrefix(fullType, "osi3.") {
		return nil, fault.New(ErrMessage, fault.Place{}, fmt.Sprintf("type %q", fullType),
			"a message of OSI, such as osi3.SensorView")
	}
	compiled, known := counters.Load(fullType)
	if !known {
		c := &Counter{messageOf: t}
		nodes := map[protoreflect.FullName]*node{}
		c.root = c.compile(t.Descriptor(), nodes)
		forget(nodes)
		compiled, _ = counters.LoadOrStore(fullType, c)
	}
	from := compiled.(*Counter)
	return &Counter{messageOf: t, root: from.root, rules: from.rules, seen: map[uint64]uint64{},
		known: map[string]map[uint64]bool{}, counts: make([]int64, len(from.rules))}, nil
}

// counters maps the names of types to counters with all that depends on the type alone. It is only
// read, so that the many channels of a file share it.
var counters sync.Map

// Share lets both counters resolve ids that are defined in the messages seen by either one. It is
// meant for the channels of one file, whose messages may refer to each other; for example, detected
// objects refer to lanes of the ground truth.
func (c *Counter) Share(other *Counter) { c.known = other.known }

// Rules returns the rules that can be broken, in a fixed order.
func (c *Counter) Rules() []Rule { return c.rules }

// Counts returns how often each of the Rules has been broken.
func (c *Counter) Counts() []int64 { return c.counts }

// Check checks a message and returns each rule that it breaks once, as an index into Rules. The
// result is valid until the next call. It fails with [ErrMessage] for bytes that cannot be decoded.
func (c *Counter) Check(message []byte) (broken []int, err error) {
	c.broken, c.hits, c.references, c.twice = c.broken[:0], c.hits[:0], c.references[:0], false
	c.unusable = false
	c.enter()
	if !c.visit(c.root, message) {
		return nil, c.refuse(message)
	}
	if c.twice {
		return c.merged(message)
	}
	for _, r := range c.references {
		if !c.known[r.target][r.id] {
			c.hit(r.rule)
		}
	}
	return c.broken, nil
}

// Unusable reports whether the newest message has a number that [FindUnusable] finds.
func (c *Counter) Unusable() bool { return c.unusable }

// enter begins a scope of unique ids.
func (c *Counter) enter() {
	c.scopes++
	c.scope = c.scopes
}

func (c *Counter) refuse(message []byte) error {
	e := fault.New(ErrMessage, fault.Place{}, fmt.Sprintf("%d bytes", len(message)), "a "+
		string(c.messageOf.Descriptor().Name()))
	e.Cause = proto.Unmarshal(message, c.messageOf.New().Interface())
	return e
}

// merged uses protobuf to merge fields that occur more than once, and checks the result.
func (c *Counter) merged(message []byte) ([]int, error) {
	for _, rule := range c.hits { // hits of the first attempt
		c.counts[rule]--
	}
	m := c.messageOf.New().Interface()
	if err := proto.Unmarshal(message, m); err != nil {
		return nil, c.refuse(message)
	}
	once, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	return c.Check(once)
}

// hit counts a broken rule.
func (c *Counter) hit(rule int) {
	c.counts[rule]++
	c.hits = append(c.hits, rule)
	if !slices.Contains(c.broken, rule) {
		c.broken = append(c.broken, rule)
	}
}

// node is a message type.
type node struct {
	scoped     bool // a GroundTruth, within which ids are unique
	low        []item
	high       map[wire.Number]*item // numbers from len(low) on
	required   []required
	conditions int
}

// item is a field. Fields without rules and without content that has rules are nil.
type item struct {
	bit       uint64 // bit of a field that is not a list, to find out whether it is set
	child     *node
	kind      protoreflect.Kind
	list      bool
	known     bool
	condition int // index of the value that conditions compare; -1: none
	ranges    []limit
	unique    int // rule; -1: none
	refers    int
	bound     float64 // largest sensible magnitude of a floating-point number; 0 for other fields
	owner     string  // type of message that the id identifies
	target    string  // type of message that the id refers to
}

// limit is a rule about the range of a number.
type limit struct {
	rule int
	good func(value, limit float64) bool
	than float64
}

// required is a rule that a field must be set if all conditions hold.
type required struct {
	rule  int
	bit   uint64
	value []comparison
}

type comparison struct {
	condition int
	bit       uint64
	good      func(value, limit float64) bool
	than      float64
}

const lowNumbers = 64

func (n *node) item(number wire.Number) *item {
	if int(number) < len(n.low) {
		return &n.low[number]
	}
	return n.high[number]
}

// visit checks a message and all messages inside it. It returns false if the message cannot be
// decoded.
func (c *Counter) visit(n *node, b []byte) bool {
	var present uint64
	var values [4]float64
	if before := c.scope; n.scoped {
		c.enter()
		defer func() { c.scope = before }()
	}
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		i = hi
		f := n.item(key.Number())
		if f == nil || !f.known {
			continue
		}
		if !c.field(f, key.Type(), b[lo:hi], &present, &values) {
			return false
		}
	}
	for k := range n.required {
		r := &n.required[k]
		if present&r.bit == 0 && r.applies(present, &values) {
			c.hit(r.rule)
		}
	}
	return true
}

func (r *required) applies(present uint64, values *[4]float64) bool {
	for _, v := range r.value {
		if present&v.bit == 0 || !v.good(values[v.condition], v.than) {
			return false
		}
	}
	return true
}

// field checks one occurrence of a field.
func (c *Counter) field(f *item, typ wire.Key, content []byte, present *uint64,
	values *[4]float64) bool {
	switch {
	case typ != wireType(f.kind):
		if !f.list || typ != wire.Len {
			return true // unknown to protobuf, too
		}
		if len(content) > 0 {
			*present |= f.bit
		}
		return c.packed(f, content)
	case !f.list && *present&f.bit != 0:
		c.twice = true
	}
	*present |= f.bit
	if f.child != nil {
		if !c.visit(f.child, content) {
			return false
		}
		c.identify(f, content)
		return true
	}
	if f.condition < 0 && len(f.ranges) == 0 && f.bound == 0 {
		return true
	}
	x := numberOf(f.kind, content)
	if f.condition >= 0 {
		values[f.condition] = x
	}
	c.compare(f, x)
	return true
}

func (c *Counter) compare(f *item, x float64) {
	if f.bound > 0 && !(math.Abs(x) <= f.bound) {
		c.unusable = true
	}
	for k := range f.ranges {
		if l := &f.ranges[k]; !l.good(x, l.than) {
			c.hit(l.rule)
		}
	}
}

// packed checks the numbers of a list that is written as one field.
func (c *Counter) packed(f *item, content []byte) bool {
	size := map[wire.Key]int{wire.Fixed64: 8, wire.Fixed32: 4}[wireType(f.kind)]
	for len(content) > 0 {
		n := size
		if n == 0 {
			for n < len(content) && content[n] >= 0x80 {
				n++
			}
			if n++; n > 10 {
				return false
			}
		}
		if n > len(content) {
			return false
		}
		c.compare(f, numberOf(f.kind, content[:n]))
		content = content[n:]
	}
	return true
}

// identify checks an Identifier that must be unique or refers to another one.
func (c *Counter) identify(f *item, content []byte) {
	if f.unique < 0 && f.refers < 0 {
		return
	}
	var id uint64
	if !wire.MergeIdentifier(content, &id) {
		return
	}
	if f.refers >= 0 {
		c.references = append(c.references, pending{f.refers, f.target, id})
		return
	}
	if c.seen[id] == c.scope {
		c.hit(f.unique)
	}
	if len(c.seen) >= most {
		clear(c.seen)
	}
	c.seen[id] = c.scope
	known := c.known[f.owner]
	if known == nil {
		known = map[uint64]bool{}
		c.known[f.owner] = known
	}
	if !known[id] {
		if len(known) >= most {
			clear(known)
		}
		known[id] = true
	}
}

// wireType returns the wire type of a scalar that is not packed.
func wireType(k protoreflect.Kind) wire.Key {
	switch k {
	case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return wire.Fixed64
	case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return wire.Fixed32
	case protoreflect.MessageKind, protoreflect.StringKind, protoreflect.BytesKind:
		return wire.Len
	}
	return wire.Varint
}

// numberOf converts the content of a scalar to a number, in the same way as protobuf.
func numberOf(k protoreflect.Kind, content []byte) float64 {
	switch k {
	case protoreflect.DoubleKind:
		return wire.Double(content)
	case protoreflect.FloatKind:
		return float64(math.Float32frombits(uint32(content[0]) | uint32(content[1])<<8 | uint32(
			content[2])<<16 | uint32(content[3])<<24))
	case protoreflect.StringKind, protoreflect.BytesKind:
		return 0
	}
	v := wire.Uint64(content)
	switch k {
	case protoreflect.BoolKind:
		return float64(min(v, 1))
	case protoreflect.Uint32Kind:
		return float64(uint32(v))
	case protoreflect.Uint64Kind:
		return float64(v)
	case protoreflect.Int32Kind, protoreflect.EnumKind:
		return float64(int32(v))
	}
	return float64(int64(v))
}
