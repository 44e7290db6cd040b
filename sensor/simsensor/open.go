package simsensor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gosmp/internal/charset"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// probeLimit is the number of bytes without a good row after which a file is rejected.
const probeLimit = 1 << 20

// Open opens the file and checks its beginning, or in strict mode all of it. The error is a
// [*Problem] with cause [ErrFile], [ErrRead], [ErrNoData], [ErrLoopLength], [ErrUnit], [ErrStart],
// [timebase.ErrTimeRange], and in strict mode [ErrBadRow]. In a file of more than 64 KiB, a loop
// without length is detected by [Player.Next] at the end of the first round.
func Open(name string, opt Options) (*Player, error) {
	if err := opt.check(name); err != nil {
		return nil, err
	}
	src, err := openFile(name)
	if err != nil {
		return nil, err
	}
	p, err := newPlayer(name, src, src.was.Size(), opt)
	if err != nil {
		_ = src.Close() // nothing was written
		return nil, err
	}
	return p, nil
}

// OpenBytes is like Open, but for content that is not a file; the name is used in messages. The
// content must not change while it is played.
func OpenBytes(name string, content []byte, opt Options) (*Player, error) {
	if err := opt.check(name); err != nil {
		return nil, err
	}
	return newPlayer(name, memorySource{bytes.NewReader(content)}, int64(len(content)), opt)
}

// memorySource is content that is not a file.
type memorySource struct{ *bytes.Reader }

func (memorySource) changed() error { return nil }

func (memorySource) Close() error { return nil }

// check rejects options with which no file can be played.
func (o Options) check(name string) error {
	switch {
	case !o.Unit.valid():
		_, err := ParseUnit(o.Unit.String())
		return err
	case o.StartDelay < 0:
		return fault.New(ErrStart, fault.In(name), o.StartDelay.String(), "0 s or more").
			WithHint("the first row cannot be published before the experiment starts")
	case o.Start > timebase.EndOfTime-o.StartDelay:
		return fault.New(timebase.ErrTimeRange, fault.In(name),
			fmt.Sprintf("start %v and delay %v", o.Start, o.StartDelay), "").
			WithHint("start earlier")
	}
	return nil
}

// fileError adds advice to the error of a file that cannot be opened.
func fileError(name string, err error) error {
	p := fault.Wrap(ErrFile, fault.In(name), err).WithHint("check the path")
	switch {
	case name == "":
		p.Cause, p.Found, p.Expected, p.Hint = nil, "an empty name", "the path of a CSV file", ""
	case errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name):
		p.Hint = "check the path; a relative one starts at " + workingDirectory()
	case errors.Is(err, fs.ErrPermission):
		p.Hint = "make the file readable for the user that runs the simulation"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		p.Hint = "close other files, or raise the limit on open files (ulimit -n)"
	}
	return p
}

func workingDirectory() string {
	dir, err := os.Getwd()
	if err != nil {
		return "the working directory"
	}
	return dir
}

// newPlayer returns a player of an open source.
func newPlayer(name string, src source, size int64, opt Options) (*Player, error) {
	p := &Player{loop: opt.Loop, reader: newReader(name, src, size, opt)}
	r := &p.reader
	found := r.examine(opt.Start + opt.StartDelay)
	if err := p.judge(found.seen, found.doubt, opt.Warn); err != nil {
		return nil, err
	}
	r.restart(opt.Start + opt.StartDelay)
	if opt.Strict {
		r.strict = true
		if err := p.checkAll(); err != nil {
			return nil, err
		}
		r.restart(opt.Start + opt.StartDelay)
	}
	var err error
	if p.print, err = takeFingerprint(src, size); err != nil {
		return nil, r.fail(err)
	}
	r.report = opt.Warn
	return p, nil
}

func newReader(name string, src source, size int64, opt Options) reader {
	return reader{
		name: name, unit: opt.Unit,
		lines:    newLines(src, size),
		schedule: schedule{unit: opt.Unit.Duration(), at: opt.Start + opt.StartDelay},
	}
}

