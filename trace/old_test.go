package trace_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/proto/wire"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/osi"
)

// oldMessage returns a message that begins with version and time stamp.
func oldMessage(n int64, size int) []byte {
	b := wire.AppendTimestamp(wire.AppendInterfaceVersion(nil, 1, 3, 0, 0), 2, n, 0)
	return wire.AppendBytes(b, 7, make([]byte, size))
}

// Files from early tools have separators between messages, or consist of a single message without a
// length. They are read like other files, and a player can go back in them.
func TestOpenAt_FilesWithoutLengths(t *testing.T) {
	for _, size := range []int{10, 200_000} {
		one := oldMessage(0, size)
		many := bytes.Join([][]byte{one, oldMessage(1, size), oldMessage(2, 5), nil},
			[]byte(osi.Separator))
		for count, content := range map[int][]byte{1: one, 3: many, 4: append(bytes.Clone(many),
			oldMessage(3, 9)...)} {
			s := open(t, "sv_300_1_1.osi", content, trace.Options{})
			require.True(t, s.Info().Separated)
			for n := range count {
				m, err := s.Next()
				require.NoError(t, err)
				require.Equal(t, timebase.Time(n)*timebase.Second, m.Time)
			}
			_, err := s.Next()
			require.ErrorIs(t, err, io.EOF)
			p, err := trace.NewPlayer(open(t, "sv_300_1_1.osi", content, trace.Options{}),
				trace.PlayerOptions{})
			require.NoError(t, err)
			b, err := p.At(0)
			require.NoError(t, err)
			require.Equal(t, one, b)
		}
	}
	s := open(t, "sv_380_1_1.osi", append([]byte{5, 0, 0, 0}, 0x12, 3, 0x08, 1, 0x10),
		trace.Options{})
	require.False(t, s.Info().Separated)
}

// Errors about other formats name the format and suggest what to do.
func TestRecognize_NamesOtherFormats(t *testing.T) {
	for head, hint := range map[string]string{
		"\x1f\x8b\x08": "gunzip", "\xfd7zXZ\x00": "xz -d", "BZh9": "bunzip2",
		"\x28\xb5\x2f\xfd": "zstd -d", "SQLite format 3\x00": "ros2 bag convert",
		"#ROSBAG V2.0\n": "mcap convert", "version https://git-lfs.github.com/spec/v1\n": "git lfs pull",
	} {
		_, err := trace.Recognize("drive.osi", []byte(head), 1000)
		require.ErrorIs(t, err, trace.ErrFormat)
		require.ErrorContains(t, err, hint)
	}
}
