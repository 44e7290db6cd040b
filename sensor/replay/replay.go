package replay

import (
	"encoding/binary"
	"fmt"

	"gosmp/sensor"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// Replay plays a scenario file into [sensor.Samples].
type Replay struct {
	player *simsensor.Player
	row    simsensor.Row
	memory
}

// memory is what a replay remembers of the rows it has played. It is of fixed size, because it is part of saved states.
type memory struct {
	Samples sensor.Samples
	Newest  timebase.Time // when the newest row was stamped
	First   sensor.GPS    // the first fix, origin of the local map
}

// Open opens the scenario and publishes the rows of the start time. See [simsensor.Open] for the errors; what is only odd goes to
// opt.Warn.
func Open(name string, opt simsensor.Options) (*Replay, error) {
	player, err := simsensor.Open(name, opt)
	if err != nil {
		return nil, err
	}
	r := &Replay{player: player}
	if err := r.Advance(opt.Start); err != nil {
		_ = player.Close() // the first error is the one to tell
		return nil, err
	}
	return r, nil
}

// Advance publishes every row stamped at or before until: the newest of each sensor wins, all are counted.
func (r *Replay) Advance(until timebase.Time) error {
	for {
		at, ok, err := r.player.Next(until, &r.row)
		if err != nil || !ok {
			return err
		}
		r.Newest = at
		publish(&r.Samples, &r.row, at)
		if r.row.Kind == simsensor.GPS && !r.First.Known() {
			r.First = r.Samples.GPS
		}
	}
}

// Started says that a row has been published.
func (r *Replay) Started() bool { return r.player.Counters().Rows > 0 }

// Counters says how far the scenario has been played.
func (r *Replay) Counters() simsensor.Counters { return r.player.Counters() }

// Close lets go of the file.
func (r *Replay) Close() error { return r.player.Close() }

// AppendState appends what a replay of the same file needs to go on from here: the place in the file, and the newest samples.
func (r *Replay) AppendState(b []byte) []byte {
	b, err := binary.Append(b, binary.LittleEndian, &r.memory)
	if err != nil {
		panic(err) // only a field of variable size could be the reason, and memory has none
	}
	return r.player.AppendState(b)
}

// RestoreState takes back what AppendState has appended.
func (r *Replay) RestoreState(b []byte) error {
	n, err := binary.Decode(b, binary.LittleEndian, &r.memory)
	if err != nil {
		return fmt.Errorf("newest samples: %w", err)
	}
	return r.player.RestoreState(b[n:])
}
