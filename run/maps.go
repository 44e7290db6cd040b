package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"gosmp/fmi"
	"gosmp/importer/system"
	"gosmp/internal/regular"
	"gosmp/mocksim"
	"gosmp/mocksim/foreign"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/participant"
	"gosmp/mocksim/truth"
	"gosmp/run/kind"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// The defaults for a map if nothing else determines the times, in seconds.
const (
	mapStep = 0.02
	mapStop = 10
)

// simulated is a map among the files of a run, with its simulator.
type simulated struct {
	part        *system.Part
	file        File
	participant *participant.Participant
}

// isMap reports whether a file is an OpenDRIVE map.
func isMap(file string) bool { return kind.Of(file) == kind.Map }

// openFMU opens an FMU that earlier runs may have read already. Without a reserve, it leaves that
// to its caller.
func (r *Simulation) openFMU(file string) (*system.Part, error) {
	if r.Options.Reserve == nil {
		return nil, nil
	}
	f, err := r.Options.Reserve.Open(file)
	return &system.Part{FMU: f}, err
}

// openMap creates a simulator from a map. It ignores other files.
func (r *Simulation) openMap(file string) (*system.Part, error) {
	name := r.names[r.opened]
	r.opened++
	if !isMap(file) {
		return nil, nil
	}
	content, err := r.readMapFile(file)
	if err != nil {
		return nil, err
	}
	for _, text := range LeftOut(content) {
		r.log.warn(text)
	}
	c := &r.Options
	if c.Range < 0 || math.IsNaN(c.Range) {
		return nil, usage.Unexpected("--range", c.Range, "0 or more metres")
	}
	t := mocksim.Traffic{
		Count:  c.Actors,
		Host:   HostName,
		Driver: mocksim.Driver{Speed: c.TrafficSpeed},
	}
	if c.LaneChanges {
		t.Driver.LaneChange = mocksim.ChangeWithMOBIL
	}
	s := &simulated{file: r.inputs[len(r.inputs)-1]}
	var lack string
	s.participant, err = participant.New(participant.Scene{
		Map: content, Options: mocksim.Options{Seed: c.Seed}, Truth: truth.Options{Host: HostName,
			Static: truth.Every, Range: c.Range},
		Actors: func(w *mocksim.World) error {
			err := w.Populate(t)
			lack = LackOfRoom(w, t)
			return err
		},
		Seats: r.seats(name), FromDrivers: c.StartFrom == StartFromFMU,
		Events: func(list []mocksim.Event) { r.happened(s, list) },
		Join:   joining(c.Simulator, c.Seed, r.log.printed),
	})
	if errors.Is(err, mocksim.ErrActor) {
		return nil, usage.Invalid("--drive, --on or --connect", err)
	}
	if err != nil {
		return nil, usage.Of(err, map[string]string{"populate.count": "--actors",
			"populate.speed": "--traffic-speed", "range": "--range"})
	}
	if lack != "" { // warn only once, even though each start of the simulator populates a world
		r.log.warn(lack)
	}
	s.part = &system.Part{Other: s.participant, Units: participantUnits(), World: true}
	r.maps = append(r.maps, s)
	return s.part, nil
}

// joining returns a function that lets a third-party simulator move the actors of a world, or nil
// without such a simulator.
func joining(address string, seed uint64, log func(string)) func(context.Context, *mocksim.World,
	timebase.Grid) error {
	if address == "" {
		return nil
	}
	return func(ctx context.Context, w *mocksim.World, step timebase.Grid) error {
		return foreign.Join(ctx, w, address, foreign.Options{Step: step, Seed: seed,
			Log: func(line string) { log("simulator: " + line) }})
	}
}

