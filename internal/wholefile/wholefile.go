package wholefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Direct reports whether path names something that is written directly and not replaced: anything
// but a regular file, the file to which standard output goes, or a dangling link.
func Direct(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		info, err = os.Lstat(path)
	}
	return err == nil && (!info.Mode().IsRegular() || isOutput(info))
}

// isOutput reports whether a file is standard output.
func isOutput(info fs.FileInfo) bool {
	out, err := os.Stdout.Stat()
	return err == nil && os.SameFile(info, out)
}

// shield runs the replacement of a file.
var shield = func(ctx context.Context, replace func(context.Context) error) error {
	return replace(ctx)
}

// SetShield sets the function that runs the replacement of files, usually once at the start of a
// program. It can end the context when a signal arrives that would end the process, and end the
// process when replace has returned, so that no unfinished file is left.
func SetShield(run func(ctx context.Context, replace func(context.Context) error) error) {
	shield = run
}

// Write writes the file at path with the content that write produces; its folder must exist. If ctx
// ends before the file is in place, nothing has changed and the error is ctx.Err(). A file that may
// be written, but not replaced, is overwritten once its content is complete. If [Direct]
// applies, ctx has no influence, because opening a pipe or a device can block forever.
func Write(ctx context.Context, path string, write func(io.Writer) error) error {
	if Direct(path) {
		return overwrite(path, write)
	}
	return shield(ctx, func(ctx context.Context) error { return replace(ctx, path, write) })
}

// overwrite writes to the named file. Standard output continues at its current position; if it were
// opened again, it would start from the beginning.
func overwrite(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && isOutput(info) {
		return fill(os.Stdout, write)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if err := fill(f, write); err != nil {
		_ = f.Close() // the first error is returned
		return err
	}
	return f.Close()
}

// replace writes a new file next to the old one and renames it at the end.
func replace(ctx context.Context, path string, write func(io.Writer) error) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = path, nil // a new file
	}
	if err != nil {
		return err
	}
	old, err := permitted(target)
	if err != nil {
		return err
	}
	f, err := beside(target)
	if old != nil && isRefused(err) {
		return inPlace(ctx, target, write)
	}
	if err != nil {
		return &fs.PathError{Op: "create a file next to", Path: path, Err: errors.Unwrap(err)}
	}
	half := false // whether the old content is damaged, so that the new one must stay
	defer func() {
		if err != nil {
			_ = f.Close() // closed already, or the first error is returned
			if !half {
				_ = os.Remove(f.Name())
			}
			err = named(err, f.Name(), path)
		}
	}()
	if err := fill(&interruptible{ctx, f, f.Name(), path}, write); err != nil {
		return err
	}
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = os.Rename(f.Name(), target)
	if old == nil || !isRefused(err) {
		return err
	}
	complete, unread := os.Open(f.Name())
	if unread != nil {
		return err
	}
	begun, err := refill(target, complete)
	_ = complete.Close() // was only read
	if err != nil {
		if half = begun; half {
			err = fmt.Errorf("%w; the complete content is in %s", err, f.Name())
		}
		return err
	}
	_ = os.Remove(f.Name()) // a folder may accept new files and keep them; Left names this one
	return nil
}

// isRefused reports whether an error means that a folder takes no new file, or that a file may be
// written but not replaced: in a folder of another user, or if it is mounted by itself, as
// containers do with single files.
func isRefused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.EBUSY)
}

// inPlace overwrites a file that cannot be replaced, once its new content is complete.
func inPlace(ctx context.Context, target string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&interruptible{ctx, &content, target, target}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := refill(target, bytes.NewReader(content.Bytes()))
	return err
}

// content is the new content of a file.
type content interface {
	io.ReaderAt
	io.Seeker
}

// refill overwrites a file. What exceeds its old length is written first, so that the old content
// stays if the disk is full. The rest needs no further space, unless the disk copies on write.
// begun reports whether the old content has been touched.
func refill(target string, c content) (begun bool, err error) {
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return false, err
	}
	size, err := c.Seek(0, io.SeekEnd)
	if err == nil {
		err = lengthen(f, c, size)
	}
	if err == nil {
		begun = true
		_, err = io.Copy(f, io.NewSectionReader(c, 0, size))
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		err = f.Sync()
	}
	return begun, errors.Join(err, f.Close())
}

// lengthen writes the part of a content that exceeds the length of a file, or leaves the file as it
// was.
func lengthen(f *os.File, c content, size int64) error {
	info, err := f.Stat()
	if err != nil || info.Size() >= size {
		return err
	}
	old := info.Size()
	_, err = io.Copy(io.NewOffsetWriter(f, old), io.NewSectionReader(c, old, size-old))
	if err == nil {
		err = f.Sync() // some disks are only then known to be full
	}
	if err != nil {
		return errors.Join(err, f.Truncate(old))
	}
	return nil
}

// fill writes the content through a buffer.
func fill(to io.Writer, write func(io.Writer) error) error {
	out := bufio.NewWriter(to)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

// permitted opens the file to be replaced, because renaming would not check the permission to write
// to it. It returns nil if the file does not exist.
func permitted(target string) (fs.FileInfo, error) {
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	return f.Stat()
}

// beside creates a file in the same folder, with the mode bits that the umask allows; os.CreateTemp
// would give access only to the user. The file is locked until it is closed. Files left behind by
// killed processes stay.
func beside(target string) (*os.File, error) {
	for n := 1; ; n++ {
		f, err := os.OpenFile(partName(target, n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			_ = lock(f) // without locks, all such files appear to be left behind
		}
		if !errors.Is(err, fs.ErrExist) || n == mostParts {
			return f, err
		}
	}
}

const mostParts = 1000

// partName returns the name of the nth unfinished file for a file.
func partName(target string, n int) string {
	if n == 1 {
		return target + ".part"
	}
	return target + ".part" + strconv.Itoa(n)
}

// Left returns the names of unfinished files left behind by processes that were killed while they
// wrote the file at path.
func Left(path string) (names []string) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	for n := 1; n <= mostParts; n++ {
		f, err := os.Open(partName(path, n))
		if err != nil {
			break
		}
		if lock(f) == nil {
			names = append(names, f.Name())
		}
		_ = f.Close() // nothing was written
	}
	return names
}

// named replaces the name of the unfinished file in an error with the name that the caller gave.
func named(err error, beside, path string) error {
	var place *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &place) && place.Path == beside:
		place.Path = path
	case errors.As(err, &link) && link.Old == beside:
		return &fs.PathError{Op: "replace", Path: path, Err: link.Err}
	}
	return err
}

// interruptible writes to the unfinished file next to path. It fails once ctx has ended. Its errors
// contain the correct name from the start, because callers that wrap them convert them to text.
type interruptible struct {
	ctx  context.Context
	file io.Writer
	name string
	path string
}

func (w *interruptible) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.file.Write(b)
	return n, named(err, w.name, w.path)
}
