package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gosmp/internal/pause"
)

// files returns the folder with the files of an experiment, which is fetched once.
func (h *hand) files(ctx context.Context, o order) (string, error) {
	h.fetching.Lock()
	defer h.fetching.Unlock()
	dir := filepath.Join(h.Cache, short(o.Base))
	if h.usable(dir, o) {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil { // its remains are useless
		return "", err
	}
	if err := os.MkdirAll(h.Cache, 0o777); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(h.Cache, "new-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // it is no longer needed
	archive, unpacked := filepath.Join(temporary, "package.zip"), filepath.Join(temporary, "files")
	if err := h.fetch(ctx, short(o.Base), archive); err != nil {
		err = fmt.Errorf("the files of %s cannot be fetched: %w", o.Experiment, err)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return "", err // for all machines
		}
		return "", &refusedError{err, true}
	}
	switch base, err := h.Unpack(archive, unpacked, o.Experiment); {
	case err != nil:
		return "", fmt.Errorf("the files of %s: %w", o.Experiment, err)
	case base != o.Base:
		return "",
			fmt.Errorf(
				"the files of %s differ from those in the sweep: found the digest %s, expected %s",
				o.Experiment, base, o.Base)
	}
	err = os.Rename(unpacked, dir)
	if _, e := os.Stat(dir); e == nil {
		return dir, nil // possibly another crew was first
	}
	return "", err
}

// usable reports whether the cache has the files of an experiment, complete and unchanged.
func (h *hand) usable(dir string, o order) bool {
	if _, err := os.Stat(dir); err != nil {
		return false
	}
	if h.Identify == nil || h.intact[dir] {
		return true
	}
	base, err := h.Identify(dir, o.Experiment)
	if err != nil || base != o.Base {
		h.Log(fmt.Sprintf("the files of %s in %s have changed; they are fetched again",
			o.Experiment, dir))
		return false
	}
	if h.intact == nil {
		h.intact = map[string]bool{}
	}
	h.intact[dir] = true
	return true
}

// fetch downloads an object, and begins again whenever the connection was lost meanwhile: this says
// nothing about the object or this machine.
func (h *hand) fetch(ctx context.Context, name, to string) error {
	for {
		lost := watch(h.js.Conn())
		err := h.download(ctx, name, to)
		if err == nil || ctx.Err() != nil || !lost.occurred() {
			return err
		}
		rest(ctx)
	}
}

// download fetches an object into a file. It may take any time as long as data keeps arriving.
func (h *hand) download(ctx context.Context, name, to string) error {
	s, err := experiments(ctx, h.js)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &steadyReader{limit: 3 * patience,
		late: pause.NewRepeated(func() { cancel(errSilent) })}
	r.late.Start(r.limit)
	defer r.late.Stop()
	object, err := s.Get(ctx, name)
	if err == nil {
		r.Reader = object
		err = errors.Join(writeFile(to, r), object.Close())
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// errSilent is the error of a download that stopped delivering data.
var errSilent = fmt.Errorf("the server has sent nothing for %v", 3*patience)

// steadyReader begins a limit again whenever data arrives.
type steadyReader struct {
	io.Reader
	late  *pause.Repeated
	limit time.Duration
}

func (r *steadyReader) Read(b []byte) (n int, err error) {
	if n, err = r.Reader.Read(b); n > 0 {
		r.late.Stop()
		r.late.Start(r.limit)
	}
	return n, err
}

// writeFile writes the content of a reader to a new file.
func writeFile(path string, r io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
