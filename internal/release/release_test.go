package release_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/release"
)

func TestRevision(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting {
		return debug.BuildSetting{Key: key, Value: value}
	}
	for want, settings := range map[string][]debug.BuildSetting{
		"":                  {setting("vcs", "git"), setting("vcs.modified", "true")},
		"abc0":              {setting("vcs.revision", "abc0"), setting("vcs.modified", "false")},
		"abc1 with changes": {setting("vcs.modified", "true"), setting("vcs.revision", "abc1")},
	} {
		require.Equal(t, want, release.Revision(&debug.BuildInfo{Settings: settings}))
	}
}
