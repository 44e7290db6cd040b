package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOpener: a browser is started only where a user can see it, and $BROWSER is the one to start.
func TestOpener(t *testing.T) {
	for name, test := range map[string]struct {
		terminal bool
		system   string
		env      map[string]string
		opens    bool
	}{
		"a desktop":              {true, "linux", map[string]string{"DISPLAY": ":0"}, true},
		"Wayland":                {true, "linux", map[string]string{"WAYLAND_DISPLAY": "w"}, true},
		"Linux on Windows":       {true, "linux", map[string]string{"WSL_DISTRO_NAME": "D"}, true},
		"macOS":                  {true, "darwin", nil, true},
		"no display":             {true, "linux", nil, false},
		"no terminal":            {false, "linux", map[string]string{"DISPLAY": ":0"}, false},
		"a program of the user":  {true, "linux", map[string]string{"BROWSER": "lynx"}, true},
		"none, says the user":    {true, "darwin", map[string]string{"BROWSER": "none"}, false},
		"a program, no terminal": {false, "linux", map[string]string{"BROWSER": "lynx"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			open := opener(test.terminal, test.system, func(k string) string { return test.env[k] })
			require.Equal(t, test.opens, open != nil)
		})
	}
}

// TestOpener_Program: the user's program receives the address.
func TestOpener_Program(t *testing.T) {
	folder := t.TempDir()
	script, said := filepath.Join(folder, "browser"), filepath.Join(folder, "said")
	text := "#!/bin/sh\nprintf %s \"$1\" >" + said + "\n"
	require.NoError(t, os.WriteFile(script, []byte(text), 0o700)) //nolint:gosec // is executed
	open := opener(true, "linux", func(k string) string {
		return map[string]string{"BROWSER": script}[k]
	})
	require.NoError(t, open("http://127.0.0.1:1/?token=2"))
	b, err := os.ReadFile(said)
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:1/?token=2", string(b))
}
