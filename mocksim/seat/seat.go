package seat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

var (
	// ErrMessage reports bytes that are not a TrafficUpdate.
	ErrMessage = errors.New("not a TrafficUpdate")
	// ErrUpdate reports a TrafficUpdate with impossible values for an actor.
	ErrUpdate = errors.New("unusable TrafficUpdate")
	// ErrStart reports a driver whose first update differs from the actor's position.
	ErrStart = errors.New("start pose")
)

// Options describe a seat.
type Options struct {
	Actor    string  // the seat's actor
	Range    float64 // m, of the SensorViews around the actor; 0: everything
	SensorID uint64  // of the SensorViews; 0: the maker's
	// FromDriver lets the first update place the actor where the driver wants to start.
	FromDriver bool
	// Apart leaves the motion of the actor to others, which read the updates from Seat.Said.
	Apart bool
	// Trailer takes over the pose of a trailer of the actor from an update. It returns false if the
	// id is not the id of such a trailer. nil: the actor never has a trailer.
	Trailer func(id uint64, u *mocksim.Update) bool
}

// Seat connects an actor of a world with its driver. Only one goroutine at a time may use it.
type Seat struct {
	w       *mocksim.World
	maker   *truth.Maker
	o       Options
	id      uint64
	start   timebase.Time
	from    mocksim.State // the actor's state at the start
	begun   bool          // an update was received
	made    timebase.Time // time of the latest message or missing message
	missing int           // consecutive steps of the driver without a message
	told    []uint64      // objects whose events were reported
	object  object
	trailer object         // of the actor
	course  mocksim.Course // of a driver whose actor is moved by others
	stamp   timebase.Time  // of the update being read
	stamped bool
	visit   func(wire.Number, []byte) bool // reads a field of an update; created once
	err     error
}

// New gives an actor of a world to a driver. The maker must create messages of the same world; its
// map is shared.
func New(w *mocksim.World, m *truth.Maker, o Options) (*Seat, error) {
	v, err := w.Actor(o.Actor)
	if err != nil {
		return nil, err
	}
	s := &Seat{w: w, o: o, id: v.ID(), start: w.Time(), made: w.Time(), from: v.State()}
	s.course.Kind = v.Kind()
	s.maker = m.For(o.Actor, o.SensorID, o.Range)
	s.visit = s.field
	if o.Apart {
		return s, nil
	}
	return s, w.Take(o.Actor)
}

// Said returns the state that a driver wants for an actor moved by others at a time: according to
// its latest update, along its future_trajectory or, without one, in the motion of the update. It
// returns nil before the first update. The result is valid until the next call.
func (s *Seat) Said(at timebase.Time) *mocksim.Update { return s.course.At(at) }

// Actor returns the name of the actor.
func (s *Seat) Actor() string { return s.o.Actor }

// Maker returns the maker of this seat's messages.
func (s *Seat) Maker() *truth.Maker { return s.maker }

// SensorView returns the current view of the driver. The bytes are valid until the second call
// after this one.
func (s *Seat) SensorView() ([]byte, error) { return s.maker.SensorView() }

// Take takes the actor back from the owner that took it from the driver. A driver that has not sent
// anything yet must start at the actor's current position.
func (s *Seat) Take() error {
	s.told = slices.DeleteFunc(s.told, func(id uint64) bool { return id == s.id })
	if v, err := s.w.Actor(s.o.Actor); err == nil && !s.begun {
		s.from, s.start = v.State(), s.w.Time()
	}
	return s.w.Take(s.o.Actor)
}

// Update passes on the driver's output, a TrafficUpdate or nothing, before the step of the world
// that ends at made or later. It must be called before each step. A message with the same time as
// the previous one is the same message and counts once. An error ends the run.
func (s *Seat) Update(made timebase.Time, message []byte) error {
	if made == s.made {
		return nil
	}
	s.made = made
	if len(message) == 0 {
		return s.silent()
	}
	s.err, s.stamped = nil, false
	if !eachField(message, s.visit) && s.err == nil {
		s.err = fault.New(ErrMessage, fault.At("the driver of "+s.o.Actor),
			fmt.Sprintf("%d bytes", len(message)), "a TrafficUpdate of OSI")
	}
	switch {
	case s.err != nil:
		return s.err
	case s.object.id != s.id: // no information about this actor
		return s.silent()
	}
	s.object.id = 0
	s.align()
	if err := s.check(&s.object.update); err != nil {
		return err
	}
	s.object.update.Extra.Internal = internal(message, s.id)
	return s.apply()
}

