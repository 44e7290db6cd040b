package scxml

// EventType states where an event comes from.
type EventType uint8

// The types of events (section 5.10.1).
const (
	ExternalEvent EventType = iota // sent by a machine or from outside
	InternalEvent                  // raised by the machine itself
	PlatformEvent                  // raised by the interpreter: errors and done events
)

var eventTypeNames = [...]string{"external", "internal", "platform"}

// String returns "external", "internal" or "platform".
func (t EventType) String() string { return eventTypeNames[t] }

// Event is an event that machines react to. Only Name is required; the chart sees empty fields as
// undefined.
type Event struct {
	Name       string
	Type       EventType
	SendID     string
	Origin     string
	OriginType string
	InvokeID   string
	Data       Value
}

// eventQueue is a queue of events that does not allocate in steady state.
type eventQueue struct {
	events []Event
	head   int
}

func (q *eventQueue) isEmpty() bool { return q.head == len(q.events) }

func (q *eventQueue) length() int { return len(q.events) - q.head }

func (q *eventQueue) enqueue(e Event) { q.events = append(q.events, e) }

func (q *eventQueue) dequeue() Event {
	e := q.events[q.head]
	q.events[q.head] = Event{}
	if q.head++; q.head == len(q.events) {
		q.events, q.head = q.events[:0], 0
	}
	return e
}

func (q *eventQueue) clear() { q.events, q.head = nil, 0 }