// restart undoes all reading.
func (r *reader) restart(at timebase.Time) {
	*r = reader{
		name: r.name, unit: r.unit, strict: r.strict, lines: r.lines,
		schedule: schedule{unit: r.schedule.unit, at: at},
	}
	r.lines.limit = 0
	r.rewind()
}

// look reads the first buffer, or more until there is a good row.
func (r *reader) look() *beginning {
	b := &beginning{}
	r.report = func(found Problem) {
		if b.bad == nil && KindOf(found).Rejected() {
			b.bad = &found
		}
	}
	r.lines.limit = probeLimit
	var row Row
	for b.err == nil && r.lines.offset() < bufferSize {
		if b.err = r.next(&row); b.err == nil {
			b.spaces.add(&row)
		}
	}
	b.moved = r.schedule.moved
	return b
}

// judge rejects a file that cannot be played, before anything is published, and checks the unit,
// which may already be in doubt.
func (p *Player) judge(seen *beginning, doubt *Problem, warn func(Problem)) error {
	r, err := &p.reader, seen.err
	ended := errors.Is(err, io.EOF)
	switch {
	case seen.spaces.rows == 0:
		return r.noData(seen.bad, err)
	case ended && p.loop && !seen.moved:
		return r.noLength()
	case err != nil && !ended && !errors.Is(err, errEnd) && !errors.Is(err, errLimit):
		// rows may follow a long stretch without any
		return err
	}
	if warn == nil {
		return nil
	}
	if doubt != nil {
		warn(*doubt)
	} else if found, odd := seen.spaces.implausible(r.unit); odd {
		found.Place.File = r.name
		warn(found)
	}
	return nil
}

// checkAll reads to the end and returns the first problem that strict mode does not accept.
func (p *Player) checkAll() error {
	var row Row
	for {
		err := p.reader.next(&row)
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF) && p.loop && !p.reader.schedule.moved:
			return p.reader.noLength()
		case errors.Is(err, io.EOF), errors.Is(err, errEnd):
			return nil
		}
		return err
	}
}

// noLength returns the error of a loop that would publish endlessly at one time.
func (r *reader) noLength() error {
	return fault.New(ErrLoopLength, fault.In(r.name), fmt.Sprintf("all rows of a round at %v",
		r.schedule.at), "stamps that increase").
		WithHint("end the file with a row 0, or play it without looping")
}

// noData returns the error of a file without a good row. first is its first rejected row, or nil,
// and err ended the search.
func (r *reader) noData(first *Problem, err error) error {
	p := fault.New(ErrNoData, fault.In(r.name), "", "rows like 1,0,12,-3,-9807").
		WithHint("give a CSV file with a sensor id, a time stamp and whole numbers in every row")
	switch {
	case errors.Is(err, errLimit), errors.Is(err, io.EOF), errors.Is(err, errEnd):
	default:
		return err
	}
	if hint := r.foreign(); hint != "" {
		p.Hint = hint
	}
	switch {
	case first != nil:
		p.Kind = fmt.Errorf("%w: %w", ErrNoData, ErrBadRow)
		p.Found = fmt.Sprintf("%d malformed rows and no valid one; the first: %v", r.rejected,
			first)
	case errors.Is(err, errEnd):
		p.Found, p.Place.Line = "an end row before any other", r.lines.line
	case r.lines.size == 0:
		p.Found = "an empty file"
	case errors.Is(err, errLimit):
		p.Found = "blank lines only"
	default:
		p.Found = "a header or blank lines only"
	}
	return p
}

// foreign recognizes files of another format by their first bytes.
func (r *reader) foreign() string {
	var head [charset.HeadSize]byte
	n, _ := r.lines.src.ReadAt(head[:], 0) // an unreadable file is not recognized
	if encoding := charset.Of(head[:n]); encoding != "" {
		return "the file is " + encoding + " text: save it as UTF-8 or ASCII"
	}
	switch s := string(head[:n]); {
	case strings.HasPrefix(s, "PK\x03\x04"):
		return "the file is a zip archive or spreadsheet: unpack it, or export it as CSV"
	case strings.HasPrefix(s, "\x1f\x8b"):
		return "the file is compressed with gzip: unpack it first"
	}
	return ""
}
