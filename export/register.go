package export

import (
	"errors"
	"fmt"
	"net/url"
	"sync"

	"gosmp/fmi"
	"gosmp/fmu"
)

// Values set by the linker when an FMU is packed: the guid of the model description, and start
// values that differ from the definition, which are encoded as a URL query because linker flags can
// contain neither blanks nor quotes.
var (
	guid        string
	startValues string
)

var registered func() *fmu.Definition

// Register sets the definition of the model for which this library is the core. It must be called
// once, from init.
func Register(definition func() *fmu.Definition) { registered = definition }

// declared is a definition that all instances of one version of FMI share, or the reason why there
// is none.
type declared struct {
	once   sync.Once
	shared *fmu.Definition
	wrong  error
}

var declarations [fmi.FMI3 + 1]declared

// definition builds and checks the definition for a version on first use: nothing runs while the
// library is loaded.
func definition(v fmi.Version) (*fmu.Definition, error) {
	d := &declarations[v]
	d.once.Do(func() {
		// the first caller receives the panic itself
		d.wrong = fmt.Errorf("%w: the model could not be declared", fmu.ErrPanic)
		d.shared, d.wrong = build(v)
	})
	return d.shared, d.wrong
}

func build(v fmi.Version) (*fmu.Definition, error) {
	if registered == nil {
		return nil,
			errors.New("this library contains no model: its program did not call export.Register")
	}
	d := registered()
	if v >= fmi.FMI3 && d.Standard() < fmi.FMI3 {
		if d.Twin == nil {
			return nil, fmt.Errorf("%w: there is no model for FMI 3.0", fmu.ErrDefinition)
		}
		d = d.Twin()
	}
	if guid != "" {
		d.GUID = fmu.Token(guid, v)
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
