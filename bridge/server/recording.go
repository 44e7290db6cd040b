package server

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"gosmp/bridge"
	"gosmp/internal/fault"
)

// recording is an MCAP file. It is opened at once, so that an unwritable file is reported before
// the run, but its old content stays until the run begins, so a refused run leaves the last
// recording unchanged.
type recording struct {
	config *bridge.Config
	file   *os.File
	made   bool // the file was not there before
	mcap   *bridge.MCAP
}

func record(c *bridge.Config) (bridge.Carrier, error) {
	path := c.Transport.Path
	_, err := os.Stat(path)
	made := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666) //nolint:gosec // as os.Create
	if err != nil {
		return nil, err
	}
	if err := mayReplace(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &recording{config: c, file: f, made: made}, nil
}

// mayReplace refuses to replace a file that was not recorded by gosmp.
func mayReplace(f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return err // a device or a pipe has nothing to lose
	}
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !isOurs(head[:n]) {
		return fault.New(bridge.ErrConfig, fault.At(f.Name()),
			"a file that is not a bridge recording", "no file, or one written by gosmp").
			WithHint(`correct "path", or remove the file`)
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// isOurs reports whether a file begins like a recording by gosmp: with the MCAP magic and a header
// that names gosmp as its library.
func isOurs(head []byte) bool {
	const magic = "\x89MCAP0\r\n"
	rest, is := bytes.CutPrefix(head, []byte(magic))
	if !is || len(rest) < 1+8 || rest[0] != 1 {
		return false
	}
	_, rest = text32(rest[1+8:]) // the profile
	library, _ := text32(rest)
	return bytes.HasPrefix(library, []byte("gosmp"))
}

// text32 splits a text, preceded by its length, off b.
func text32(b []byte) (text, rest []byte) {
	const size = 4
	if len(b) < size {
		return nil, nil
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if b = b[size:]; n > uint64(len(b)) {
		return nil, nil
	}
	return b[:n], b[n:]
}

// begin replaces the old content of the file.
func (r *recording) begin() (err error) {
	if r.mcap != nil {
		return nil
	}
	if info, err := r.file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := r.file.Truncate(0); err != nil {
			return err
		}
	}
	r.mcap, err = bridge.NewMCAP(r.file, r.config)
	return err
}

// Begin starts the recording, even if no messages follow.
func (r *recording) Begin() error { return r.begin() }

// Publish records a message.
func (r *recording) Publish(t *bridge.Topic, timeNs int64, b []byte) error {
	if err := r.begin(); err != nil {
		return err
	}
	return r.mcap.Publish(t, timeNs, b)
}

// Close finishes the file. A recording that did not begin leaves no file.
func (r *recording) Close() error {
	if r.mcap != nil {
		return errors.Join(r.mcap.Close(), r.file.Close())
	}
	err := r.file.Close()
	if r.made {
		err = errors.Join(err, os.Remove(r.file.Name()))
	}
	if err != nil {
		return fmt.Errorf("recording that has not begun: %w", err)
	}
	return nil
}
