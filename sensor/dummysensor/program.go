package dummysensor

import (
	"gosmp/internal/state"
	"gosmp/sensor/replay"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// program is one run of the sensor: three modules on one clock, which fmi2DoStep advances by one
// span.
//
//   - input samples the arrived data in every step: the due rows of the scenario, as events in the
//     channels of their sensors, and the SensorView set by the host, as a stream datum that is
//     valid for the span of the step.
//   - detector is triggered by And(step, view). It detects objects and passes on a usable
//     SensorView as a scene.
//   - sensor creates the SensorData. It is triggered by And(step, scene); in a step without a
//     scene, its safe callback creates a SensorData without one.
//
// Both streams declare if they have nothing for a step, so that triggers do not hold back spans for
// it.
type program struct {
	node    *activity.Node
	clock   *activity.VirtualClock
	player  *simsensor.Player // file or live; nil if there is no scenario
	file    *simsensor.Player // nil when there is none
	live    *simsensor.Player // plays the rows set by the host
	source  *replay.Source
	sampler *replay.Sampler

	input     loan // the SensorView of this step
	more      bool // rows of this step are still to come
	views     *activity.StreamWriter[view]
	viewRead  *activity.Reader[view]
	scenes    *activity.StreamWriter[view]
	sceneRead *activity.Reader[view]

	handlers   handlers
	activities []*activity.Activity
	err        error // error of the callbacks of this step
}

// handlers are the functions that the activities call.
type handlers struct {
	detect   func(span timebase.Span, view []byte) (usable bool)
	emit     func(span timebase.Span, view []byte) error // view is nil without one
	diagnose func(activity.Diagnostic)
}

// view is a SensorView, or the scene made from it. A channel keeps its newest datum, but the bytes
// belong to the host and are valid for one step. The datum therefore refers to them through a loan,
// which ends with the step.
type view struct{ *loan }

// loan is host memory that a step may read; bytes is nil if there is none.
type loan struct{ bytes []byte }

// viewCodec saves no bytes: osmp.Input keeps the bytes that a restored instance needs.
type viewCodec struct{}

func (viewCodec) Append(b []byte, _ view) ([]byte, error) { return b, nil }

func (viewCodec) Decode([]byte) (view, error) { return view{}, nil }

// take reads the datum of a span, or returns the zero view if there is none.
func take(r *activity.Reader[view], span timebase.Span) (v view) {
	r.Drain(span.Start, &v)
	return v
}

// data returns the bytes, or nil if there are none or the step for which they were lent is over.
func (v view) data() []byte {
	if v.loan == nil {
		return nil
	}
	return v.bytes
}

// newProgram builds the program and publishes the rows of the start time. The program closes the
// player of the file, which may be nil, even when newProgram fails.
func newProgram(start timebase.Time, file, live *simsensor.Player, h handlers) (*program, error) {
	p := &program{player: file, file: file, live: live, handlers: h}
	p.node = activity.NewNode(activity.NodeSpec{OnDiagnostic: p.diagnose})
	input, detector, sensor := p.node.Module("input"), p.node.Module("detector"),
		p.node.Module("sensor")
	step := p.node.Module("host").StepAlarm("step")
	p.views, p.viewRead = stream(p.node, "SensorView", input, detector)
	p.scenes, p.sceneRead = stream(p.node, "scene", detector, sensor)
	p.source = replay.NewSource(input, "")
	p.sampler = replay.NewSampler(sensor)
	p.run(start, input.Activity("sample", activity.Spec{Trigger: step, Work: p.sample}))
	p.run(start, detector.Activity("detect", activity.Spec{
		Trigger: activity.And(step, p.viewRead), Work: p.detect,
	}))
	p.run(start, sensor.Activity("emit", activity.Spec{
		Trigger: activity.And(step, p.sceneRead), Work: p.emit, Safe: activity.Safe{On: step,
			Work: p.emitAlone},
	}))
	if err := p.begin(start); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// stream opens a stream of SensorViews from one module to another. It has no retention, because the
// data is valid only for its step.
func stream(n *activity.Node, name string, from, to *activity.Module) (*activity.StreamWriter[view],
	*activity.Reader[view]) {
	c := activity.Open[view](n, name).Keep(0).Codec(viewCodec{})
	return c.StreamWriter(from, "", activity.Exclusive), c.Reader(to, activity.ReaderSpec{})
}

func (p *program) run(start timebase.Time, a *activity.Activity) {
	a.SwitchOn(start)
	p.activities = append(p.activities, a)
}

func (p *program) begin(start timebase.Time) (err error) {
	if p.clock, err = activity.NewVirtualClock(p.node, start); err != nil || p.player == nil {
		return err
	}
	p.source.Play(p.player)
	p.more = true
	return p.catchUp(start)
}

// catchUp publishes and takes, portion by portion, the rows that exceed the size of one round.
func (p *program) catchUp(until timebase.Time) (err error) {
	for p.more && err == nil {
		p.sampler.Take(until)
		p.more, err = p.source.Publish(until)
	}
	p.sampler.Take(until)
	return err
}

// step advances the clock by one span. bytes, the SensorView, is nil if there is none.
func (p *program) step(span timebase.Span, bytes []byte) error {
	p.err, p.input.bytes = nil, bytes
	err := p.advance(span)
	p.input.bytes = nil
	return err
}

func (p *program) advance(span timebase.Span) error {
	if err := p.clock.AdvanceTo(span.End); err != nil {
		return err
	}
	if p.err == nil && p.more {
		if p.err = p.catchUp(span.End); p.err == nil {
			p.err = p.handlers.emit(span, take(p.sceneRead, span).data())
		}
	}
	return p.err
}

// diagnose handles the clock's reports. A panic caught by the clock ends the step like an error.
func (p *program) diagnose(d activity.Diagnostic) {
	for _, a := range p.activities {
		if err := a.Err(); d.Finding == activity.ActivityFailed && err != nil && p.err == nil {
			p.err = err
		}
	}
	if p.handlers.diagnose != nil {
		p.handlers.diagnose(d)
	}
}

// sample is the callback of the input.
func (p *program) sample(c activity.Cycle) error {
	if p.player != nil {
		if p.more, p.err = p.source.Publish(c.Span.End); p.err != nil {
			return p.err
		}
	}
	if p.input.bytes == nil {
		p.views.Skip(c.Span.End)
		p.scenes.Skip(c.Span.End)
		return nil
	}
	return p.views.Write(c.Span, view{&p.input})
}

// detect is the callback of the detector.
func (p *program) detect(c activity.Cycle) error {
	v := take(p.viewRead, c.Span)
	if !p.handlers.detect(c.Span, v.data()) {
		p.scenes.Skip(c.Span.End)
		return nil
	}
	return p.scenes.Write(c.Span, v)
}

// emit is the callback of the sensor with a scene.
func (p *program) emit(c activity.Cycle) error {
	return p.finish(c.Span, take(p.sceneRead, c.Span).data())
}

// emitAlone is the callback of the sensor without a scene.
func (p *program) emitAlone(c activity.Cycle) error { return p.finish(c.Span, nil) }

// finish creates the SensorData. It reports errors to the caller of step, not to the clock.
func (p *program) finish(span timebase.Span, bytes []byte) error {
	if p.more { // more rows of this step follow: step reads the scene after the round
		return nil
	}
	if p.err == nil {
		if p.player != nil { // without a player, there are no events
			p.sampler.Take(span.End)
		}
		p.err = p.handlers.emit(span, bytes)
	}
	return nil
}

// silence ends the scenario that is being played, without closing it, and forgets its samples.
func (p *program) silence() {
	p.player, p.more = nil, false
	p.sampler.Forget()
}

// counters returns the progress of the scenario, or zero counters if there is none.
func (p *program) counters() simsensor.Counters {
	if p.player == nil {
		return simsensor.Counters{}
	}
	return p.player.Counters()
}

// close closes the scenario; closing a file that was only read has no relevant errors.
func (p *program) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}

// isLive reports whether the rows set by the host are played.
func (p *program) isLive() bool { return p.player != nil && p.player == p.live }

// feed plays rows that the host set for a step. The first rows end the previously played scenario
// and discard its samples.
func (p *program) feed(span timebase.Span, rows []byte) error {
	if !p.isLive() {
		p.play(p.live)
		p.sampler.Forget()
	}
	return p.live.Feed(span.Start, rows)
}

func (p *program) play(player *simsensor.Player) {
	p.player = player
	p.source.Play(player)
}

func (p *program) appendState(b []byte) ([]byte, error) {
	clock, err := p.node.AppendState(nil)
	if err != nil {
		return nil, err
	}
	b = p.sampler.AppendState(state.AppendBytes(b, clock))
	b = state.AppendBool(b, p.isLive())
	if p.player == nil {
		return b, nil
	}
	return p.player.AppendState(b), nil
}

// restoreState restores what appendState appended, and whether the scenario had been silenced.
func (p *program) restoreState(b []byte, silent bool) error {
	d := state.Decoder{Data: b}
	clock := d.Bytes()
	if err := d.Err(); err != nil {
		return err
	}
	if err := p.node.RestoreState(clock); err != nil {
		return err
	}
	rest, err := p.sampler.RestoreState(d.Data)
	if err != nil {
		return err
	}
	d.Data = rest
	switch live := d.Bool(); {
	case silent:
		p.silence()
	case live:
		p.play(p.live)
	default:
		p.play(p.file)
	}
	if err := d.Err(); err != nil || p.player == nil {
		return err
	}
	return p.player.RestoreState(d.Data)
}
