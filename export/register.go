package export

import (
	"errors"
	"fmt"
	"net/url"
	"sync"

	"gosmp/fmu"
)

// Set by the linker when an FMU is packed: the guid of the model description, and start values that
// differ from those of the definition. They are encoded as a URL query, because linker flags can
// contain neither blanks nor quotes.
var (
	guid        string
	startValues string
)

var registered func() *fmu.Definition

// Register sets the definition of the model for which this library is the core. It has to be called
// once, from init.
func Register(definition func() *fmu.Definition) { registered = definition }

// The definition that all instances share, or the reason why there is none.
var (
	once   sync.Once
	shared *fmu.Definition
	wrong  error
)

// definition builds and checks the definition on first use: nothing runs while the library is
// loaded.
func definition() (*fmu.Definition, error) {
	once.Do(func() {
		// the first caller gets the panic itself
		wrong = fmt.Errorf("%w: the model could not be declared", fmu.ErrPanic)
		shared, wrong = build()
	})
	return shared, wrong
}

func build() (*fmu.Definition, error) {
	if registered == nil {
		return nil,
			errors.New("this library contains no model: its program did not call export.Register")
	}
	d := registered()
	if guid != "" {
		d.GUID = guid
	}
	return d, errors.Join(setStart(d), d.Check())
}

// setStart applies the packed start values.
func setStart(d *fmu.Definition) error {
	values, err := url.ParseQuery(startValues)
	if err != nil {
		return fmt.Errorf("%w: start values that are not from the packer: %q: %w",
			fmu.ErrDefinition, startValues, err)
	}
	var errs []error
	for name, value := range values {
		errs = append(errs, d.SetStart(name, value[0]))
	}
	return errors.Join(errs...)
}
