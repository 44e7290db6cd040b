package sweep

import "reflect"

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
