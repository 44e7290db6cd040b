package traffic

import (
	"io"

	"gosmp/mocksim/truth"
	"gosmp/report/birdseye"
	"gosmp/timebase"
)

// WriteRecording writes the recording of the host's sensors.
func (s *Simulation) WriteRecording(w io.Writer) error {
	_, err := w.Write(s.recorded.Bytes())
	return err
}

// WritePage writes a web page with a slider over the run.
func (s *Simulation) WritePage(w io.Writer) error { return s.page.Write(w) }

// WritePicture draws everything within 150 m of the host in a format such as svg.
func (s *Simulation) WritePicture(w io.Writer, format string) error {
	maker, err := truth.New(s.w, truth.Options{Host: s.o.Traffic.Host, Range: 150,
		Static: truth.Every})
	if err != nil {
		return err
	}
	b, err := maker.SensorView()
	if err != nil {
		return err
	}
	frame, err := birdseye.OfBytes(b)
	if err != nil {
		return err
	}
	return birdseye.Write(w, format, frame)
}

// Summary is the result of a simulation.
type Summary struct {
	Actors     int
	Collisions int
	Flow       *Flow // nil without any
	Host       Host
	Time       float64       // s
	Lag        *timebase.Lag // nil without Options.RealTime
}

// Flow counts vehicles that enter and leave the map.
type Flow struct {
	Entered int `json:"entered"`
	Left    int `json:"left"`
	Waiting int `json:"waiting"` // outside, for room
}

// Host is the final state of the host.
type Host struct {
	Speed float64 `json:"speed"` // m/s
	X     float64 `json:"x"`     // m
	Y     float64 `json:"y"`     // m
	Yaw   float64 `json:"yaw"`   // rad

	Road string  `json:"-"` // "" off the road
	Lane int     `json:"-"`
	S    float64 `json:"-"` // m, along the road
}

// Summary returns the current result.
func (s *Simulation) Summary() (Summary, error) {
	host, err := s.w.Actor(s.o.Traffic.Host)
	if err != nil {
		return Summary{}, err
	}
	state := host.State()
	r := Summary{Actors: s.w.Len(), Collisions: s.hits, Time: s.Time(),
		Host: Host{Speed: state.Speed, X: state.Position.X, Y: state.Position.Y,
			Yaw: state.Orientation.Yaw}}
	if place := host.Place(); place.Lane != nil {
		r.Host.Road, r.Host.Lane, r.Host.S = place.Road.ID, place.Lane.ID, place.S
	}
	if s.o.RealTime > 0 {
		lag := s.pace.Lag()
		r.Lag = &lag
	}
	if s.o.Traffic.Flow > 0 {
		entered, left, waiting := s.w.FlowCounts()
		r.Flow = &Flow{entered, left, waiting}
	}
	return r, nil
}
