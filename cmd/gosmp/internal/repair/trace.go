package repair

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/quantity"
	"gosmp/internal/release"
	"gosmp/trace"
	"gosmp/trace/mcap"
	"gosmp/trace/osi"
)

// errLost ends a repair that has saved only a part; the losses have been printed.
var errLost = cli.Negative("part of the trace is lost, see above")

// recovered is the JSON output for a repaired trace, which is a contract.
type recovered struct {
	FormatVersion int      `json:"formatVersion"`
	File          string   `json:"file"`
	Output        string   `json:"output"`
	Messages      uint64   `json:"messages"`
	Whole         bool     `json:"whole"`
	Orphans       uint64   `json:"messagesWithoutChannel"`
	Damaged       int      `json:"damagedRecords"`
	Altered       uint64   `json:"alteredMessages"`
	Unchecked     uint64   `json:"uncheckedMessages"`
	Corrected     int      `json:"correctedLengths"`
	Sorted        bool     `json:"sorted"`
	Skipped       int64    `json:"skippedBytes"`
	Empty         int      `json:"emptyMessages"`
	Unknown       int      `json:"unknownRecords"`
	Places        []string `json:"places"`
	Drives        int      `json:"drives"`
	Parts         []string `json:"parts,omitempty"` // files, with --restarts split

	command *Command
}

// repairTrace repairs a trace and prints what was lost.
func (c *Command) repairTrace(in *inputfile.File) error {
	r, err := c.recoverTrace(in)
	if err != nil {
		return err
	}
	if err := r.print(cli.Besides(c.Out), c.JSON); err != nil {
		return cli.Flushed(err)
	}
	if !r.Whole {
		return errLost
	}
	return nil
}

// recoverTrace writes the readable part of a trace to a temporary file, and reads that file again
// before the output gets its content.
func (c *Command) recoverTrace(in *inputfile.File) (*recovered, error) {
	file, err := in.OpenContent()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := trace.Unpack(in.Name, file, file.Size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }() // opened read-only
	from := &inputfile.Content{ReaderAt: content, Size: content.Size}
	head := make([]byte, min(from.Size, trace.HeadSize))
	if _, err := from.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	format, err := trace.Recognize(in.Name, head, from.Size)
	if err != nil {
		return nil, err
	}
	r := &recovered{FormatVersion: 1, File: in.Name, Output: c.Out, Places: []string{}, command: c}
	save, verify, place := r.saveOSI, r.verifyOSI, r.placeOSI
	switch {
	case format.IsText():
		return nil, fmt.Errorf("%s: a trace in text: correct the line that gosmp check names",
			in.Name)
	case format == trace.MCAP || format == trace.Unknown:
		format, save, verify, place = trace.MCAP, r.saveMCAP, r.verifyMCAP, r.placeMCAP
	case format != trace.OSIFile:
		return nil, cli.Unexpected("repair", in.Name+", a trace in the format ."+string(format),
			"an .osi or MCAP file")
	}
	// readers determine the format from the name
	if given := trace.FormatOf(c.Out); given != trace.Unknown && given != format {
		return nil, cli.Unexpected("--out", fmt.Sprintf("%q for the saved part of %s", c.Out,
			in.Name),
			fmt.Sprintf(
				"a name that ends in .%s, as repair keeps the format; gosmp convert "+
					"changes it afterwards", format))
	}
	if format != trace.MCAP && c.Restarts != refuseRestarts && c.Restarts != "" {
		return nil, cli.Unexpected("--restarts "+c.Restarts, "a trace in the format ."+
			string(format), "an MCAP file; gosmp convert also splits other traces")
	}
	if err := c.verified(from, save, verify, place); err != nil {
		return nil, err
	}
	if content.Damage != nil {
		r.Whole = false
		r.Places = append(r.Places, content.Damage.Error())
	}
	return r, nil
}

// verified lets save write a file next to the output, verify read that file, and place copy it to
// the output.
func (c *Command) verified(from *inputfile.Content, save func(*inputfile.Content, io.Writer) error,
	verify, place func(*inputfile.Content) error) error {
	folder := filepath.Dir(c.Out)
	if c.Out == cli.StandardOutput {
		folder = ""
	}
	f, err := os.CreateTemp(folder, ".gosmp-repair-")
	if err != nil {
		return cli.Flushed(err)
	}
	defer func() {
		_ = f.Close() // it is a copy
		_ = os.Remove(f.Name())
	}()
	buffered := bufio.NewWriterSize(f, 1<<20)
	if err := save(from, buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return cli.Flushed(err)
	}
	info, err := f.Stat()
	if err != nil {
		return cli.Flushed(err)
	}
	if err := verify(&inputfile.Content{ReaderAt: f, Size: info.Size()}); err != nil {
		return cli.Flushed(fmt.Errorf("%s: the saved data cannot be read back: %w", c.Out, err))
	}
	return place(&inputfile.Content{ReaderAt: f, Size: info.Size()})
}

func (r *recovered) nothing(size int64) error {
	return fmt.Errorf("%s: no message can be recovered from its %d bytes; nothing was written",
		r.File, size)
}

// onlyDamaged is like nothing, for an MCAP file whose messages may all be altered.
func (r *recovered) onlyDamaged(size int64) error {
	err := r.nothing(size)
	if n := r.Altered + r.Orphans; n > 0 && !r.command.KeepDamaged {
		return fmt.Errorf("%w; --keep-damaged keeps %s from damaged parts, which may be altered",
			err, quantity.Of(n, "message"))
	}
	return err
}

