package gosmp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wallClocks lists the files of the product that may use the time of day, which jumps when it is
// set, and how they bear a jump. All others only compare times of the monotonic clock, which
// [time.Now] also returns.
var wallClocks = map[string]string{
	"model/internal/recording/recorder.go": "names a file",
	"bridge/flow/flow.go":                  "reads it once, for the offset of all stamps",
	"bridge/dds/discovery.go":              "stamps messages, which gosmp does not compare",
	"bridge/dds/graph.go":                  "stamps messages, which gosmp does not compare",
	"bridge/dds/reader.go":                 "stamps messages, which gosmp does not compare",
	"bridge/dds/sender.go":                 "stamps messages, which gosmp does not compare",
	"bridge/dds/writer.go":                 "stamps messages, which gosmp does not compare",
	"bridge/dds/wire/write.go":             "writes a stamp",
	"internal/unchanged/unchanged.go":      "age of a file: a file of the future is read each time",
	"internal/usercache/usercache.go":      "age of a file: at worst, a note is removed early",
	"importer/kept.go":                     "age of a file: at worst, a copy is unpacked again",
	"importer/unpack.go":                   "age of a file: at worst, a copy is unpacked again",
	"importer/reserve.go":                  "age of a file: a file of the future is read each time",
	"sweep/queue/coordinator.go":           "detects that a queue's server was set back",
	"sweep/queue/clock.go":                 "detects that a queue's server was set back",
}

// usesWallClock matches what drops the monotonic reading of a time, or compares a time with the
// time of a file or of another computer.
var usesWallClock = regexp.MustCompile(`\.Round\(0\)|\.UnixNano\(\)|\.Unix\(\)|\.UnixMilli\(\)|` +
	`\.UTC\(\)|\.Local\(\)|\.ModTime\(\)|\.Timestamp|InfoTimestamp\(|\.write\(.*time\.Now\(\)`)

// TestClock_OnlyListedFilesUseTheTimeOfDay: a timeout, a pace or a lease that was measured with the
// time of day would end early or never when the clock is set.
func TestClock_OnlyListedFilesUseTheTimeOfDay(t *testing.T) {
	readers, wall := 0, map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if name := d.Name(); err == nil && d.IsDir() && path != "." && (name == "testdata" ||
				name == "test" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !readsClock(t, path, text) {
			return err
		}
		readers++
		path = filepath.ToSlash(path)
		if !usesWallClock.Match(text) {
			return nil
		}
		wall[path] = true
		assert.Contains(t, wallClocks, path, "found a use of the time of day together with a clock: "+
			"compare times of time.Now, or list the file with how it bears a clock that is set")
		return nil
	}))
	require.Greater(t, readers, 40)
	for path := range wallClocks {
		_, err := os.Stat(path)
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, len(wall), 8)
}

// readsClock reports whether a file calls time.Now, time.Since or time.Until.
func readsClock(t *testing.T, path string, text []byte) (reads bool) {
	parsed, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, is := n.(*ast.SelectorExpr); is {
			x, plain := s.X.(*ast.Ident)
			reads = reads || plain && x.Name == "time" && (s.Sel.Name == "Now" ||
				s.Sel.Name == "Since" || s.Sel.Name == "Until")
		}
		return true
	})
	return reads
}

// TestClock_Jumps checks scripts/clock.sh: in its tests, the time of day jumps by an hour in both
// directions, and the monotonic clock does not.
func TestClock_Jumps(t *testing.T) {
	if os.Getenv("GOSMP_CLOCK_JUMPS") == "" {
		t.Skip("scripts/clock.sh sets GOSMP_CLOCK_JUMPS")
	}
	forward, back := false, false
	for before := time.Now(); !forward || !back; {
		now := time.Now()
		require.Less(t, now.Sub(before), 10*time.Minute, "monotonic")
		require.GreaterOrEqual(t, now.Sub(before), time.Duration(0))
		jump := now.Round(0).Sub(before.Round(0))
		forward, back = forward || jump > 50*time.Minute, back || jump < -50*time.Minute
		before = now
	}
}
