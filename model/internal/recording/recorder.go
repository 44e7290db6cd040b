package recording

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gosmp/internal/state"
	"gosmp/proto/osi"
	"gosmp/proto/osifile"
	"gosmp/timebase"
)

// flushEvery is the simulation time after which messages are written even if there are only a few.
const flushEvery = timebase.Second

// Channel is a binary variable.
type Channel struct {
	Variable string // its prefix, "OSMPSensorViewIn[1]"
	// the zero value for a variable that holds no OSI message and is not recorded
	Type osifile.Type
}

// Recorder records the messages of an instance. It is used by one thread at a time.
type Recorder struct {
	instance string
	files    []file // of the channels
	mostCuts int    // of a file
	create   func(path string) (storage, error)
	folder   string
	id       string // of the recording; part of saved states
	flushed  timebase.Time
	trouble  error // returned by the end of the step
	stopped  bool  // after an error
}

// New creates a recorder for the variables of an instance. It creates no file.
func New(instance string, channels []Channel) *Recorder {
	r := &Recorder{instance: instance, files: make([]file, len(channels)), mostCuts: mostCuts,
		create: create}
	for k, c := range channels {
		r.files[k].channel = c
	}
	return r
}

// create creates a file, which must not exist yet.
func create(path string) (storage, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// Begin records into a folder, which is created if it does not exist; a relative path is relative
// to the working directory. A recording into the same folder continues.
func (r *Recorder) Begin(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil || folder == r.folder {
		return err
	}
	if err := r.Finish(); err != nil {
		return err
	}
	r.folder, r.stopped = folder, false
	if err := os.MkdirAll(folder, 0o777); err != nil {
		r.stopped = true
		return err
	}
	return nil
}

// Take records a message of a variable; an empty message is ignored. Errors are returned by
// EndStep.
func (r *Recorder) Take(channel int, message []byte) {
	f := &r.files[channel]
	if r.stopped || len(message) == 0 || f.channel.Type.Message == "" {
		return
	}
	if stamp, ok := osifile.Stamp(message, f.channel.Type.Timestamp); !f.at.next(stamp, ok) {
		return
	}
	r.note(f, f.take(r, message))
}

// note keeps the first error of a step.
func (r *Recorder) note(f *file, err error) {
	if err != nil && r.trouble == nil {
		r.trouble = fmt.Errorf("%s: %w", f.channel.Variable, err)
	}
}

// EndStep ends the step that ends at t, and writes due data. The first error ends the recording.
func (r *Recorder) EndStep(t timebase.Time) error {
	if t-r.flushed >= flushEvery || t < r.flushed {
		r.flushed = t
		for k := range r.files {
			r.note(&r.files[k], r.files[k].flush())
		}
	}
	if r.trouble == nil {
		return nil
	}
	err := r.trouble
	_ = r.Finish() // the files end where the first error left them; report that error
	r.stopped = true
	return fmt.Errorf(
		"recording has stopped: %w; the simulation continues, and the written part can be read",
		err)
}

// Finish completes all files and gives them their final names. The next message starts new ones.
func (r *Recorder) Finish() error {
	r.id, r.trouble = "", nil
	var first error
	for k := range r.files {
		first = cmp.Or(first, r.files[k].finish(r))
	}
	return first
}

// begin creates a file. Its name holds the wall clock, as OSI recommends; its content does not.
func (r *Recorder) begin(f *file) (err error) {
	f.name = osifile.Name{Time: time.Now(), Type: f.channel.Type, OSI: osifile.Digits(osi.Version),
		Protobuf: osifile.Digits(osifile.ProtobufVersion),
		Custom:   plain(r.instance) + "." + plain(f.channel.Variable), Extension: "osi", Part: true}
	f.name, f.to, err = r.claim(f.name)
	return err
}

// mostClaims bounds the search for a free name.
const mostClaims = 10000

// claim creates a file under a name that no other instance or process uses.
func (r *Recorder) claim(n osifile.Name) (osifile.Name, storage, error) {
	custom := n.Custom
	for k := 2; ; k++ {
		s, err := r.create(filepath.Join(r.folder, n.String()))
		if err == nil || !os.IsExist(err) || k > mostClaims {
			return n, s, err
		}
		n.Custom = fmt.Sprintf("%s-%d", custom, k)
	}
}

// mostOfName is the maximum length of the instance name in a file name.
const mostOfName = 80

// plain returns a name with only those characters that every file system accepts.
func plain(name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '.', c == '-',
			c == '_':
			return c
		case c == ']':
			return -1
		}
		return '-'
	}, name)
	return name[:min(len(name), mostOfName)]
}

// AppendState appends the positions of the files.
func (r *Recorder) AppendState(b []byte) []byte {
	if r.id == "" {
		r.id = rand.Text()
	}
	b = state.AppendString(b, r.id)
	for k := range r.files {
		b = r.files[k].appendState(b)
	}
	return b
}

// RestoreState rewinds the files to a state of this recording. A state of another recording
// completes them, and so does a state after which there have been more restorations than a file
// remembers.
func (r *Recorder) RestoreState(b []byte) error {
	d := state.Decoder{Data: b}
	if id := d.String(); id == "" || id != r.id {
		return r.Finish()
	}
	places := make([]place, len(r.files))
	for k := range places {
		places[k] = readPlace(&d)
	}
	if err := d.Done(); err != nil {
		return err
	}
	for k := range r.files {
		if !r.files[k].knows(places[k]) {
			return r.Finish()
		}
	}
	r.flushed = 0
	for k := range r.files {
		r.note(&r.files[k], r.files[k].rewind(places[k], r.mostCuts))
	}
	return nil
}
