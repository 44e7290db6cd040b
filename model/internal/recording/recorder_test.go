package recording

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/proto/osifile"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

const ms = timebase.Millisecond

var (
	view, _ = osifile.TypeOf("SensorView")
	both    = []Channel{{"OSMPSensorViewIn[1]", view}, {"OSMPSensorDataOut", view},
		{"other", osifile.Type{}}}
)

// message returns a message with a time stamp and a mark.
func message(at timebase.Time, mark byte) []byte {
	b := wire.AppendTimestamp(nil, view.Timestamp, int64(at/timebase.Second),
		uint32(at%timebase.Second))
	return wire.AppendBytes(b, 100, []byte{mark})
}

func begun(t require.TestingT, folder string) *Recorder {
	r := New("front lidar/1", both)
	require.NoError(t, r.Begin(folder))
	return r
}

// recorded reads the files of a folder. It returns the marks of their messages, by the part of the
// file name that begins with the number of messages.
func recorded(t require.TestingT, folder string) map[string]string {
	found := map[string]string{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		n, err := osifile.ParseName(e.Name())
		require.NoError(t, err)
		key := fmt.Sprintf("%d %s", n.Frames, n.Custom)
		if n.Part {
			key += " part"
		}
		found[key] = marks(t, filepath.Join(folder, e.Name()))
	}
	return found
}

// marks returns the marks of the messages of a file.
func marks(t require.TestingT, path string) (found string) {
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for len(content) > 0 {
		size := int(osifile.Length([4]byte(content)))
		found += string(content[4+size-1])
		content = content[4+size:]
	}
	return found
}

// recordedMarks returns the marks of each file of a folder.
func recordedMarks(t require.TestingT, folder string) (found []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		found = append(found, marks(t, filepath.Join(folder, e.Name())))
	}
	return found
}

func TestRecorder_OneFileForEachVariableWithMessages(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "folder")
	r := begun(t, folder)
	for k := range timebase.Time(5) {
		r.Take(0, message(k/2*ms, byte('a'+k))) // held for two steps
		r.Take(1, nil)
		r.Take(2, []byte("not of OSI"))
		require.NoError(t, r.EndStep(k*ms))
	}
	require.Equal(t, map[string]string{"0 front-lidar-1.OSMPSensorViewIn-1 part": ""},
		recorded(t, folder), "nothing is due yet")
	r.Take(1, message(6*ms, 'x'))
	require.NoError(t, r.EndStep(timebase.Second))
	require.Equal(t, map[string]string{"0 front-lidar-1.OSMPSensorViewIn-1 part": "ace",
		"0 front-lidar-1.OSMPSensorDataOut part": "x"},
		recorded(t, folder), "after a second")
	require.NoError(t, r.Finish())
	require.Equal(t, map[string]string{"3 front-lidar-1.OSMPSensorViewIn-1": "ace",
		"1 front-lidar-1.OSMPSensorDataOut": "x"}, recorded(t, folder))
}

// Messages without a time stamp cannot be distinguished from repeated ones, so all are recorded.
func TestRecorder_MessagesWithoutATimeStamp(t *testing.T) {
	folder := t.TempDir()
	r := begun(t, folder)
	for range 3 {
		r.Take(0, []byte("raw z"))
	}
	require.NoError(t, r.Finish())
	require.Equal(t, map[string]string{"3 front-lidar-1.OSMPSensorViewIn-1": "zzz"},
		recorded(t, folder))
}

// Two instances with the same name, and a second run, get separate files.
func TestRecorder_NeverTouchesTheFilesOfOthers(t *testing.T) {
	folder := t.TempDir()
	first, second := begun(t, folder), begun(t, folder)
	run := func(r *Recorder, mark byte) {
		r.Take(0, message(ms, mark))
		require.NoError(t, r.EndStep(0))
	}
	run(first, 'a')
	run(second, 'b')
	require.NoError(t, first.Finish())
	require.NoError(t, second.Finish())
	run(first, 'c')
	require.NoError(t, first.Finish())
	require.ElementsMatch(t, []string{"a", "b", "c"}, recordedMarks(t, folder))
}

