package run

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
)

// samples returns a value that is no default for each type of an option.
func samples() map[reflect.Type]any {
	number := 0.5
	return map[reflect.Type]any{
		reflect.TypeFor[string](): "x", reflect.TypeFor[bool](): true,
		reflect.TypeFor[*float64](): &number, reflect.TypeFor[*int](): new(int),
		reflect.TypeFor[float64](): number, reflect.TypeFor[int](): 3,
		reflect.TypeFor[int64](): int64(3), reflect.TypeFor[uint64](): uint64(3),
		reflect.TypeFor[time.Duration]():      time.Second,
		reflect.TypeFor[[]string]():           []string{"x"},
		reflect.TypeFor[[]Assignment]():       []Assignment{{"x", "y"}},
		reflect.TypeFor[[]Connection]():       []Connection{{"x", "y"}},
		reflect.TypeFor[[]trial.Setting]():    []trial.Setting{{}},
		reflect.TypeFor[map[string]float64](): map[string]float64{"x": 1},
		reflect.TypeFor[map[string]bool]():    map[string]bool{"x": true},
	}
}

// TestTable_HasEveryOption: each field of Options has a row in the table, except for those that
// only connect a run to its caller.
func TestTable_HasEveryOption(t *testing.T) {
	connecting := []string{"Files", "Document", "Observe", "Browse", "FilesChecked", "Reserve",
		"Log", "Journal", "Stdin", "Commands", "TurnedAway"}
	all := func(users) bool { return true }
	used := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[struct {
		Options
		Access
	}]()) {
		access := field.Index[0] == 1 // each of its fields is an option
		if field.Anonymous || field.Name == "Access" || slices.Contains(connecting, field.Name) {
			continue
		}
		o := Defaults()
		target := reflect.ValueOf(&o).Elem()
		if access {
			target = target.FieldByName("Access")
		}
		target.FieldByName(field.Name).Set(reflect.ValueOf(samples()[field.Type]))
		names := o.given(all)
		require.Len(t, names, 1, field.Name)
		used[names[0]] = true
	}
	o := Defaults()
	require.Empty(t, o.given(all))
	for _, x := range options {
		require.True(t, used[x.name], x.name)
		require.NotZero(t, x.users, x.name)
	}
}
