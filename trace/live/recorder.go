package live

import (
	"cmp"
	"fmt"
	"sync/atomic"
	"time"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/osmp"
	"gosmp/timebase"
	"gosmp/trace"
)

const (
	// flushEvery is the simulation time after which a recording is flushed.
	flushEvery = timebase.Second
	// previewEvery is how long a written message may be missing from the file. If a run that is
	// slow or hangs is killed, the file has every message older than a second.
	previewEvery = 700 * time.Millisecond
)

// RecorderOptions control a [Recorder].
type RecorderOptions struct {
	// Drop drops messages when the queue is full, and counts them. Otherwise the simulation waits,
	// which is the right choice unless it must keep up with a clock.
	Drop bool
	// Warn is called once when recording fails, from the engine goroutine.
	Warn func(text string)
}

// Recorder records the messages of binary signals. A message with the time stamp of the previous
// one is considered the same message, held by its sender, and is recorded only once. The time of a
// message is its time stamp, or the communication point if it has none. When the engine returns to
// an earlier state, recorded messages stay, and no message is recorded until the time of the newest
// row has passed again: times in a recording never go back, and no time is recorded twice.
type Recorder struct {
	sink     trace.Sink
	options  RecorderOptions
	tracks   []track
	queue    *queue
	done     chan struct{}
	failed   atomic.Pointer[error] // set by the writing goroutine
	begun    bool
	warned   bool
	seen     bool          // there has been a row
	now      timebase.Time // of the newest row
	repeated bool          // the engine has gone back
	until    timebase.Time // if so, rows up to here have been recorded
	Messages int64         // messages taken
	Dropped  int64

	// Fields of the writing goroutine.
	missing bool      // the file lacks the newest messages
	since   time.Time // when the first of them was written to the sink
}

// track is a signal and its channel.
type track struct {
	signal  *cosim.Signal
	channel *trace.Channel
	stamped bool // the newest message had a stamp
	stamp   timebase.Time
}

// NewRecorder returns a recorder that records signals to a sink and closes it at the end of the
// run. Topics are the labels of the signals, such as RadarFL.OSMPSensorDataOut. Signals that are
// not binary are refused.
func NewRecorder(sink trace.Sink, o RecorderOptions, signals ...*cosim.Signal) (*Recorder, error) {
	r := &Recorder{sink: sink, options: o, queue: newQueue(queueBytes), done: make(chan struct{})}
	for _, s := range signals {
		if s.Variable.Kind != cosim.Binary {
			return nil, fault.New(trace.ErrChannel, fault.Place{}, s.Name()+" of type "+
				s.Variable.Kind.String(), "a binary variable")
		}
		c, err := sink.Add(ChannelOf(s.Label(), s.Variable.MIMEType))
		if err != nil {
			return nil, err
		}
		r.tracks = append(r.tracks, track{signal: s, channel: c})
	}
	return r, nil
}

// ChannelOf returns the channel for a binary variable: a channel of OSI messages if its MIME type
// says so, as OSMP requires, or a channel of bytes otherwise. The channel always has a type, which
// for bytes is the MIME type: MCAP files may have channels without a schema, but OSI readers look
// up the schema of each.
func ChannelOf(topic, mimeType string) trace.Channel {
	if media, parameters, ok := osmp.ParseMIMEType(mimeType); ok && media == osmp.OSIMediaType {
		c := trace.OSI(topic, parameters["type"])
		if _, ok := trace.ParseVersion(parameters["version"]); ok {
			c.OSIVersion = parameters["version"]
		}
		if c.IsOSI() {
			return c
		}
	}
	mimeType = cmp.Or(mimeType, "application/octet-stream")
	return trace.Channel{Topic: topic, Type: mimeType, Encoding: mimeType}
}

// Begin writes the head of the file and starts the writing goroutine.
func (r *Recorder) Begin(*cosim.Result) error {
	if err := r.sink.Flush(); err != nil {
		return err
	}
	r.begun = true
	go r.write()
	return nil
}

