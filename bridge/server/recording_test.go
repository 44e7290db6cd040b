package server_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/server"
)

// A recording replaces only files recorded by gosmp, and only when it begins.
func TestOpen_KeepsFiles(t *testing.T) {
	c := config(t)
	c.Transport = bridge.Transport{Kind: "mcap", Path: filepath.Join(t.TempDir(), "a.mcap")}
	open := func() bridge.Carrier {
		carrier, err := server.Open(c, server.Options{})
		require.NoError(t, err)
		return carrier
	}
	require.NoError(t, open().Close())
	require.NoFileExists(t, c.Transport.Path, "nothing was recorded")

	carrier := open()
	require.NoError(t, carrier.Publish(c.Topics[0], 7, []byte{0, 1, 0, 0}))
	require.NoError(t, carrier.Close())
	first, err := os.ReadFile(c.Transport.Path)
	require.NoError(t, err)
	require.NoError(t, open().Close())
	same, err := os.ReadFile(c.Transport.Path)
	require.NoError(t, err)
	require.Equal(t, first, same, "a run that was refused")

	carrier = open()
	require.NoError(t, carrier.(interface{ Begin() error }).Begin())
	require.NoError(t, carrier.Close())
	second, err := os.ReadFile(c.Transport.Path)
	require.NoError(t, err)
	require.Less(t, len(second), len(first), "without messages")

	for _, precious := range []string{"my thesis", "\x89MCAP0\r\n", "\x89MCAP0\r\n\x01" +
		"\x10\x00\x00\x00\x00\x00\x00\x00" +
		"\x04\x00\x00\x00ros2\x06\x00\x00\x00rosbag"} {
		require.NoError(t, os.WriteFile(c.Transport.Path, []byte(precious), 0o600))
		_, err := server.Open(c, server.Options{})
		require.ErrorIs(t, err, bridge.ErrConfig)
		kept, err := os.ReadFile(c.Transport.Path)
		require.NoError(t, err)
		require.Equal(t, precious, string(kept))
	}
}
