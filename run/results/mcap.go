package results

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"time"

	"gosmp/cosim"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

const (
	flushEvery   = timebase.Second // simulated time
	previewEvery = time.Second     // real time: older rows survive if the run is killed
)

// mcapTable writes a topic for each participant, with a JSON message for each row.
type mcapTable struct {
	to      io.Writer
	columns []Column
	topics  []*topic
	number  uint32
	flushed timebase.Time

	mu      sync.Mutex
	sink    trace.Sink
	timer   *time.Timer
	waiting bool
	ended   bool
	failed  error // of the timer
}

// topic writes the messages of a participant. It holds the text before each value and at the end.
type topic struct {
	channel *trace.Channel
	before  []string
	columns []*Column
	last    string
	text    []byte
}

func newMCAP(w io.Writer, columns []Column) *mcapTable {
	return &mcapTable{to: w, columns: columns}
}

func (t *mcapTable) begin(r *cosim.Result) (err error) {
	if r.Spec.Start < 0 {
		return fmt.Errorf(
			"found a start at %v s, expected a non-negative one, as MCAP has no earlier times",
			r.Seconds(r.Spec.Start))
	}
	if t.sink, err = trace.Create(t.to, trace.MCAP,
		trace.SinkOptions{Compression: mcap.Zstd}); err != nil {
		return err
	}
	var names []string
	of := map[string][]*Column{}
	for k := range t.columns {
		c := &t.columns[k]
		name := c.Signal.Participant
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], c)
	}
	for _, name := range names {
		x := &topic{columns: of[name]}
		schema := x.layOut()
		x.channel, err = t.sink.Add(trace.Channel{Topic: name, Type: name, Encoding: "json",
			SchemaEncoding: "jsonschema", Schema: schema})
		if err != nil {
			return err
		}
		t.topics = append(t.topics, x)
	}
	return t.sink.Flush()
}

// row writes a message for each participant.
func (t *mcapTable) row(at timebase.Time, _ float64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.topics {
		m := trace.Message{Channel: x.channel, Time: at, Publish: at, Sequence: t.number,
			Data: x.message()}
		if err := t.sink.Write(&m); err != nil {
			return err
		}
	}
	t.number++
	if at >= t.flushed+flushEvery {
		t.flushed = at
		return errors.Join(t.failed, t.sink.Flush())
	}
	t.await()
	return t.failed
}

// await schedules a preview of the waiting rows.
func (t *mcapTable) await() {
	if t.waiting {
		return
	}
	t.waiting = true
	if t.timer == nil {
		t.timer = time.AfterFunc(previewEvery, t.preview)
	} else {
		t.timer.Reset(previewEvery)
	}
}

func (t *mcapTable) preview() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = false
	if p, is := t.sink.(trace.Previewer); is && !t.ended {
		t.failed = p.Preview()
	}
}

func (t *mcapTable) end() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.sink == nil {
		return nil
	}
	return errors.Join(t.failed, t.sink.Close())
}

// message returns the message with the current values, which is valid until the next call.
func (x *topic) message() []byte {
	b := x.text[:0]
	for k, c := range x.columns {
		b = append(b, x.before[k]...)
		b = c.appendJSON(b)
	}
	b = append(b, x.last...)
	x.text = b
	return b
}

func (c *Column) appendJSON(b []byte) []byte {
	kind := c.Signal.Variable.Kind
	array := c.Element == Whole && len(c.Signal.Variable.Dimensions) > 0
	if array {
		b = append(b, '[')
	}
	if kind.IsBlob() {
		for k, blob := range c.blobs() {
			b = comma(b, k)
			b = appendText(b, kind, blob)
		}
	} else {
		for k, cell := range c.cells() {
			b = comma(b, k)
			b = appendCell(b, kind, cell)
		}
	}
	if array {
		b = append(b, ']')
	}
	return b
}

func comma(b []byte, k int) []byte {
	if k > 0 {
		return append(b, ',')
	}
	return b
}

// appendText appends a text, or a binary in Base64.
func appendText(b []byte, kind cosim.Kind, blob []byte) []byte {
	if kind == cosim.String {
		return append(b, quoted(string(blob))...)
	}
	b = base64.StdEncoding.AppendEncode(append(b, '"'), blob)
	return append(b, '"')
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil { // impossible for a text
		return []byte(`""`)
	}
	return b
}

// appendCell appends a number, or null for a number that JSON cannot represent.
func appendCell(b []byte, kind cosim.Kind, cell uint64) []byte {
	switch {
	case kind == cosim.Boolean:
		return strconv.AppendBool(b, cell != 0)
	case kind.IsFloat():
		x := math.Float64frombits(cell)
		if kind == cosim.Float32 {
			x = float64(math.Float32frombits(uint32(cell)))
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return append(b, "null"...)
		}
	}
	return cosim.AppendValue(b, kind, cell)
}

var jsonTypes = map[bool]string{true: "integer", false: "number"}

// schema returns the type of a column for JSON Schema.
func (c *Column) schema() map[string]any {
	s := map[string]any{}
	switch kind := c.Signal.Variable.Kind; kind {
	case cosim.String:
		s["type"] = "string"
	case cosim.Binary:
		s["type"], s["contentEncoding"] = "string", "base64"
	case cosim.Boolean:
		s["type"] = "boolean"
	default:
		s["type"] = jsonTypes[!kind.IsFloat()]
	}
	if c.Element == Whole && len(c.Signal.Variable.Dimensions) > 0 {
		s = map[string]any{"type": "array", "items": s}
	}
	if unit := c.Signal.Variable.Unit; unit != "" {
		s["description"] = "in " + unit
	}
	return s
}

// layOut determines the layout of messages, and returns their schema.
func (x *topic) layOut() []byte {
	names := map[string]bool{}
	for _, c := range x.columns {
		names[c.name()] = true
	}
	root := &member{}
	for _, c := range x.columns {
		root.add(c, names)
	}
	x.columns = nil
	x.last = root.lay(x, "")
	text, err := json.Marshal(root.schema())
	if err != nil { // impossible for maps and texts
		return nil
	}
	return text
}
