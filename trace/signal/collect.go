package signal

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/timebase"
)

// Collector collects all numbers in messages over time and thins them out: in each interval it
// keeps only the least and the greatest number, so that no peak is lost. Memory does not grow with
// the number of messages or objects.
//
//	c := signal.NewCollector(first, last, 600)
//	c.Add("radar", t, descriptor, message.Data)
//	for _, curve := range c.Changing() { ... }
//
// It leaves out the map (lanes, signs, markings, stationary objects) and detections without ids,
// such as points. It must be used by one goroutine only.
type Collector struct {
	LeftOut int  // numbers left out for lack of room
	More    bool // there were more of them, which were not counted

	first, span timebase.Time
	intervals   int
	times       map[string][]timebase.Time // time of a channel's first message in each interval
	roots       map[source]*node
	layouts     layouts
	curves      []*Curve
	nodes       int
	most        int // nodes
}

// Curve is a number over time.
type Curve struct {
	Channel string
	Path    string // with elements named by id: moving_object[id=7].base.velocity.x
	Unit    string // of OSI's fields; "" if there is none or it is unknown
	// Least and Greatest hold the extreme values in each interval, or NaN where there are none.
	Least, Greatest []float64
	First, Last     float64 // in the order of the messages
	Enum            protoreflect.EnumDescriptor
	changes, set    bool
}

// node is a field of a message, or a list element in one.
type node struct {
	path     string
	children []*node // in the order of the layout of its message
	counts   []int   // numbers of list elements in the current message
	seen     []int   // how many of them have been read
	elements map[uint64]*node
	curve    *Curve
	full     bool
}

// mostCurves and mostNodes bound the memory of a collector, and mostElements the length of lists
// without ids.
const (
	mostCurves   = 4000
	mostNodes    = 500_000
	mostElements = 16
)

// skipped names the fields that describe the map or how messages were created.
var skipped = map[protoreflect.Name]bool{
	"version": true, "timestamp": true, "lane": true, "lane_boundary": true, "logical_lane": true,
	"logical_lane_boundary": true, "reference_line": true, "road_marking": true,
	"stationary_object": true, "traffic_sign": true, "base_polygon": true,
	"source_reference": true, "future_trajectory": true, "view_configuration": true,
	"wheel_data": true, "id": true, "tracking_id": true, "ground_truth_id": true,
	"country_code": true, "assigned_lane_id": true, "moving_object_classification": true,
}

// NewCollector returns a collector for the numbers between two times.
func NewCollector(first, last timebase.Time, intervals int) *Collector {
	return &Collector{first: first, span: max(1, last-first), intervals: intervals,
		times: map[string][]timebase.Time{}, roots: map[source]*node{}, layouts: layouts{},
		most: mostNodes}
}

// Intervals returns the number of intervals.
func (c *Collector) Intervals() int { return c.intervals }

// At returns the time of the first message of a channel in an interval, or the middle of an
// interval without messages.
func (c *Collector) At(channel string, interval int) timebase.Time {
	if list := c.times[channel]; list != nil && list[interval] != timebase.EndOfTime {
		return list[interval]
	}
	return c.first + timebase.Time((float64(interval)+0.5)*float64(c.span)/float64(c.intervals))
}

// note records that a channel has a message in an interval. More channels than there is room for
// curves have no times.
func (c *Collector) note(channel string, interval int, t timebase.Time) {
	list := c.times[channel]
	if list == nil {
		if len(c.times) == mostCurves {
			return
		}
		list = make([]timebase.Time, c.intervals)
		for k := range list {
			list[k] = timebase.EndOfTime
		}
		c.times[channel] = list
	}
	list[interval] = min(list[interval], t)
}

func (c *Collector) begin(channel string, n *node, f *field) {
	if len(c.curves) == mostCurves {
		n.full = true
		c.LeftOut++
		return
	}
	path := strings.TrimPrefix(n.path, ".")
	n.curve = &Curve{Channel: channel, Path: path, Unit: unitOf(path, f),
		Least: make([]float64, c.intervals), Greatest: make([]float64, c.intervals),
		First: math.NaN(), Enum: f.Enum()}
	for k := range n.curve.Least {
		n.curve.Least[k], n.curve.Greatest[k] = math.NaN(), math.NaN()
	}
	c.curves = append(c.curves, n.curve)
}

func (u *Curve) add(k int, x float64) {
	if math.IsNaN(u.First) {
		u.First = x
	}
	u.changes = u.changes || x != u.First
	u.Last = x
	if math.IsNaN(u.Least[k]) {
		u.Least[k], u.Greatest[k] = x, x
	}
	u.Least[k], u.Greatest[k] = math.Min(u.Least[k], x), math.Max(u.Greatest[k], x)
}

// room reports whether there is room for another node.
func (c *Collector) room() bool {
	c.More = c.More || c.nodes >= c.most
	c.nodes++
	return !c.More
}

// child returns the node of a field, or nil if there is no room for it.
func (c *Collector) child(n *node, l *layout, f *field) *node {
	if n.children == nil {
		n.children = make([]*node, len(l.fields))
	}
	child := n.children[f.index]
	if child == nil && c.room() {
		child = &node{path: n.path + "." + string(f.Name())}
		n.children[f.index] = child
	}
	return child
}

// element returns the node of a list element, or nil if there is no room for it.
func (c *Collector) element(n *node, id uint64, named bool) *node {
	if n.elements == nil {
		n.elements = map[uint64]*node{}
	}
	e := n.elements[id]
	if e == nil && c.room() {
		e = &node{path: fmt.Sprintf("%s[%d]", n.path, id)}
		if named {
			e.path = fmt.Sprintf("%s[id=%d]", n.path, id)
		}
		n.elements[id] = e
	}
	return e
}

// Changing returns the curves of the numbers that change, in the order of their first occurrence,
// and the number of constant ones.
func (c *Collector) Changing() (changing []*Curve, constant int) {
	for _, u := range c.curves {
		switch {
		case u.changes:
			changing = append(changing, u)
		case u.set:
			constant++
		}
	}
	return changing, constant
}
