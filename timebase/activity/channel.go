package activity

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// Kind is the relation of an entry's data to time.
type Kind uint8

// The kinds of data. For a reader, the zero value means either.
const (
	AnyKind Kind = iota
	Stream       // data valid on spans that connect
	Event        // data with a stamp, without a length
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Stream:
		return "stream"
	case Event:
		return "event"
	}
	return "stream or event"
}

// Channel is a named place for data of one type. Each of its writers owns an entry; its readers
// choose among the entries. Its tokens, the writers and readers, each belong to one activity
// manager: only callbacks of that manager may use them.
type Channel[T any] struct{ channelCore }

// channelCore is the part of a channel that does not depend on the type of the payload.
type channelCore struct {
	node     *Node
	self     any // the *Channel
	codec    codec
	name     string
	typeName string
	refers   bool // payloads can contain pointers, which must not outlive their data
	keep     timebase.Duration
	keepSet  bool
	limit    int
	alert    int // number of unread data at which to act
	reserved int // reservations not yet taken by a reader
	entries  []*entry
	readers  []*readerCore
	gone     []*entry // closed, but not yet read completely
	removed  []*entry // closed since the last seal
	watchers []*EntryWatcher
	err      error // why the channel cannot be used
}

// Limits on the data that a channel keeps.
const (
	// DefaultRetention is how long data is kept if no sequential reader still has to read it.
	DefaultRetention = 200 * timebase.Millisecond
	// DefaultLimit is the number of data that an entry keeps for sequential readers before it drops
	// the oldest.
	DefaultLimit = 1 << 20
	// unreadWarning is the number of unread data at which a reader is reported, and again at each
	// multiple.
	unreadWarning = 10_000
)

// Open returns the channel of that name, and creates it if it does not exist. All callers must
// agree on T. A caller with another type gets a channel that rejects data, and [Node.Err] reports
// the mistake.
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

// open registers a new channel with values of the type of zero. A channel that cannot be registered
// stays outside the node, and its tokens return channelCore.err.
func (c *channelCore) open(n *Node, name string, self, zero any) {
	c.node, c.name = n, name
	payload := reflect.TypeOf(zero).Elem()
	where, typeName := fmt.Sprintf("channel %q", name), payload.String()
	if old, taken := n.byName[name]; taken {
		c.err = n.refuse(fault.New(ErrType, fault.At(where), typeName, old.typeName).
			WithHint("open it everywhere with the type it was first opened with"))
	} else if bad := badName(name); bad != "" {
		c.err = n.refuse(fault.New(ErrName, fault.At(where), bad, ""))
	} else {
		c.err = n.build(where)
	}
	if c.err != nil {
		return
	}
	c.codec = defaultCodec(zero)
	c.self, c.typeName, c.refers = self, typeName, !state.FixedSize(payload)
	c.keep, c.limit, c.alert = DefaultRetention, DefaultLimit, unreadWarning
	n.byName[name] = c
	n.channels = append(n.channels, c)
}

// Name returns the channel's name.
func (c *channelCore) Name() string { return c.name }

// Keep sets how long a datum stays readable by time: until the newest datum of its entry starts at
// least d after the one that followed it. The default for d is DefaultRetention; after several
// calls the longest d applies. It must cover the delay of the slowest reader by time, plus the time
// by which a writer is ahead of it. Sequential readers receive their data regardless of its age,
// see Limit. The newest datum is always kept.
func (c *Channel[T]) Keep(d timebase.Duration) *Channel[T] {
	c.setKeep(d)
	return c
}

func (c *channelCore) setKeep(d timebase.Duration) {
	if d < 0 {
		c.node.mistake(
			fault.New(ErrSpec, fault.At(fmt.Sprintf("channel %q", c.name)), "retention "+d.String(),
				"0 s or more"),
		)
	} else if !c.keepSet || d > c.keep {
		c.keep, c.keepSet = d, true
	}
}

// Limit sets how many data an entry keeps for readers that have not read them. Beyond that, the
// oldest are dropped, which is reported as [LostData].
func (c *Channel[T]) Limit(data int) *Channel[T] {
	c.setLimit(data)
	return c
}

func (c *channelCore) setLimit(data int) {
	if data < 1 {
		c.node.mistake(
			fault.New(ErrSpec, fault.At(fmt.Sprintf("channel %q", c.name)),
				fmt.Sprintf("limit %d", data), "1 or more"),
		)
		return
	}
	c.limit, c.alert = data, min(data, unreadWarning)
}

// Codec sets how payloads are encoded in saved states and in the trace. It is required for types
// without a default encoding, see [Codec].
func (c *Channel[T]) Codec(given Codec[T]) *Channel[T] {
	if c.codec = (codec{}); given != nil {
		c.codec.encode = func(dst []byte, at any) ([]byte, error) {
			return given.Append(dst, *at.(*T))
		}
		c.codec.decode = func(src []byte, at any) (err error) {
			*at.(*T), err = given.Decode(src)
			return err
		}
	}
	return c
}

// Reserve keeps all subsequent data for one future reader in the mode [ReadReservation].
func (c *Channel[T]) Reserve() *Channel[T] {
	c.reserved++
	return c
}

// checkTrace reports data that a trace cannot cover as a mistake before any is written.
func (c *channelCore) checkTrace() {
	if !c.node.spec.Trace || c.codec.known() || len(c.entries) == 0 || c.err != nil {
		return
	}
	where := fmt.Sprintf("channel %q", c.name)
	c.err = c.node.refuse(
		fault.New(ErrCodec, fault.At(where),
			"payload type "+c.typeName+" in a node with NodeSpec.Trace",
			"a payload with a byte form").
			WithHint("give the channel a Codec before the clock is made"),
	)
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

// resolve sorts entries and readers by name, numbers them from rank on, and binds the readers. It
// returns the first free number.
func (c *channelCore) resolve(rank int) int {
	c.checkTrace()
	sortByName(c.entries)
	slices.SortFunc(
		c.watchers,
		func(a, b *EntryWatcher) int { return strings.Compare(a.module, b.module) },
	)
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
		slices.SortStableFunc(
			e.binds,
			func(a, b *bind) int { return a.reader.rank - b.reader.rank },
		)
	}
	return rank
}
