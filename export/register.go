package export

import (
	"errors"
	"fmt"
	"net/url"
	"sync"

	"gosmp/fmu"
)

// Set by the linker when an FMU is packed: the guid that the model description carries, and start values that differ from those
// of the definition, as names and values of a URL query: the linker's flags can hold neither blanks nor quotes.
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
		return nil, errors.New("this library contains no model: its program did not call export.Register")
	}
	d := registered()
	if guid != "" {
		d.GUID = guid
	}
	return d, errors.Join(setStart(d), d.Check())
}

// setStart replaces the start values that were packed.
func setStart(d *fmu.Definition) error {
	values, err := url.ParseQuery(startValues)
	if err != nil {
		return fmt.Errorf("%w: start values that are not from the packer: %q: %w", fmu.ErrDefinition, startValues, err)
	}
	var errs []error
	for name, value := range values {
		errs = append(errs, d.SetStart(name, value[0]))
	}
	return errors.Join(errs...)
}
