package position

import (
	"errors"
	"fmt"

	"gosmp/frames"
	"gosmp/scenario"
)

// of returns the place of the entity that a relative position refers to.
func of(scene Scene, entity int, name string) (*Place, error) {
	if at := scene.PlaceOf(entity); at != nil {
		return at, nil
	}
	return nil, fmt.Errorf("a position relative to %s, which does not exist", name)
}

// relative reads RelativeWorldPosition and RelativeObjectPosition.
func (r *Reader) relative(e *scenario.Element, p *Position) error {
	entity, err := r.Entity(e, "entityRef")
	if err != nil {
		return err
	}
	p.Reference = entity
	d := frames.Vector{X: Number(e, "dx", 0), Y: Number(e, "dy", 0), Z: Number(e, "dz", 0)}
	o := r.orientation(e)
	inFrame := e.Name == "RelativeObjectPosition"
	p.given, p.heading = Given{Height: e.Has("dz")}, o.h
	p.resolve = func(scene Scene, out *Place) error {
		from, err := of(scene, entity, r.Entities[entity])
		if err != nil {
			return err
		}
		at := *from
		way := d
		if inFrame {
			frame := at.Direction.Rotation()
			way = frame.Apply(d)
		}
		at.Position = at.Position.Add(way)
		given := Given{Height: p.given.Height}
		if !given.Height {
			at.Height = 0
		}
		r.Network.Locate(&at, from, given)
		o.turn(r.Network, &at)
		*out = at
		return nil
	}
	return nil
}

func (r *Reader) relativeRoad(e *scenario.Element, p *Position) error {
	entity, err := r.Entity(e, "entityRef")
	if err != nil {
		return err
	}
	p.Reference = entity
	ds, dt := Number(e, "ds", 0), Number(e, "dt", 0)
	o := r.orientation(e)
	p.heading = o.h
	p.resolve = func(scene Scene, out *Place) error {
		from, err := of(scene, entity, r.Entities[entity])
		if err != nil {
			return err
		}
		at := Place{Road: from.Road, Lane: from.Lane, S: from.S, T: from.T, Offset: from.Offset}
		if rest := r.Network.Move(&at, ds, scene.RouteOf(entity)); rest > 1e-6 {
			return beyond(ds, rest)
		}
		r.Network.Aside(&at, at.T+float64(dt*at.Sign())) // in the axes of the road of the entity
		o.turn(r.Network, &at)
		*out = at
		return nil
	}
	return nil
}

func beyond(ds, rest float64) error {
	return fmt.Errorf("a place %g m along the road, which ends %g m before", ds, rest)
}

// Beside returns the id of the lane that is d lanes to the left of another one, in the direction of
// larger ids, skipping lane 0.
func Beside(lane, d int) int {
	to := lane + d
	if to == 0 || (to > 0) != (lane > 0) {
		if d > 0 {
			to++
		} else if d < 0 {
			to--
		}
	}
	return to
}

func (r *Reader) relativeLane(e *scenario.Element, p *Position) error {
	entity, err := r.Entity(e, "entityRef")
	if err != nil {
		return err
	}
	p.Reference = entity
	dLane, offset := int(Number(e, "dLane", 0)), Number(e, "offset", 0)
	along := e.Has("dsLane") && !e.Has("ds")
	ds := Number(e, "ds", Number(e, "dsLane", 0))
	o := r.orientation(e)
	p.heading = o.h
	p.resolve = func(scene Scene, out *Place) error {
		from, err := of(scene, entity, r.Entities[entity])
		if err != nil {
			return err
		}
		if from.Road == nil || from.Lane == nil {
			return errors.New("a lane, where there are no roads")
		}
		at := Place{Road: from.Road, Lane: from.Lane, S: from.S, Offset: from.Offset}
		way, lanes, aside := ds, dLane, offset
		if along && from.Lane.ID > 0 != from.Road.LeftHand {
			way = -way
		}
		if along && !from.Forwards() {
			lanes, aside = -lanes, -aside
		}
		move := r.Network.Move
		if along {
			move = r.Network.moveAlong
		}
		if rest := move(&at, way, scene.RouteOf(entity)); rest > 1e-6 {
			return beyond(ds, rest)
		}
		if !at.Forwards() { // s of this road runs against that of the road of the entity
			lanes, aside = -lanes, -aside
		}
		id := Beside(at.Lane.ID, lanes)
		l := at.Road.SectionAt(at.S).Lane(id)
		if l == nil {
			return fmt.Errorf("no lane %d of road %s at %g m", id, at.Road.ID, at.S)
		}
		at.Lane, at.Offset = l, aside
		if along {
			at.Turn = travel(l)
		}
		r.Network.Settle(&at)
		o.turn(r.Network, &at)
		*out = at
		return nil
	}
	return nil
}