// Row takes the messages of the current communication point. They are written after the next row,
// at the end of the run, or after a while if neither comes.
func (r *Recorder) Row(t timebase.Time, row cosim.Row) error {
	r.queue.publish()
	r.follow(t, row)
	if row == cosim.BeforeEvent {
		return nil
	}
	if r.failed.Load() != nil {
		r.warn()
		return nil
	}
	for k := range r.tracks {
		if _, data := r.tracks[k].signal.First(); len(data) > 0 {
			r.take(&r.tracks[k], t, data)
		}
	}
	r.queue.leave()
	return nil
}

// follow notices that the engine has returned to an earlier state: its next row is earlier than the
// newest one, or is a second row at the same communication point.
func (r *Recorder) follow(t timebase.Time, row cosim.Row) {
	if r.seen && (t < r.now || t == r.now && row == cosim.AtPoint) {
		if !r.repeated && r.options.Warn != nil {
			r.options.Warn(
				fmt.Sprintf(
					"the run has gone back from %v s to before %v s: the recording keeps what it "+
						"has up to %v s, and continues from there",
					r.now.Seconds(), t.Seconds(), r.now.Seconds()))
		}
		r.until = max(r.until, r.now)
		r.repeated = true
	}
	r.seen, r.now = true, t
}

// take copies a message into the queue.
func (r *Recorder) take(k *track, t timebase.Time, data []byte) {
	stamp, ok := trace.StampOf(k.channel.Type, data)
	ok = ok && stamp >= 0 && k.channel.IsOSI()
	if ok && k.stamped && stamp == k.stamp {
		return
	}
	k.stamped, k.stamp = ok, stamp
	if r.repeated && t <= r.until {
		return
	}
	if ok {
		t = stamp
	}
	m := trace.Message{Channel: k.channel, Time: max(0, t), Publish: max(0, t), Data: data}
	for !r.queue.offer(m) {
		if r.options.Drop {
			r.Dropped++
			return
		}
		r.queue.wait()
	}
	r.Messages++
}

// write empties the queue. It keeps going after an error, so that the engine never blocks.
func (r *Recorder) write() {
	defer close(r.done)
	var flushed timebase.Time
	for m := r.queue.next(r.preview); m != nil; m = r.queue.next(r.preview) {
		if r.failed.Load() == nil {
			err := r.sink.Write(m)
			if !r.missing {
				r.missing, r.since = true, time.Now()
			}
			if err == nil && m.Time >= flushed+flushEvery {
				flushed, r.missing = m.Time, false
				err = r.sink.Flush()
			}
			r.fail(err)
			r.preview()
		}
		r.queue.release()
	}
	if r.failed.Load() == nil {
		r.fail(r.sink.Close())
	}
}

// preview writes messages to the file that have been missing from it for too long.
func (r *Recorder) preview() {
	if !r.missing || r.failed.Load() != nil || time.Since(r.since) < previewEvery {
		return
	}
	r.missing = false
	if p, is := r.sink.(trace.Previewer); is {
		r.fail(p.Preview())
	} else {
		r.fail(r.sink.Flush())
	}
}

func (r *Recorder) fail(err error) {
	if err != nil {
		r.failed.Store(&err)
	}
}

// End waits until everything is written.
func (r *Recorder) End(*cosim.Result) error {
	if !r.begun {
		return nil
	}
	r.queue.close()
	<-r.done
	if r.failed.Load() != nil {
		r.warn()
	}
	if r.Dropped > 0 && r.options.Warn != nil {
		r.options.Warn(quantity.Of(r.Dropped, "message") +
			" not recorded, because writing was too slow")
	}
	return nil
}

// warn reports a failure once.
func (r *Recorder) warn() {
	if r.warned || r.options.Warn == nil {
		return
	}
	r.warned = true
	r.options.Warn(
		fmt.Sprintf(
			"recording has ended: %v; what was flushed can be read, gosmp repair makes "+
				"it a whole file", *r.failed.Load()))
}

// Err returns the error that ended recording early, or nil.
func (r *Recorder) Err() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}
