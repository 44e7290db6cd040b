package timebase

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
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

// Channel is a named place for data of one type. Its writers each own an entry, its readers choose among the entries. Its
// tokens, the writers and readers, each belong to one activity manager: only callbacks of that manager may use them.
type Channel[T any] struct {
	channelCore
	codec   Codec[T]
	entries []*entry[T]
	readers []*Reader[T]
}

// channel is a Channel of any type, as the node sees it.
type channel interface {
	core() *channelCore
	// resolve brings the entries into order, numbering them from rank on, and binds readers to them; it returns the
	// first number that is free.
	resolve(rank int) int
	save(*encoder) error
	load(*decoder)
}

// channelCore is what does not depend on the type of the payload.
type channelCore struct {
	node     *Node
	name     string
	typeName string
	keep     Duration
	keepSet  bool
	limit    int
	reserved int // reservations that no reader has taken yet
	entries  []*entryCore
	readers  []*readerCore
	err      error // why the channel cannot be used
}

// Limits of what a channel keeps.
const (
	// DefaultRetention is how long data stay that no sequential reader is waiting for.
	DefaultRetention = 200 * Millisecond
	// DefaultLimit is how many data an entry keeps for sequential readers before it drops the oldest.
	DefaultLimit = 1 << 20
	// unreadWarning is the number of unread data at which a reader is reported, and again at each multiple.
	unreadWarning = 10_000
)

// Open is the channel of that name, which is made when it is new. All that open it must agree on T; one that does not gets a
// channel that takes no data, and a mistake in [Node.Err].
func Open[T any](n *Node, name string) *Channel[T] {
	where := fmt.Sprintf("channel %q", name)
	typeName := reflect.TypeFor[T]().String()
	if old, ok := n.byName[name]; ok {
		if c, ok := old.(*Channel[T]); ok {
			return c
		}
		return unusable[T](n, name, n.refuse(&Error{Where: where, Err: ErrType, Found: typeName,
			Want: old.core().typeName, Hint: "open it everywhere with the type it was first opened with"}))
	}
	if bad := badName(name); bad != "" {
		return unusable[T](n, name, n.refuse(&Error{Where: where, Err: ErrName, Found: bad}))
	}
	if err := n.build(where); err != nil {
		return unusable[T](n, name, err)
	}
	c := &Channel[T]{codec: defaultCodec[T]()}
	c.channelCore = channelCore{node: n, name: name, typeName: typeName, keep: DefaultRetention, limit: DefaultLimit}
	n.byName[name] = c
	n.channels = append(n.channels, c)
	return c
}

// unusable is a channel outside of the node, whose tokens refuse to work with err.
func unusable[T any](n *Node, name string, err error) *Channel[T] {
	return &Channel[T]{channelCore: channelCore{node: n, name: name, err: err}}
}

func (c *channelCore) core() *channelCore { return c }

// Name is the channel's name.
func (c *channelCore) Name() string { return c.name }

// Keep asks that data stay readable by time for d after a newer datum has begun, instead of DefaultRetention. The longest of
// all wishes holds. Sequential readers get their data however old, see Limit. The newest datum always stays.
func (c *Channel[T]) Keep(d Duration) *Channel[T] {
	if d < 0 {
		c.node.mistake(&Error{Where: fmt.Sprintf("channel %q", c.name), Err: ErrSpec, Found: "retention " + d.String(),
			Want: "0 s or more"})
		return c
	}
	if !c.keepSet || d > c.keep {
		c.keep, c.keepSet = d, true
	}
	return c
}

// Limit sets how many data an entry keeps for readers that do not read. Beyond that the oldest are lost to them, which is
// reported as [LostData].
func (c *Channel[T]) Limit(data int) *Channel[T] {
	if data < 1 {
		c.node.mistake(&Error{Where: fmt.Sprintf("channel %q", c.name), Err: ErrSpec, Found: fmt.Sprintf("limit %d", data),
			Want: "1 or more"})
		return c
	}
	c.limit = data
	return c
}

// Codec sets how payloads become bytes in saved states and in the trace. It is needed for types that have no form in bytes of
// their own, see [Codec].
func (c *Channel[T]) Codec(codec Codec[T]) *Channel[T] {
	c.codec = codec
	return c
}

// Reserve keeps all data from now on for one reader that is yet to come and reads with [ReadReservation].
func (c *Channel[T]) Reserve() *Channel[T] {
	c.reserved++
	return c
}

// resolve implements channel.
func (c *Channel[T]) resolve(rank int) int {
	slices.SortFunc(c.entries, func(a, b *entry[T]) int {
		return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.module, b.module))
	})
	c.channelCore.entries = c.channelCore.entries[:0]
	for _, e := range c.entries {
		e.rank = rank
		rank++
		c.channelCore.entries = append(c.channelCore.entries, &e.entryCore)
	}
	slices.SortStableFunc(c.readers, func(a, b *Reader[T]) int {
		return cmp.Or(cmp.Compare(a.module, b.module), cmp.Compare(a.String(), b.String()))
	})
	c.channelCore.readers = c.channelCore.readers[:0]
	for _, r := range c.readers {
		r.rank = rank
		rank++
		r.bindAll()
		c.channelCore.readers = append(c.channelCore.readers, &r.readerCore)
	}
	for _, e := range c.entries {
		slices.SortFunc(e.binds, func(a, b *bind[T]) int { return a.reader.rank - b.reader.rank })
	}
	return rank
}
