package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// kind of objects, as an index.
type kind int

const (
	movingObjects kind = iota
	stationaryObjects
)

// view is what one input tells in a step.
type view struct {
	data  *osi3.SensorData
	lists [2]list // by kind
}

// list is the part of a view about one kind of objects.
type list struct {
	there, usable, whole bool
	measured             timebase.Time
	objects              []object // in an order that does not depend on that in the message, nor on ids
}

// look reads the inputs that have something for this step.
func (f *fusion) look(now timebase.Time) (views []view) {
	for k, in := range f.inputs {
		data := &f.data[k]
		if !message.Read(in, data) {
			continue
		}
		r := f.newReader(k, data, now)
		if err := r.check(); err != nil {
			in.Reject(err)
			continue
		}
		views = append(views, view{data, [2]list{r.moving(), r.stationary()}})
		if r.odd > 0 && !f.odd[k] {
			f.odd[k] = true
			f.log.Warnf("%s: %d objects without a position, or with one beyond %g m, are left out; later ones are not told",
				in.Name(), r.odd, beyond)
		}
	}
	return views
}

// check says why a SensorData cannot be fused.
func (r *reader) check() error {
	if p, o, ok := mounting(r.data); !ok {
		return fmt.Errorf("%w: position %v, orientation %v, expected lengths within %g m and finite angles",
			errMounting, p, o, beyond)
	}
	times := []timebase.Time{made(r.data, r.now)}
	for _, l := range []list{r.movingList(), r.stationaryList()} {
		if l.there {
			times = append(times, l.measured)
		}
	}
	for _, t := range times {
		if age := r.now.Seconds() - t.Seconds(); math.Abs(age) > r.maxAge {
			return fmt.Errorf("%w: stamped %v, %g s before the end of the step; inputs.maxAge allows %g s",
				errAge, t, age, r.maxAge)
		}
	}
	return nil
}

var (
	errMounting = errors.New("useless mounting_position")
	errAge      = errors.New("data of another time")
)

// mounting is the pose of the sensor in the vehicle frame; none counts as the origin.
func mounting(data *osi3.SensorData) (p frames.Vector, o frames.Orientation, ok bool) {
	m := data.GetMountingPosition()
	p, o = vector(m.GetPosition()).Vector, orientation(angles(m.GetOrientation()).Vector)
	return p, o, inside(p) && o.Finite()
}

// measured is when the objects of a list were where it says.
func measured(h *osi3.DetectedEntityHeader, data *osi3.SensorData, now timebase.Time) timebase.Time {
	for _, t := range []*osi3.Timestamp{h.GetMeasurementTime(), data.GetLastMeasurementTime(), data.GetTimestamp()} {
		if t != nil {
			return message.TimeOf(t)
		}
	}
	return now
}

// made is when a SensorData was there.
func made(data *osi3.SensorData, now timebase.Time) timebase.Time {
	if data.Timestamp == nil {
		return now
	}
	return message.TimeOf(data.Timestamp)
}

// reader takes the objects out of one SensorData.
type reader struct {
	*fusion
	input    int
	data     *osi3.SensorData
	now      timebase.Time
	place    frames.Vector
	attitude frames.Rotation
	odd      int // objects that have no place
}

func (f *fusion) newReader(k int, data *osi3.SensorData, now timebase.Time) *reader {
	r := &reader{fusion: f, input: k, data: data, now: now}
	place, angles, _ := mounting(data)
	if f.frame == "vehicle" {
		place, angles = frames.Vector{}, frames.Orientation{}
	}
	r.place, r.attitude = place, angles.Rotation()
	return r
}

func (r *reader) moving() list {
	l := r.movingList()
	if l.usable {
		for _, m := range r.data.GetMovingObject() {
			l.add(r, object{moving: m}, m.GetHeader(), m.GetBase(), m.GetBaseRmse())
		}
	}
	slices.SortStableFunc(l.objects, byPlace)
	return l
}

func (r *reader) stationary() list {
	l := r.stationaryList()
	if l.usable {
		for _, s := range r.data.GetStationaryObject() {
			l.add(r, object{stationary: s}, s.GetHeader(), still(s.GetBase()), still(s.GetBaseRmse()))
		}
	}
	slices.SortStableFunc(l.objects, byPlace)
	return l
}

// still is the base of a stationary object as one that does not tell about motion.
func still(b *osi3.BaseStationary) *osi3.BaseMoving {
	return &osi3.BaseMoving{Dimension: b.GetDimension(), Position: b.GetPosition(), Orientation: b.GetOrientation()}
}

func (r *reader) movingList() list {
	return r.list(r.data.GetMovingObjectHeader(), len(r.data.GetMovingObject()))
}

func (r *reader) stationaryList() list {
	return r.list(r.data.GetStationaryObjectHeader(), len(r.data.GetStationaryObject()))
}

// list is what the header of a list tells; the list is there when it has a header or objects.
func (r *reader) list(h *osi3.DetectedEntityHeader, objects int) list {
	l := list{there: h != nil || objects > 0, usable: true, measured: measured(h, r.data, r.now)}
	switch h.GetDataQualifier() {
	case osi3.DetectedEntityHeader_DATA_QUALIFIER_NOT_AVAILABLE, osi3.DetectedEntityHeader_DATA_QUALIFIER_BLINDNESS:
		l.usable = false
	case osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE, osi3.DetectedEntityHeader_DATA_QUALIFIER_UNKNOWN:
		l.whole = true
	}
	return l
}

// add completes o and appends it, if it has a place.
func (l *list) add(r *reader, o object, h *osi3.DetectedItemHeader, base, rmse *osi3.BaseMoving) {
	if !o.measure(r, base, rmse) {
		r.odd++
		return
	}
	o.identify(r, h)
	since := l.measured
	if o.predicted {
		since = made(r.data, r.now) // the sensor has moved it there already
	}
	if dt := (r.now - since).Seconds(); dt != 0 {
		o.predict(&r.prediction, dt)
	}
	l.objects = append(l.objects, o)
}
