package participant

import (
	"context"

	"gosmp/frames"
	"gosmp/internal/state"
	"gosmp/mocksim/truth"
)

const magic = "gosmp mocksim participant 1\n"

// Save stores the present state.
func (p *Participant) Save(ctx context.Context) (err error) {
	p.saved, err = p.AppendState(ctx, p.saved[:0])
	return err
}

// Restore goes back to the state that was saved.
func (p *Participant) Restore(ctx context.Context) error {
	if err := p.RestoreState(ctx, p.saved); err != nil {
		return err
	}
	return p.fill(p.w.Time() == p.start)
}

// AppendState appends the state of the world, and what the next messages and inputs depend on
// besides.
func (p *Participant) AppendState(_ context.Context, b []byte) ([]byte, error) {
	start := len(b)
	b = append(b, magic...)
	b = state.AppendUint64(b, uint64(p.hits))
	m := p.maker.Memory()
	b = state.AppendBool(state.AppendBool(b, p.driven), m.Sent)
	for _, v := range [...]float64{m.Center.X, m.Center.Y, m.Center.Z} {
		b = state.AppendFloat64(b, v)
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
	memory := truth.Memory{Sent: d.Bool(), Center: frames.Vector{X: d.Float64(), Y: d.Float64(),
		Z: d.Float64()}}
	if err := d.Err(); err != nil {
		return err
	}
	if err := p.w.Restore(d.Data); err != nil {
		return err
	}
	p.hits, p.driven = hits, driven
	p.maker.Recall(memory)
	return nil
}