// field reads the objects in an update. It stores this seat's object in s.object.
func (s *Seat) field(num wire.Number, content []byte) bool {
	switch num {
	case field.TrafficUpdateTimestamp:
		s.stamped = timestamp(content, &s.stamp) // an impossible one is ignored
		return true
	case field.TrafficUpdateUpdate:
	default:
		return true
	}
	id, _ := wire.FindIdentifier(content, field.MovingObjectId)
	if id != s.id {
		return s.other(id, content)
	}
	return s.object.read(content)
}

// other reads an object of an update that is not the actor: a trailer of it, or one that another
// owner moves.
func (s *Seat) other(id uint64, content []byte) bool {
	if s.o.Trailer == nil {
		s.foreign(id)
		return true
	}
	if !s.trailer.read(content) {
		return false
	}
	if !s.o.Trailer(id, &s.trailer.update) {
		s.foreign(id)
		return true
	}
	s.err = s.check(&s.trailer.update)
	return s.err == nil
}

// align converts the times of a plan to world time. An update applies from the end of the driver's
// step, regardless of its time stamp, and the plan starts there.
func (s *Seat) align() {
	if !s.stamped {
		return
	}
	plan := s.object.update.Plan
	for k := range plan {
		plan[k].Time += s.made - s.stamp
	}
}

// mostTold is the maximum number of reported objects.
const mostTold = 100

// foreign reports an object of another owner, once.
func (s *Seat) foreign(id uint64) {
	if slices.Contains(s.told, id) || len(s.told) == mostTold {
		return
	}
	s.told = append(s.told, id)
	e := mocksim.Event{Time: s.w.Time(), Kind: mocksim.UnknownActor, Actor: s.o.Actor,
		Value: float64(id), Text: fmt.Sprintf("no actor has the id %d", id)}
	for k := range s.w.Len() {
		if v := s.w.At(k); v.ID() == id {
			e.Kind, e.Other, e.Text = mocksim.NotOwner, v.Name(), ""
		}
	}
	s.w.Tell(e)
}

// silent lets the actor keep moving for one step of a driver that sends nothing. After that, the
// actor returns to its former owner.
func (s *Seat) silent() error {
	if s.missing++; s.missing != 2 || s.o.Apart {
		return nil
	}
	if _, owned := s.owned(); !owned {
		return nil // the actor is gone, or has another owner
	}
	s.w.Tell(mocksim.Event{Time: s.w.Time(), Kind: mocksim.Silent, Actor: s.o.Actor})
	return s.w.Release(s.o.Actor)
}

// owned reports whether the actor exists, and whether the driver owns it.
func (s *Seat) owned() (exists, owned bool) {
	v, err := s.w.Actor(s.o.Actor)
	return err == nil, err == nil && v.Owned()
}

// apply passes an update to the world.
func (s *Seat) apply() error {
	if s.o.Apart {
		return s.hear()
	}
	exists, owned := s.owned()
	if !exists {
		return nil
	}
	if s.missing >= 2 { // the actor was given back, but has not been taken since
		if err := s.w.Take(s.o.Actor); err != nil {
			return err
		}
		owned = true
	}
	s.missing = 0
	if !owned {
		s.foreign(s.id)
		return nil
	}
	u := &s.object.update
	u.Time = s.made
	if !s.begun {
		s.begun, u.Placed = true, s.o.FromDriver
		if err := s.checkStart(u); err != nil {
			return err
		}
	}
	return s.w.Put(s.o.Actor, u)
}

// check refuses values that are impossible for an actor.
func (s *Seat) check(u *mocksim.Update) error {
	err := u.Check("")
	if err == nil {
		return nil
	}
	var value *fault.Error
	if !errors.As(err, &value) {
		return err
	}
	return fault.New(ErrUpdate, fault.At("the driver of "+s.o.Actor),
		strings.TrimPrefix(value.Place.Object, ".")+" "+value.Found, value.Expected)
}

