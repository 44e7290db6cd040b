package trace

import (
	"errors"

	"gosmp/internal/fault"
)

// InFile adds the name of a file to an error about a message in it. A source reports only channel
// and time, because sources can be merged. Other errors are returned unchanged.
func InFile(name string, err error) error {
	e, is := err.(*fault.Error) //nolint:errorlint // an error around it has a place of its own
	if !is || e.Place.File != "" || !errors.Is(err, ErrContent) && !errors.Is(err, ErrType) {
		return err
	}
	named := *e
	named.Place.File = name
	return &named
}