// LackOfRoom returns a warning if a map has no room for all vehicles of the traffic, and ""
// otherwise.
func LackOfRoom(w *mocksim.World, t mocksim.Traffic) string {
	others := w.Len()
	if t.Host != "" {
		others--
	}
	if others >= t.Count {
		return ""
	}
	return fmt.Sprintf(
		"the lanes of this map have room for %d of %d vehicles; ask for %d with --actors",
		others,
		t.Count,
		others,
	)
}

// LeftOut returns warnings about parts of a map that the simulator does not evaluate. The last one
// may say that there are more.
func LeftOut(m *opendrive.Map) (list []string) {
	const most = 5
	all := m.LeftOut()
	for k := range all {
		if k == most {
			return append(list, fmt.Sprintf("and %d more of this kind; gosmp check lists them",
				len(all)-k))
		}
		f := &all[k]
		list = append(list, fmt.Sprintf("%s: %s [%s]", f.Place, f.Message, f.ID))
	}
	return list
}

// readMapFile reads a map and records its hash.
func (r *Simulation) readMapFile(file string) (*opendrive.Map, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	hash := sha256.New()
	m, err := opendrive.Read(file, io.TeeReader(f, hash))
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(hash, f); err != nil { // the data after the last element
		return nil, err
	}
	r.inputs = append(r.inputs, File{file, hex.EncodeToString(hash.Sum(nil))})
	return m, nil
}

// participantUnits returns the units of the variables of a simulator.
func participantUnits() []fmi.Unit {
	return []fmi.Unit{
		{Name: "m", M: 1},
		{Name: "rad", Rad: 1},
		{Name: "m/s", M: 1, S: -1},
		{Name: "m/s2", M: 1, S: -2},
	}
}

// happened logs the events of a simulator.
func (r *Simulation) happened(s *simulated, list []mocksim.Event) {
	for k := range list {
		r.printed(s.part.Name, list[k].String())
	}
}

// proposeForMaps proposes steps and a stop time if no FMU does.
func (r *Simulation) proposeForMaps() {
	if len(r.maps) == 0 {
		return
	}
	for _, v := range []struct {
		value    *system.Value
		proposed float64
	}{{&r.System.Step, mapStep}, {&r.System.Stop, mapStop}} {
		if v.value.Origin == "" {
			*v.value = system.Value{Number: v.proposed, Origin: "the simulator's"}
		}
	}
}

// connectViews connects the messages of a map to matching inputs that have no other source. It logs
// which other messages could be connected.
func (r *Simulation) connectViews() error {
	var fed []string
	for _, a := range r.Options.InputMessages {
		p, v, _, err := r.named("--input-messages", a)
		if err != nil {
			return err
		}
		fed = append(fed, r.System.Label(p, v.Name))
	}
	if len(r.maps) > 0 {
		r.System.ConnectViews(fed...)
		r.System.ConnectPortions(participant.RowsName, participant.ViewName, r.ownStep)
	}
	r.System.WarnOfFree(fed...)
	return nil
}

// ownStep reports whether a part steps less often than the others.
func (r *Simulation) ownStep(p *system.Part) bool {
	_, is := r.Options.StepSizes[p.Name]
	return is
}

// Map is a map in the summary of a run.
type Map struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	Seed       uint64 `json:"seed"`
	Actors     int    `json:"actors"`
	Collisions int64  `json:"collisions"`
	// Driven lists the actors that FMUs drive, if any.
	Driven []Driven `json:"driven,omitempty"`
}

// summaries returns descriptions of the maps of a run.
func (r *Simulation) summaries() (list []Map) {
	for _, s := range r.maps {
		list = append(
			list,
			Map{
				s.part.Name,
				s.file.Path,
				s.file.SHA256,
				r.Options.Seed,
				s.participant.Actors(),
				s.participant.Collisions(),
				r.driven(s.part.Name),
			},
		)
	}
	return list
}

// HostName is the actor whose sensors are simulated, and ViewName is the output with its
// SensorView.
const (
	HostName = "ego"
	ViewName = "OSMPSensorViewOut"
)
