package fmu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmu"
)

// FuzzResourcePath uses any text as a location, and as a path that a careful and a careless
// importer have turned into a location.
func FuzzResourcePath(f *testing.F) {
	for _, text := range []string{
		"", "/tmp/fmu/resources", "file:///tmp/a%20b", "file://localhost/tmp", "file:/C:/x",
		"FILE:", "file:", "file://", "c:/x", "http://x/y",
		"%", "%%%", "%zz", "%C3%BC%00", "/100%/50%20off", "\xff\xfe", "//server/share", ":", "a:b",
		strings.Repeat("%41", 100),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := fmu.ResourcePath(text)
		if err != nil {
			require.ErrorIs(t, err, fmu.ErrArgument)
			require.Empty(t, path)
			require.Contains(t, err.Error(), fmt.Sprintf("%q", text))
		}
		rooted := "/" + strings.TrimLeft(text, "/")
		for _, location := range []string{"file://" + escape(rooted), "file:" + escape(rooted),
			"File://localhost" + escape(rooted)} {
			path, err := fmu.ResourcePath(location)
			require.NoError(t, err, location)
			require.Equal(t, rooted, path, location)
		}
		path, err = fmu.ResourcePath(rooted)
		require.NoError(t, err)
		require.Equal(t, rooted, path, "a plain path is taken as it is")
	})
}

// escape percent-encodes every byte except slashes.
func escape(path string) string {
	var b strings.Builder
	for k := range len(path) {
		if path[k] == '/' {
			b.WriteByte('/')
			continue
		}
		fmt.Fprintf(&b, "%%%02x", path[k])
	}
	return b.String()
}
