package mcap

import (
	"maps"
	"slices"
)

// CopySorted writes what is in a file, of its messages those of a query in the order of their log
// times and, for equal times, in the order of the file. Attachments and metadata come first; the
// former are left out unless the query begins where the file does. It needs chunk indexes, as
// [Writer] writes them.
func (f *File) CopySorted(to *Writer, q Query) error {
	for _, id := range slices.Sorted(maps.Keys(f.Schemas)) {
		if err := to.AddSchema(f.Schemas[id]); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(f.Channels)) {
		if err := to.AddChannel(f.Channels[id]); err != nil {
			return err
		}
	}
	for _, index := range f.Metadata {
		m, err := f.ReadMetadata(index)
		if err == nil {
			err = to.WriteMetadata(m)
		}
		if err != nil {
			return err
		}
	}
	for _, index := range f.Attachments {
		if q.From != nil && *q.From != (Place{}) {
			break
		}
		a, err := f.ReadAttachment(index)
		if err == nil {
			err = to.WriteAttachment(a)
		}
		if err != nil {
			return err
		}
	}
	for m, err := range f.Messages(q) {
		if err == nil {
			err = to.WriteMessage(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
