package participant

import (
	"context"

	"gosmp/internal/state"
)

const magic = "gosmp mocksim participant 4\n"

// Save stores the current state.
func (p *Participant) Save(ctx context.Context) (err error) {
	p.saved, err = p.AppendState(ctx, p.saved[:0])
	return err
}

// Restore returns to the saved state.
func (p *Participant) Restore(ctx context.Context) error {
	if err := p.RestoreState(ctx, p.saved); err != nil {
		return err
	}
	return p.fill(p.w.Time() == p.start)
}

// AppendState appends the state of the world, and everything else that the next messages and inputs
// depend on.
func (p *Participant) AppendState(_ context.Context, b []byte) ([]byte, error) {
	start := len(b)
	b = append(b, magic...)
	b = state.AppendUint64(b, uint64(p.hits))
	b = p.messages.appendState(state.AppendBool(b, p.driven), p.scene.Seats)
	for _, x := range p.desks {
		for _, k := range x.keepers() {
			b = k.AppendState(b)
		}
	}
	if p.live != nil {
		b = p.live.AppendState(b)
	}
	return state.Seal(p.w.AppendState(b), start), nil
}

// RestoreState continues from a state of the same scene.
func (p *Participant) RestoreState(_ context.Context, saved []byte) error {
	d, err := state.Open(magic, saved)
	if err != nil {
		return err
	}
	hits, driven := int64(d.Uint64()), d.Bool()
	p.messages.restoreState(d, p.scene.Seats)
	for _, x := range p.desks {
		for _, k := range x.keepers() {
			if err := k.RestoreState(d); err != nil {
				return err
			}
		}
	}
	if p.live != nil {
		if err := p.live.RestoreState(d); err != nil {
			return err
		}
	}
	if err := d.Err(); err != nil {
		return err
	}
	if err := p.w.Restore(d.Data); err != nil {
		return err
	}
	p.hits, p.driven = hits, driven
	return nil
}
