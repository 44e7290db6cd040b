package run

import (
	"bytes"
	"errors"
	"io"
	"os"

	"gosmp/cosim"
	"gosmp/internal/wholefile"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// resultFile is a file that a run writes as it proceeds, so that the content is kept if the run
// ends early. The file is opened when the first values exist, so that a run that fails before that
// does not overwrite the results of an earlier run. Text written earlier, such as a header, is held
// back.
//
// As an observer, it must come before the observer that writes to it.
type resultFile struct {
	flag, path string
	held       bytes.Buffer
	file       *os.File // nil before the first values, and after Close
	begun      bool
	direct     bool // a pipe or a device
	ahead      bool // whether something was written past the end
}

// newResultFile prepares a file, which the flag names. A pipe or a device has no old content, and
// is opened at once.
func newResultFile(flag, path string) (*resultFile, error) {
	f := &resultFile{flag: flag, path: path}
	if path == standard {
		f.file, f.begun, f.direct = os.Stdout, true, true
		return f, nil
	}
	if f.direct = wholefile.Direct(path); f.direct {
		return f, f.open()
	}
	return f, nil
}

func (f *resultFile) open() (err error) {
	if f.begun {
		return nil
	}
	if f.file, err = os.Create(f.path); err != nil {
		return usage.Invalid(f.flag, err)
	}
	f.begun = true
	_, err = f.held.WriteTo(f.file)
	return err
}

// Write implements [io.Writer].
func (f *resultFile) Write(b []byte) (int, error) {
	if !f.begun {
		return f.held.Write(b)
	}
	return f.file.Write(b)
}

// WriteAt implements [io.WriterAt], for data past the end of the file that must exist if the
// program is killed. Later calls of Write overwrite it.
func (f *resultFile) WriteAt(b []byte, offset int64) (int, error) {
	if !f.begun || f.direct {
		return 0, errors.ErrUnsupported
	}
	f.ahead = true
	return f.file.WriteAt(b, offset)
}

// Close closes the file if it was opened.
func (f *resultFile) Close() error {
	if f.file == nil || f.path == standard {
		return nil
	}
	var err error
	if f.ahead {
		var end int64
		if end, err = f.file.Seek(0, io.SeekCurrent); err == nil {
			err = f.file.Truncate(end)
		}
	}
	err = errors.Join(err, f.file.Close())
	f.file = nil
	return err
}

// Begin implements [cosim.Observer]. It opens the file, because all values can now be read.
func (f *resultFile) Begin(*cosim.Result) error { return f.open() }

// Row does nothing.
func (f *resultFile) Row(timebase.Time, cosim.Row) error { return nil }

// End does nothing, because the writer may have more to write.
func (f *resultFile) End(*cosim.Result) error { return nil }
