package export

import (
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"gosmp/fmu"
)

// Set by the linker when an FMU is packed: the guid that the model description carries, and start values that differ from those
// of the definition, as hexadecimal digits of what fmu.AppendStart makes.
var (
	guid        string
	startValues string
)

var registered func() *fmu.Definition

// Register makes the model known whose FMU this library is the core of. To be called once, from init.
func Register(definition func() *fmu.Definition) { registered = definition }

// The definition that all instances share, or why there is none.
var (
	once   sync.Once
	shared *fmu.Definition
	wrong  error
)

// definition builds and checks the definition on first use: nothing is done while the library is loaded.
func definition() (*fmu.Definition, error) {
	once.Do(func() {
		wrong = fmt.Errorf("%w: the model could not be declared", fmu.ErrPanic) // the first caller gets the panic itself
		shared, wrong = build()
	})
	return shared, wrong
}

func build() (*fmu.Definition, error) {
	if registered == nil {
		return nil, errors.New("this library contains no model: its program has not called export.Register")
	}
	d := registered()
	if guid != "" {
		d.GUID = guid
	}
	start, err := hex.DecodeString(startValues)
	if err != nil {
		return nil, fmt.Errorf("start values that are not from the packer: %q: %w", startValues, err)
	}
	return d, errors.Join(d.RestoreStart(start), d.Check())
}
