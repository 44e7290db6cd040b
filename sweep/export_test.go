package sweep

import (
	"reflect"

	"gosmp/timebase"
)

// SchemaTypes returns the types that the definitions of the schema describe; "" is the plan.
func SchemaTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"": reflect.TypeFor[Plan](), "sampling": reflect.TypeFor[Sampling](),
		"stop": reflect.TypeFor[Stop](), "boundary": reflect.TypeFor[Boundary](),
		"parameter": reflect.TypeFor[definition](), "moments": reflect.TypeFor[moments](),
		"mode": reflect.TypeFor[mode](), "mean": reflect.TypeFor[mean](),
		"bin": reflect.TypeFor[bin](),
	}
}

// The functions of distributions.
var (
	BelowNormal    = belowNormal
	NormalQuantile = normalQuantile
	Log1p          = log1p
)

// SettingsWithin computes all settings of a grid, whose texts may have so many bytes.
func (p *Plan) SettingsWithin(bytes int) error {
	e, err := p.evaluator()
	if err != nil {
		return err
	}
	e.room = bytes
	return p.grid(func(_ int, values []any) error {
		_, _, err := e.settings(values)
		return err
	})
}

// SettingsTaking computes all settings of a grid, each of which takes a time of a clock.
func (p *Plan) SettingsTaking(each timebase.Duration) error {
	e, err := p.evaluator()
	if err != nil {
		return err
	}
	e.clock = &ticks{each: each}
	return p.grid(func(_ int, values []any) error {
		_, _, err := e.settings(values)
		return err
	})
}

// ticks is a clock that shows each time twice.
type ticks struct {
	each  timebase.Duration
	reads timebase.Time
}

func (t *ticks) Now() timebase.Time {
	t.reads++
	return t.reads / 2 * t.each
}

func (*ticks) Wait(<-chan struct{}, timebase.Duration, <-chan struct{}) {}

// Computed returns the number of bytes of the settings that expressions computed for cases.
func (p *Plan) Computed(cases []Case) int { return p.computed(cases) }
