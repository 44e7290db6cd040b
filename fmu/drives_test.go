package fmu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResourcePath_OnWindows(t *testing.T) {
	for location, want := range map[string]string{
		"file:///C:/a%20b/resources":     "C:/a b/resources",
		"file:/C:/fmu/resources":         "C:/fmu/resources",
		"file://localhost/C:/fmu":        "C:/fmu",
		"file://C:/fmu/resources":        "C:/fmu/resources",
		"file://server/share/%C3%BC/fmu": "//server/share/ü/fmu",
		"file:////server/share/fmu":      "//server/share/fmu",
		`C:\fmu\resources`:               `C:\fmu\resources`,
		"c:/fmu/resources":               "c:/fmu/resources",
		"file:///tmp/fmu":                "/tmp/fmu",
	} {
		path, err := resourcePath(location, true)
		require.NoError(t, err, location)
		require.Equal(t, want, path, location)
	}
	path, err := resourcePath("file://host/tmp/fmu", false)
	require.NoError(t, err)
	require.Equal(t, "/tmp/fmu", path, "elsewhere a host is this machine")
}
