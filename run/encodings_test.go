package run_test

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/cosim"
	"gosmp/experiment/smach"
	"gosmp/run/kind"
	"gosmp/sensor/simsensor"
	"gosmp/sweep"
	"gosmp/trace"
	"gosmp/trace/expect"
)

// TestEncodings: files of text in UTF-16 and UTF-32 are named as such.
func TestEncodings(t *testing.T) {
	t.Parallel()
	encode := func(text string, wide bool) (b []byte) {
		if wide {
			for _, r := range text {
				b = binary.LittleEndian.AppendUint32(b, uint32(r))
			}
			return b
		}
		for _, unit := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
		return b
	}
	for name, c := range map[string]struct {
		text string
		read func(name string, from io.Reader, text []byte) error
	}{
		"table.csv": {"time,x\n0,1\n", func(name string, from io.Reader, _ []byte) error {
			_, err := cosim.ReadTable(from, name, []cosim.Variable{{Name: "x"}})
			return err
		}},
		"plan.yaml": {"experiment: a.exc\n", func(name string, from io.Reader, _ []byte) error {
			_, err := sweep.Read(name, from)
			return err
		}},
		"plan.csv": {"experiment,x\na.exc,1\n", func(name string, from io.Reader, _ []byte) error {
			_, err := sweep.Read(name, from)
			return err
		}},
		"conditions.yaml": {"conditions: []\n", func(name string, from io.Reader, _ []byte) error {
			_, err := expect.Read(name, from)
			return err
		}},
		"bridge.json": {`{"bridge":1}`, func(name string, _ io.Reader, text []byte) error {
			_, err := bridge.ParseConfig(name, text)
			return err
		}},
		"machine.py": {"sm = StateMachine()\n", func(name string, _ io.Reader, text []byte) error {
			_, err := smach.Translate(name, text)
			return err
		}},
		"trace.jsonl": {`{"topic":"a"}` + "\n", func(name string, _ io.Reader, _ []byte) error {
			s, err := trace.Open(name, trace.Options{})
			if err == nil {
				_, err = s.Next()
				require.NoError(t, s.Close())
			}
			return err
		}},
		"recording.csv": {"1,0,12,-3,-9807\n", func(name string, _ io.Reader, _ []byte) error {
			_, err := simsensor.Open(name, simsensor.Options{})
			return err
		}},
	} {
		for _, mark := range []string{"", "\ufeff"} {
			for encoding, text := range map[string][]byte{"UTF-16": encode(mark+c.text, false),
				"UTF-32": encode(mark+c.text, true)} {
				file := filepath.Join(t.TempDir(), name)
				require.NoError(t, os.WriteFile(file, text, 0o600))
				err := c.read(file, strings.NewReader(string(text)), text)
				if filepath.Ext(name) == ".yaml" && mark != "" && encoding == "UTF-16" {
					continue // YAML allows it
				}
				require.ErrorContains(t, err, encoding, name)
				require.ErrorContains(t, err, "UTF-8", name)
				if name != "trace.jsonl" && name != "machine.py" { // recognized without the text
					_, is := kind.Describe(file)
					require.Contains(t, is, encoding, name)
				}
			}
		}
	}
}
