package mcap

import (
	"maps"
	"slices"
)

// CopySorted writes the content of a file to another one. Its messages are those of a query, sorted
// by log time and, at equal times, in file order. Attachments and metadata come first; attachments
// are omitted unless the query starts at the beginning of the file. CopySorted needs chunk indexes,
// as [Writer] writes them.
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