func (r *recovered) saveMCAP(from *inputfile.Content, to io.Writer) error {
	w, err := newWriter(to)
	if err != nil {
		return err
	}
	o := mcap.RecoverOptions{KeepDamaged: r.command.KeepDamaged}
	loss, err := mcap.Recover(from, from.Size, w, o)
	if err != nil {
		return cli.Flushed(err)
	}
	r.take(loss)
	if r.Messages == 0 {
		return r.onlyDamaged(from.Size)
	}
	if !r.Whole {
		err = w.WriteMetadata(r.metadata())
	}
	return cli.Flushed(errors.Join(err, w.Close()))
}

func newWriter(to io.Writer) (*mcap.Writer, error) {
	return mcap.NewWriter(to, mcap.Options{Library: release.Tool, Compression: mcap.Zstd})
}

// take records the losses of an MCAP file.
func (r *recovered) take(loss *mcap.Loss) {
	r.Messages, r.Whole, r.Orphans, r.Damaged = loss.Messages, loss.Whole(), loss.Orphans,
		loss.Damaged
	r.Altered, r.Unchecked, r.Skipped, r.Unknown = loss.Altered, loss.Unchecked, loss.Skipped,
		loss.Unknown
	r.Sorted = loss.Unsorted
	r.Places = append(r.Places, loss.Places...)
}

// metadata returns metadata that marks a file with losses, so that its readers also learn about
// them.
func (r *recovered) metadata() *mcap.Metadata {
	return &mcap.Metadata{Name: "gosmp.repair", Values: map[string]string{
		"file": filepath.Base(r.File), "messages": fmt.Sprint(r.Messages),
		"altered_messages":      fmt.Sprint(r.Altered),
		"altered_messages_kept": fmt.Sprint(r.command.KeepDamaged),
		"unchecked_messages":    fmt.Sprint(r.Unchecked), "damaged_records": fmt.Sprint(r.Damaged),
		"skipped_bytes": fmt.Sprint(r.Skipped),
	}}
}

// verifyMCAP reads every message through the index.
func (r *recovered) verifyMCAP(from *inputfile.Content) error {
	f, err := mcap.Open(from, from.Size)
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
func (r *recovered) saveOSI(from *inputfile.Content, to io.Writer) error {
	w := osi.NewWriter(to)
	kind := r.command.Type
	if kind == "" {
		kind = trace.TypeOfName(r.File)
	}
	valid := trace.Validator(trace.FullType(kind))
	loss, err := r.saveSeparated(from, valid, w.Write)
	if err == nil && loss.Messages == 0 {
		loss, err = osi.Recover(from, from.Size, valid, w.Write)
	}
	if err != nil {
		return cli.Flushed(err)
	}
	r.Messages, r.Whole, r.Empty = uint64(loss.Messages), loss.Whole(), loss.Empty
	r.Damaged, r.Corrected, r.Skipped = loss.Damaged, loss.Corrected, loss.Skipped
	r.Places = append(r.Places, loss.Places...)
	if r.Messages == 0 {
		return r.nothing(from.Size)
	}
	return nil
}

// saveSeparated keeps the messages of a file without lengths. A damaged file with lengths may look
// like one; in that case it finds no messages.
func (r *recovered) saveSeparated(from *inputfile.Content, valid func([]byte) bool,
	take func([]byte) error) (*osi.Loss, error) {
	if !trace.IsSeparated(from, from.Size) {
		return &osi.Loss{}, nil
	}
	loss, err := osi.RecoverSeparated(from, from.Size, valid, take)
	if err == nil && loss.Messages > 0 {
		r.Places = append(r.Places, "the messages have no lengths, as early tools wrote them; the "+
			"new file has lengths")
	}
	return loss, err
}

func (r *recovered) verifyOSI(from *inputfile.Content) error {
	reader := osi.NewReader(bufio.NewReader(io.NewSectionReader(from, 0, from.Size)))
	for {
		if _, err := reader.Next(); errors.Is(err, io.EOF) {
			return sameCount(uint64(reader.Count()), r.Messages)
		} else if err != nil {
			return err
		}
	}
}

func (r *recovered) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(out, r)
	}
	var b bytes.Buffer
	to := r.Output
	if len(r.Parts) > 0 {
		to = quantity.Of(len(r.Parts), "file")
	}
	fmt.Fprintf(&b, "%s: %s written to %s\n", r.File, quantity.Of(r.Messages, "message"), to)
	if r.Whole {
		fmt.Fprintln(&b, "  nothing is lost")
	}
	for _, x := range r.counts() {
		if x.n > 0 {
			cli.WriteWrapped(&b, quantity.Of(x.n, x.one)+x.rest)
		}
	}
	if r.Sorted {
		cli.WriteWrapped(&b, "log times went back; the messages were sorted by log time")
	}
	r.printDrives(&b)
	for _, p := range r.Places {
		cli.WriteWrapped(&b, p)
	}
	_, err := out.Write(b.Bytes())
	return err
}

type count struct {
	n         int64
	one, rest string
}

// counts returns the numbers to print, without zeros.
func (r *recovered) counts() []count {
	kept := ", left out; --keep-damaged keeps them in channels of their own"
	if r.command.KeepDamaged {
		kept = ", kept in channels whose topics end in " + mcap.DamagedTopic
	}
	return []count{
		{int64(r.Damaged), "damaged record", ""},
		{int64(r.Altered), "message", " from damaged parts, which may be altered" + kept},
		{int64(r.Unchecked), "message", " saved unchecked, because no checksum covers them"},
		{int64(r.Corrected), "message", " with a wrong length, which was corrected"},
		{r.Skipped, "skipped byte", ", part of no record"},
		{int64(r.Orphans), "message", " whose channel is lost" + kept},
		{int64(r.Empty), "empty message", ", left out"},
		{int64(r.Unknown), "record", " of private kinds, left out"},
	}
}