// hear stores an update that others apply.
func (s *Seat) hear() error {
	s.missing = 0
	u := &s.object.update
	u.Time = s.made
	s.course.Update(u)
	if s.begun {
		return nil
	}
	s.begun = true
	return s.checkStart(u)
}

// Silent reports whether the driver has sent nothing for two of its own steps.
func (s *Seat) Silent() bool { return s.missing >= 2 }

// The allowed deviation of the first update from the actor's motion: an imperceptible distance and,
// for a driver that gives no velocity, a speed that every car can reach.
const (
	nearStart = 0.1 // m
	anySpeed  = 50  // m/s
)

// checkStart refuses a driver that does not start at the actor's position.
func (s *Seat) checkStart(u *mocksim.Update) error {
	if s.o.FromDriver || u.Given&(mocksim.PartX|mocksim.PartY) == 0 {
		return nil
	}
	at, speed := s.from.Position, max(s.from.Speed, -s.from.Speed)
	if u.Given&mocksim.PartX != 0 {
		at.X = u.Position.X
	}
	if u.Given&mocksim.PartY != 0 {
		at.Y = u.Position.Y
	}
	if u.Given&(mocksim.PartVelocityX|mocksim.PartVelocityY) == 0 {
		speed = max(speed, anySpeed)
	} else {
		speed = max(speed, portable.Hypot(u.Velocity.X, u.Velocity.Y))
	}
	way := portable.Hypot(at.X-s.from.Position.X, at.Y-s.from.Position.Y)
	if way <= float64(speed*(s.made-s.start).Seconds())+nearStart {
		return nil
	}
	return fault.New(ErrStart, fault.At("the driver of "+s.o.Actor),
		fmt.Sprintf("the first TrafficUpdate at (%.2f, %.2f), %.2f m from %s", at.X, at.Y, way,
			s.o.Actor), fmt.Sprintf("a position near (%.2f, %.2f), where the world has placed %s",
			s.from.Position.X, s.from.Position.Y, s.o.Actor)).
		WithHint("let the driver begin at the pose of its host vehicle in the SensorView, or use " +
			"its own start (--start-from fmu)")
}

// AppendState appends the state on which the next steps depend, except for the world.
func (s *Seat) AppendState(b []byte) []byte {
	m := s.maker.Memory()
	b = state.AppendBool(state.AppendBool(b, m.Sent), s.begun)
	from := &s.from.Position
	for _, v := range [...]float64{m.Center.X, m.Center.Y, m.Center.Z, from.X, from.Y, from.Z,
		s.from.Speed} {
		b = state.AppendFloat64(b, v)
	}
	b = state.AppendUint64(b, uint64(s.start))
	b = state.AppendUint64(state.AppendUint64(b, uint64(s.made)), uint64(s.missing))
	return appendIDs(b, s.told)
}

func appendIDs(b []byte, list []uint64) []byte {
	b = state.AppendUint64(b, uint64(len(list)))
	for _, id := range list {
		b = state.AppendUint64(b, id)
	}
	return b
}

func readIDs(list []uint64, d *state.Decoder) []uint64 {
	for n := d.Uint64(); n > 0 && d.Err() == nil; n-- {
		list = append(list, d.Uint64())
	}
	return list
}

// RestoreState continues from a saved state; the world must be restored, too.
func (s *Seat) RestoreState(d *state.Decoder) error {
	var m truth.Memory
	m.Sent, s.begun = d.Bool(), d.Bool()
	m.Center.X, m.Center.Y, m.Center.Z = d.Float64(), d.Float64(), d.Float64()
	from := &s.from.Position
	from.X, from.Y, from.Z = d.Float64(), d.Float64(), d.Float64()
	s.from.Speed, s.start = d.Float64(), timebase.Time(d.Uint64())
	s.made, s.missing = timebase.Time(d.Uint64()), int(d.Uint64())
	s.told = readIDs(s.told[:0], d)
	s.maker.Recall(m)
	return d.Err()
}
