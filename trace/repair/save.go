package repair

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"gosmp/internal/quantity"
	"gosmp/internal/release"
	"gosmp/trace"
	"gosmp/trace/mcap"
	"gosmp/trace/osi"
)

func (r *recovery) nothing(size int64) error {
	return fmt.Errorf("%s: no message can be recovered from its %d bytes; nothing was written",
		r.name, size)
}

// onlyDamaged is like nothing, for an MCAP file whose messages may all be altered.
func (r *recovery) onlyDamaged(size int64) error {
	err := r.nothing(size)
	if n := r.Altered + r.Orphans; n > 0 && !r.o.KeepDamaged {
		return fmt.Errorf("%w; --keep-damaged keeps %s from damaged parts, which may be altered",
			err, quantity.Of(n, "message"))
	}
	return err
}

func (r *recovery) saveMCAP(from *content, to io.Writer) error {
	w, err := newWriter(to)
	if err != nil {
		return err
	}
	o := mcap.RecoverOptions{KeepDamaged: r.o.KeepDamaged}
	loss, err := mcap.Recover(from, from.size, w, o)
	if errors.Is(err, mcap.ErrMemory) {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	if err != nil {
		return output(err)
	}
	r.take(loss)
	if r.Messages == 0 {
		return r.onlyDamaged(from.size)
	}
	if !r.Whole {
		err = w.WriteMetadata(r.metadata())
	}
	return output(errors.Join(err, w.Close()))
}

func newWriter(to io.Writer) (*mcap.Writer, error) {
	return mcap.NewWriter(to, mcap.Options{Library: release.Tool, Compression: mcap.Zstd})
}

// take records the losses of an MCAP file.
func (r *recovery) take(loss *mcap.Loss) {
	r.Messages, r.Whole, r.Orphans, r.Damaged = loss.Messages, loss.Whole(), loss.Orphans,
		loss.Damaged
	r.Altered, r.Unchecked, r.Skipped, r.Unknown = loss.Altered, loss.Unchecked, loss.Skipped,
		loss.Unknown
	r.Sorted = loss.Unsorted
	r.Places = append(r.Places, loss.Places...)
}

// metadata returns metadata that marks a file with losses, so that its readers also learn about
// them.
func (r *recovery) metadata() *mcap.Metadata {
	return &mcap.Metadata{Name: "gosmp.repair", Values: map[string]string{
		"file": filepath.Base(r.name), "messages": fmt.Sprint(r.Messages),
		"altered_messages":      fmt.Sprint(r.Altered),
		"altered_messages_kept": fmt.Sprint(r.o.KeepDamaged),
		"unchecked_messages":    fmt.Sprint(r.Unchecked), "damaged_records": fmt.Sprint(r.Damaged),
		"skipped_bytes": fmt.Sprint(r.Skipped),
	}}
}

// verifyMCAP reads every message through the index.
func (r *recovery) verifyMCAP(from *content) error {
	f, err := mcap.Open(from, from.size)
	if err != nil {
		return err
	}
	var n uint64
	for _, err := range f.Messages(mcap.Query{}) {
		if err != nil {
			return err
		}
		n++
	}
	return sameCount(n, r.Messages)
}

func sameCount(n, want uint64) error {
	if n != want {
		return fmt.Errorf("found %s, expected %d", quantity.Of(n, "message"), want)
	}
	return nil
}

// saveOSI keeps the messages that can be decoded.
func (r *recovery) saveOSI(from *content, to io.Writer) error {
	w := osi.NewWriter(to)
	kind := r.o.Type
	if kind == "" {
		kind = trace.TypeOfName(r.name)
	}
	valid := trace.Validator(trace.FullType(kind))
	loss, err := r.saveSeparated(from, valid, w.Write)
	if err == nil && loss.Messages == 0 {
		loss, err = osi.Recover(from, from.size, valid, w.Write)
	}
	if err != nil {
		return output(err)
	}
	r.Messages, r.Whole, r.Empty = uint64(loss.Messages), loss.Whole(), loss.Empty
	r.Damaged, r.Corrected, r.Skipped = loss.Damaged, loss.Corrected, loss.Skipped
	r.Places = append(r.Places, loss.Places...)
	if r.Messages == 0 {
		return r.nothing(from.size)
	}
	return nil
}

// saveSeparated keeps the messages of a file without lengths. A damaged file with lengths may look
// like one; in that case it finds no messages.
func (r *recovery) saveSeparated(from *content, valid func([]byte) bool,
	take func([]byte) error) (*osi.Loss, error) {
	if !trace.IsSeparated(from, from.size) {
		return &osi.Loss{}, nil
	}
	loss, err := osi.RecoverSeparated(from, from.size, valid, take)
	if err == nil && loss.Messages > 0 {
		r.Places = append(r.Places, "the messages have no lengths, as early tools wrote them; the "+
			"new file has lengths")
	}
	return loss, err
}

func (r *recovery) verifyOSI(from *content) error {
	reader := osi.NewReader(bufio.NewReader(io.NewSectionReader(from, 0, from.size)))
	for {
		if _, err := reader.Next(); errors.Is(err, io.EOF) {
			return sameCount(uint64(reader.Count()), r.Messages)
		} else if err != nil {
			return err
		}
	}
}
