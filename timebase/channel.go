package timebase

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Kind says how the data of an entry lie in time.
type Kind uint8

// The kinds of data. The zero value, for a reader, is either.
const (
	AnyKind Kind = iota
	Stream       // data valid on spans that connect
	Event        // data with a stamp and no length
)

// String is the kind in words.
func (k Kind) String() string {
	switch k {
	case Stream:
		return "stream"
	case Event:
		return "event"
	}
	return "stream or event"
}

// Channel is a named place for data of one type. Its writers each own an entry, its readers choose
// among the entries. Its tokens, the writers and readers, each belong to one activity manager: only
// callbacks of that manager may use them.
type Channel[T any] struct{ channelCore }

// channelCore is what does not depend on the type of the payload.
type channelCore struct {
	node     *Node
	self     any // the *Channel
	codec    codec
	name     string
	typeName string
	refers   bool // payloads can hold pointers, which must not outlive their data
	keep     Duration
	keepSet  bool
	limit    int
	alert    int // the number of unread data from which on something has to be done
	reserved int // reservations that no reader has taken yet
	entries  []*entry
	readers  []*readerCore
	gone     []*entry // closed, but still to be read
	removed  []*entry // closed since the last seal
	watchers []*EntryWatcher
	err      error // why the channel cannot be used
}

// Limits of what a channel keeps.
const (
	// DefaultRetention is how long data stay that no sequential reader is waiting for.
	DefaultRetention = 200 * Millisecond
	// DefaultLimit is how many data an entry keeps for sequential readers before it drops the
	// oldest.
	DefaultLimit = 1 << 20
	// unreadWarning is the number of unread data at which a reader is reported, and again at each
	// multiple.
	unreadWarning = 10_000
)

// Open is the channel of that name, which is made when it is new. All callers must agree on T; one
// that does not gets a channel that refuses data, and [Node.Err] reports it.
func Open[T any](n *Node, name string) *Channel[T] {
	if old, ok := n.byName[name]; ok {
		if c, ok := old.self.(*Channel[T]); ok {
			return c
		}
	}
	c := &Channel[T]{}
	c.open(n, name, c, new(T))
	return c
}

// open registers a new channel of the values of which zero is one. A channel that cannot be
// registered stays outside the node, and its tokens refuse to work with channelCore.err.
func (c *channelCore) open(n *Node, name string, self, zero any) {
	c.node, c.name = n, name
	payload := reflect.TypeOf(zero).Elem()
	where, typeName := fmt.Sprintf("channel %q", name), payload.String()
	if old, taken := n.byName[name]; taken {
		c.err = n.refuse(fail(where, ErrType, typeName, old.typeName,
			"open it everywhere with the type it was first opened with"))
	} else if bad := badName(name); bad != "" {
		c.err = n.refuse(fail(where, ErrName, bad, "", ""))
	} else {
		c.err = n.build(where)
	}
	if c.err != nil {
		return
	}
	c.codec = defaultCodec(zero)
	c.self, c.typeName, c.refers = self, typeName, !fixedSize(payload)
	c.keep, c.limit, c.alert = DefaultRetention, DefaultLimit, unreadWarning
	n.byName[name] = c
	n.channels = append(n.channels, c)
}

// Name is the channel's name.
func (c *channelCore) Name() string { return c.name }

// Keep asks that a datum stays readable by time until the newest datum of its entry starts d or
// more after the one that followed it; without a call d is DefaultRetention. The longest d of all
// calls holds. It must cover the delay of the slowest reader by time, and how far a writer runs
// ahead of it. Sequential readers get their data however old, see Limit. The newest datum always
// stays.
func (c *Channel[T]) Keep(d Duration) *Channel[T] {
	c.setKeep(d)
	return c
}

func (c *channelCore) setKeep(d Duration) {
	if d < 0 {
		c.node.mistake(fail(fmt.Sprintf("channel %q", c.name), ErrSpec, "retention "+d.String(), "0 s or more", ""))
	} else if !c.keepSet || d > c.keep {
		c.keep, c.keepSet = d, true
	}
}

// Limit sets how many data an entry keeps for readers that do not read. Beyond that the oldest are
// lost to them, which is reported as [LostData].
func (c *Channel[T]) Limit(data int) *Channel[T] {
	c.setLimit(data)
	return c
}

func (c *channelCore) setLimit(data int) {
	if data < 1 {
		c.node.mistake(fail(fmt.Sprintf("channel %q", c.name), ErrSpec, fmt.Sprintf("limit %d", data), "1 or more", ""))
		return
	}
	c.limit, c.alert = data, min(data, unreadWarning)
}

// Codec sets how payloads become bytes in saved states and in the trace. It is needed for types
// that have no form in bytes of their own, see [Codec].
func (c *Channel[T]) Codec(given Codec[T]) *Channel[T] {
	if c.codec = (codec{}); given != nil {
		c.codec.encode = func(dst []byte, at any) ([]byte, error) { return given.Append(dst, *at.(*T)) }
		c.codec.decode = func(src []byte, at any) (err error) {
			*at.(*T), err = given.Decode(src)
			return err
		}
	}
	return c
}

// Reserve keeps all data from now on for one reader that is yet to come and reads with
// [ReadReservation].
func (c *Channel[T]) Reserve() *Channel[T] {
	c.reserved++
	return c
}

// checkTrace makes data that a trace cannot cover a mistake, before there are any.
func (c *channelCore) checkTrace() {
	if !c.node.spec.Trace || c.codec.known() || len(c.entries) == 0 || c.err != nil {
		return
	}
	where := fmt.Sprintf("channel %q", c.name)
	c.err = c.node.refuse(fail(where, ErrCodec, "payload type "+c.typeName+" in a node with NodeSpec.Trace",
		"a payload with a byte form", "give the channel a Codec before the clock is made"))
	for _, e := range c.entries {
		e.err = c.err
	}
}

// sortByName sorts by label and module.
func sortByName(entries []*entry) {
	slices.SortStableFunc(entries, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.label, b.label), strings.Compare(a.module, b.module))
	})
}

// resolve brings entries and readers into the order of names, numbering them from rank on, and
// binds the readers; it returns the first number that is free.
func (c *channelCore) resolve(rank int) int {
	c.checkTrace()
	sortByName(c.entries)
	slices.SortFunc(c.watchers, func(a, b *EntryWatcher) int { return strings.Compare(a.module, b.module) })
	for _, e := range c.entries {
		e.rank = rank
		rank++
	}
	slices.SortStableFunc(c.readers, compareReaders)
	for _, r := range c.readers {
		r.rank = rank
		rank++
		r.bindAll()
	}
	for _, e := range c.entries {
		slices.SortStableFunc(e.binds, func(a, b *bind) int { return a.reader.rank - b.reader.rank })
	}
	return rank
}
