package mocksim

import (
	"fmt"
	"math/rand/v2"

	"gosmp/mocksim/opendrive"
)

// Traffic defines what [World.Populate] creates.
type Traffic struct {
	Count  int    // vehicles
	Prefix string // of their names, which go on with a number ["traffic"]
	Driver Driver // how all of them drive; wanted speeds differ by a fifth
	Host   string // a car of this name is created first, if it is not ""
}

// roomAround is the way that Populate leaves free between the middles of two vehicles, in m.
const roomAround = 25.0

// Populate creates vehicles on lanes for cars, places and kinds chosen by the seed, and lets all of
// them drive on forever. It fails with [ErrValue], and creates nothing, if the map has not enough
// room.
func (w *World) Populate(t Traffic) error {
	const call = "populate"
	if t.Count < 0 || t.Count > 100_000 {
		return invalid(call+".count", t.Count, "0 to 100000")
	}
	if err := t.Driver.check(call); err != nil {
		return err
	}
	if t.Prefix == "" {
		t.Prefix = "traffic"
	}
	wanted := t.Count
	if t.Host != "" {
		wanted++
	}
	slots := w.slots()
	if len(slots) < wanted {
		return invalid(call+".count", t.Count, fmt.Sprintf("at most %d vehicles at distances of %g m on this map", len(slots), roomAround))
	}
	random := rand.New(rand.NewPCG(w.o.Seed, 0x706f70756c617465))
	random.Shuffle(len(slots), func(i, k int) { slots[i], slots[k] = slots[k], slots[i] })
	mix := [...]Kind{Car, Car, Car, Van, Car, Truck, Car, Bus, Car, Motorcycle}
	var made []string
	for k := range wanted {
		a := Actor{Name: fmt.Sprintf("%s%04d", t.Prefix, k), Kind: mix[random.IntN(len(mix))], Start: slots[k]}
		if t.Host != "" {
			a.Name = fmt.Sprintf("%s%04d", t.Prefix, k-1)
		}
		if k == 0 && t.Host != "" {
			a.Name, a.Kind = t.Host, Car
		}
		c := Controller{Driver: t.Driver}
		c.MaxSpeed = slots[k].Speed * (0.9 + float64(0.2*random.Float64()))
		if t.Driver.Speed > 0 {
			c.Speed = t.Driver.Speed * (0.9 + float64(0.2*random.Float64()))
			c.MaxSpeed = t.Driver.MaxSpeed
		}
		a.Start.Speed /= 2
		err := w.Create(a)
		if err == nil {
			made = append(made, a.Name)
			err = w.SetController(a.Name, c)
		}
		if err != nil {
			for _, name := range made {
				_ = w.Destroy(name)
			}
			return err
		}
	}
	return nil
}

// slots are places for vehicles that are far enough from one another and from those that are there,
// with the speed limit.
func (w *World) slots() (list []Start) {
	taken := map[[2]int32]bool{}
	cell := func(x, y float64) [2]int32 { return [2]int32{int32(x / 4), int32(y / 4)} }
	for _, a := range w.actors {
		taken[cell(a.state.Position.X, a.state.Position.Y)] = true
	}
	for _, l := range w.m.Lanes() {
		if !l.Drivable() || l.Section.Length() < roomAround {
			continue
		}
		for s := l.Section.S + roomAround/2; s < l.Section.End-roomAround/2; s += roomAround {
			end := opendrive.LaneEnd{Lane: l}
			p := end.Center()
			if st, err := l.Section.Road.Station(s); err == nil {
				p = l.Point(&st, l.Center(s))
			}
			if taken[cell(p.X, p.Y)] || l.Width(s) < 2.5 {
				continue
			}
			limit, ok := l.SpeedLimit(s)
			if !ok {
				limit = fallbackLimit(l)
			}
			list = append(list, OnRoad(l.Section.Road.ID, l.ID, s).WithSpeed(min(limit, 60)))
		}
	}
	return list
}