func TestRecorder_LongAndForeignNames(t *testing.T) {
	folder := t.TempDir()
	r := New(string(bytes.Repeat([]byte("ä/"), 300)), both)
	require.NoError(t, r.Begin(folder))
	r.Take(0, message(ms, 'a'))
	require.NoError(t, r.EndStep(0))
	require.NoError(t, r.Finish())
	require.Len(t, recorded(t, folder), 1)
}

// disk is a file on a disk that fills up.
type disk struct {
	storage
	room *int
}

var errFull = errors.New("no space left on device")

func (d disk) Write(b []byte) (int, error) {
	n := min(len(b), *d.room)
	*d.room -= n
	written, err := d.storage.Write(b[:n])
	if err == nil && n < len(b) {
		err = errFull
	}
	return written, err
}

func TestRecorder_AFullDiskStopsItOnce(t *testing.T) {
	folder := t.TempDir()
	r := begun(t, folder)
	room := 50
	r.create = func(path string) (storage, error) {
		s, err := create(path)
		return disk{s, &room}, err
	}
	var errs []error
	for k := range timebase.Time(10) {
		r.Take(0, message(k*timebase.Second, byte('a'+k)))
		if err := r.EndStep(k * timebase.Second); err != nil {
			errs = append(errs, err)
		}
	}
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], errFull)
	require.ErrorContains(t, errs[0],
		"recording has stopped: OSMPSensorViewIn[1]: no space left on device")
	require.Equal(t, map[string]string{"3 front-lidar-1.OSMPSensorViewIn-1": "abc"},
		recorded(t, folder), "50 bytes hold three of 14")
	require.NoError(t, r.Begin(folder))
	r.Take(0, message(ms, 'x'))
	require.NoError(t, r.EndStep(0))
	require.Len(t, recorded(t, folder), 1, "it stays stopped")
}

func TestRecorder_AnUnusableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	r := New("a", both)
	require.ErrorContains(t, r.Begin(file), "not a directory")
	r.Take(0, message(ms, 'x'))
	require.NoError(t, r.EndStep(0), "Begin has already returned the error")
}

// A message that is too large for readers ends the recording instead of damaging the file.
func TestRecorder_ATooLargeMessage(t *testing.T) {
	folder := t.TempDir()
	r := begun(t, folder)
	r.Take(0, message(ms, 'a'))
	r.Take(0, make([]byte, osifile.MaxMessage+1))
	require.ErrorIs(t, r.EndStep(ms), osifile.ErrMessage)
	require.Equal(t, map[string]string{"1 front-lidar-1.OSMPSensorViewIn-1": "a"},
		recorded(t, folder))
}

func TestRecorder_AllocatesNothingAfterWarmUp(t *testing.T) {
	r := begun(t, t.TempDir())
	messages := [2][]byte{append(message(0, 'a'), make([]byte, 20000)...), append(message(ms, 'b'),
		make([]byte, 20000)...)}
	k := timebase.Time(0)
	step := func() {
		r.Take(0, messages[k&1])
		r.Take(1, messages[k&1])
		if r.EndStep(k*10*ms) != nil {
			panic("not recorded")
		}
		k++
	}
	for range 100 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(500, step))
	require.NoError(t, r.Finish())
}

