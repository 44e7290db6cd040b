package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"gosmp/internal/state"
	"gosmp/proto/osifile"
	"gosmp/timebase"
)

// flushSize is the number of bytes that are written at once.
const flushSize = 64 << 10

// storage is the set of operations that a recorder performs on a file.
type storage interface {
	io.WriteSeeker
	io.Closer
	Truncate(size int64) error
}

// position is a place between two messages of a file.
type position struct {
	bytes    int64
	messages int64
	stamp    timebase.Time // of the previous message
	stamped  bool
}

// next advances to a message, with or without a time stamp. It returns false if the message was
// already recorded.
func (p *position) next(stamp timebase.Time, stamped bool) bool {
	if stamped && p.stamped && stamp == p.stamp {
		return false
	}
	p.stamp, p.stamped = stamp, stamped
	return true
}

// file is the recording of one variable.
type file struct {
	channel Channel
	name    osifile.Name
	to      storage // nil before the first message
	buffer  []byte  // messages that are not written yet
	at      position
	written position // the part of at that is in the file

	cuts   []cut  // the newest ones, in order of both of their fields
	number uint64 // of the newest cut
	// the lowest place of the dropped cuts, and the newest of their numbers
	forgotten cut
}

// mostCuts is the number of cuts that a file remembers. An importer that saves a state before each
// step and occasionally goes back causes one each time.
const mostCuts = 1024

// cut records that restoring a state has truncated the file. A state that was saved before the cut
// cannot bring back the messages after at.
type cut struct {
	at     position
	number uint64
}

// forget drops the oldest cut if there are more than most.
func (f *file) forget(most int) {
	if len(f.cuts) <= most {
		return
	}
	if f.forgotten.number == 0 {
		f.forgotten.at = f.cuts[0].at
	}
	f.forgotten.number = f.cuts[0].number
	f.cuts = slices.Delete(f.cuts, 0, 1)
}

// knows reports whether the file still remembers all relevant cuts made since a state was saved.
func (f *file) knows(saved place) bool {
	return f.to == nil || saved.number >= f.forgotten.number || saved.bytes <= f.forgotten.at.bytes
}

// take appends a message.
func (f *file) take(r *Recorder, message []byte) error {
	if err := osifile.CheckSize(len(message)); err != nil {
		return err
	}
	if f.to == nil {
		if err := r.begin(f); err != nil {
			return err
		}
	}
	f.buffer = append(osifile.AppendLength(f.buffer, len(message)), message...)
	f.at.bytes += int64(osifile.LengthSize + len(message))
	f.at.messages++
	if len(f.buffer) < flushSize {
		return nil
	}
	return f.flush()
}

// flush writes the content of the buffer.
func (f *file) flush() error {
	if len(f.buffer) == 0 {
		return nil
	}
	n, err := f.to.Write(f.buffer)
	if err == nil && n < len(f.buffer) {
		err = io.ErrShortWrite
	}
	f.buffer = f.buffer[:0]
	if err != nil {
		// if that also fails, the file ends within a message, which readers report
		_ = f.truncate(f.written)
		return err
	}
	f.written = f.at
	return nil
}

// truncate truncates the file at a position that was already written.
func (f *file) truncate(to position) error {
	f.at, f.written = to, to
	if err := f.to.Truncate(to.bytes); err != nil {
		return err
	}
	_, err := f.to.Seek(to.bytes, io.SeekStart)
	return err
}

// finish completes the file, or removes it if it has no messages.
func (f *file) finish(r *Recorder) error {
	if f.to == nil {
		*f = file{channel: f.channel, buffer: f.buffer[:0]}
		return nil
	}
	err := f.flush()
	err = cmp.Or(err, f.to.Close())
	path, name, messages := filepath.Join(r.folder, f.name.String()), f.name, f.written.messages
	*f = file{channel: f.channel, buffer: f.buffer[:0]}
	if messages == 0 {
		return cmp.Or(err, os.Remove(path))
	}
	name.Part, name.Frames = false, int(messages)
	name, taken, claimed := r.claim(name)
	if claimed != nil {
		return cmp.Or(err, claimed)
	}
	err = cmp.Or(err, taken.Close())
	return cmp.Or(err, os.Rename(path, filepath.Join(r.folder, name.String())))
}

func (f *file) appendState(b []byte) []byte {
	b = state.AppendUint64(state.AppendUint64(b, uint64(f.at.bytes)), uint64(f.at.messages))
	b = state.AppendBool(state.AppendUint64(b, uint64(f.at.stamp)), f.at.stamped)
	return state.AppendUint64(b, f.number)
}

// place is a position as stored in a saved state.
type place struct {
	position

	number uint64 // of the newest cut at that time
}

func readPlace(d *state.Decoder) place {
	at := position{bytes: int64(d.Uint64()), messages: int64(d.Uint64()),
		stamp: timebase.Time(d.Uint64()), stamped: d.Bool()}
	return place{at, d.Uint64()}
}

// errPlace reports a saved state that has been changed since.
var errPlace = errors.New("the state does not name a position in this recording")

// rewind truncates the file to the messages that it shares with a saved state. The argument most
// limits the number of cuts that it keeps.
func (f *file) rewind(saved place, most int) error {
	if f.to == nil {
		return nil // nothing was recorded before or since
	}
	to := saved.position
	// The first cut since the state was saved is the smallest.
	first := sort.Search(len(f.cuts), func(k int) bool { return f.cuts[k].number > saved.number })
	if first < len(f.cuts) && f.cuts[first].at.bytes < to.bytes {
		to = f.cuts[first].at
	}
	if to.bytes < 0 || to.bytes > f.at.bytes {
		return fmt.Errorf("%w: it names byte %d of a recording of %d bytes", errPlace, to.bytes,
			f.at.bytes)
	}
	if to.bytes == f.at.bytes {
		f.at = to // a message may have been skipped since
		return nil
	}
	if err := f.flush(); err != nil {
		return err
	}
	f.number++
	before := sort.Search(len(f.cuts), func(k int) bool { return f.cuts[k].at.bytes >= to.bytes })
	f.cuts = append(f.cuts[:before], cut{to, f.number})
	if to.bytes <= f.forgotten.at.bytes {
		f.forgotten = cut{} // the new cut covers more
	}
	f.forget(most)
	return f.truncate(to)
}
