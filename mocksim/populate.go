package mocksim

import (
	"fmt"
	"math/rand/v2"
)

// Traffic defines what [World.Populate] creates.
type Traffic struct {
	Count  int    // vehicles
	Prefix string // of their names, which go on with a number ["traffic"]
	Driver Driver // how all of them drive; wanted speeds differ by a fifth
	// Host is the name of a vehicle that is created first, if it is not "": a car, unless all lanes
	// are closed to cars.
	Host string
}

// Populate creates vehicles on lanes for cars, places and kinds chosen by the seed, and lets all of
// them drive on forever. They are 25 m or more from one another along their lanes. Where the map has
// no room for all of them, fewer are created, the host first: compare [World.Len] with Count. It
// fails with [ErrValue], and creates nothing, if there is room for none.
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
	slots, inside, tight := w.places()
	if len(slots)+len(inside) == 0 && wanted > 0 {
		return invalid(call+".count", t.Count, "no vehicle: this map has no lane for cars that is long and wide enough")
	}
	random := rand.New(rand.NewPCG(w.o.Seed, 0x706f70756c617465))
	for _, part := range [...][]Start{slots, inside} {
		random.Shuffle(len(part), func(i, k int) { part[i], part[k] = part[k], part[i] })
	}
	slots = append(slots, inside...)
	wanted = min(wanted, len(slots))
	if t.Host != "" {
		w.carFirst(slots)
	}
	var made []string
	for k := range wanted {
		a := Actor{Name: fmt.Sprintf("%s%04d", t.Prefix, k), Kind: mix[random.IntN(len(mix))], Start: slots[k]}
		if t.Host != "" {
			a.Name = fmt.Sprintf("%s%04d", t.Prefix, k-1)
		}
		if k == 0 && t.Host != "" {
			a.Name = t.Host
		}
		if k == 0 && t.Host != "" || tight {
			a.Kind = Car
		}
		a.Kind, _ = w.admitted(a.Kind, &slots[k])
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