// Regardless of which states are saved and restored, and in which order, the file has the same
// content as a list that is rolled back in the same way: the messages that led to the current
// state, unless an earlier restoration cut them off. A recorder that remembers few restorations
// begins a new file instead of keeping messages that may not belong to a state.
func TestRecorder_FollowsRestoredStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{0, 1, 3, mostCuts}).Draw(t,
			"restorations that are remembered")
		folder, err := os.MkdirTemp("", "recording")
		require.NoError(t, err)
		defer func() { _ = os.RemoveAll(folder) }()
		r := begun(t, folder)
		r.mostCuts = most
		type saved struct {
			state       []byte
			id, content string
		}
		var states []saved
		var finished []string
		now, content := timebase.Time(0), ""
		for k := range rapid.IntRange(1, 40).Draw(t, "actions") {
			switch rapid.IntRange(0, 3).Draw(t, "action") {
			case 0:
				states = append(states, saved{r.AppendState(nil), r.id, content})
			case 1:
				if len(states) == 0 {
					break
				}
				s, id := states[rapid.IntRange(0, len(states)-1).Draw(t, "state")], r.id
				require.NoError(t, r.RestoreState(s.state))
				if r.id != "" {
					content = common(content, s.content)
					break
				}
				require.True(t, s.id != id || most < mostCuts, "all restorations are recorded")
				finished, content = append(finished, content), ""
			default:
				mark := byte('0' + k)
				now += rapid.SampledFrom([]timebase.Time{ms, 2 * timebase.Second}).Draw(t, "step")
				r.Take(0, message(now, mark))
				require.NoError(t, r.EndStep(now))
				content += string(mark)
			}
		}
		require.NoError(t, r.Finish())
		finished = slices.DeleteFunc(append(finished, content),
			func(content string) bool { return content == "" })
		require.ElementsMatch(t, finished, recordedMarks(t, folder))
	})
}

// common returns the common beginning of two contents. Marks are unique, so both states share
// exactly this.
func common(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// If a host saves a state in each step and goes back to it, as in an iteration, the memory used
// does not grow over time. A state from before all these steps still belongs to this recording; a
// state from in between, whose messages may have been replaced since, starts a new file.
func TestRecorder_RemembersABoundedNumberOfRestorations(t *testing.T) {
	folder := t.TempDir()
	r := begun(t, folder)
	now := timebase.Time(0)
	take := func(mark byte) []byte {
		now += ms
		r.Take(0, message(now, mark))
		require.NoError(t, r.EndStep(now))
		return r.AppendState(nil)
	}
	first := take('a')
	replaced := take('b')
	require.NoError(t, r.RestoreState(first))
	recent, before := first, first
	for range 3 * mostCuts {
		before, recent = recent, take('c')
		take('C')
		require.NoError(t, r.RestoreState(recent))
		require.LessOrEqual(t, len(r.files[0].cuts), mostCuts)
	}
	require.LessOrEqual(t, cap(r.files[0].cuts), 2*mostCuts)
	require.NoError(t, r.RestoreState(before))
	take('d')
	require.NoError(t, r.RestoreState(replaced))
	take('e')
	require.NoError(t, r.Finish())
	require.ElementsMatch(t, []string{"a" + strings.Repeat("c", 3*mostCuts-1) + "d", "e"},
		recordedMarks(t, folder))
}

// A state of another process, or from before a reset, belongs to another recording.
func TestRecorder_AForeignStateStartsNewFiles(t *testing.T) {
	folder, other := t.TempDir(), begun(t, t.TempDir())
	r := begun(t, folder)
	r.Take(0, message(ms, 'a'))
	require.NoError(t, r.EndStep(ms))
	require.NoError(t, r.RestoreState(other.AppendState(nil)))
	r.Take(0, message(2*ms, 'b'))
	require.NoError(t, r.EndStep(2*ms))
	require.NoError(t, r.RestoreState(nil))
	require.ElementsMatch(t, []string{"a", "b"}, recordedMarks(t, folder))
	require.Error(t, func() error {
		s := r.AppendState(nil)
		return r.RestoreState(s[:len(s)-1])
	}())
}

// A state with modified bytes must not make a file longer than its messages.
func TestRecorder_RefusesAPlaceBehindTheRecording(t *testing.T) {
	for _, away := range []int64{1, 1 << 50, -1 << 50} {
		folder := t.TempDir()
		r := begun(t, folder)
		r.Take(0, message(ms, 'a'))
		require.NoError(t, r.EndStep(ms))
		f := &r.files[0]
		wrong := place{position: f.at}
		wrong.bytes += away
		require.ErrorIs(t, f.rewind(wrong, mostCuts), errPlace)
		require.NoError(t, r.Finish())
		require.Equal(t, map[string]string{"1 front-lidar-1.OSMPSensorViewIn-1": "a"},
			recorded(t, folder))
	}
}
