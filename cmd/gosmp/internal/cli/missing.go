package cli

import (
	"cmp"
	"fmt"

	"gosmp/internal/quantity"
)

// Missing collects what a command has left out of its input. The zero value is ready for use.
type Missing struct {
	texts []string
	more  int
	first error
}

// Add adds an omission. After the first ten, it only counts them.
func (m *Missing) Add(err error) {
	const most = 10
	m.first = cmp.Or(m.first, err)
	if len(m.texts) == most {
		m.more++
		return
	}
	m.texts = append(m.texts, err.Error())
}

// Cause returns the error with which a command fails: the first omission if there is one, and
// otherwise err. It returns nil if err is nil.
func (m *Missing) Cause(err error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(m.first, err)
}

// Texts returns the omissions as text for people. The result is never nil.
func (m *Missing) Texts() []string {
	texts := append([]string{}, m.texts...)
	if m.more > 0 {
		texts = append(texts,
			fmt.Sprintf("%s of the same kind", quantity.Of(m.more, "more message")))
	}
	return texts
}
