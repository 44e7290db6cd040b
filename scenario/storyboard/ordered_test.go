package storyboard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
)

// TestOrdered: entities are placed after those to which their places are relative, also thousands of
// them, each relative to the next one and all to the last one; a cycle ends with its first entity.
func TestOrdered(t *testing.T) {
	const entities = 30_000
	var b strings.Builder
	for k := range entities {
		fmt.Fprintf(&b, `<Private entityRef="e%d"><PrivateAction><TeleportAction><Position>`+
			`<RelativeObjectPosition entityRef="e%d" dx="1" dy="0"/></Position></TeleportAction>`+
			`</PrivateAction><PrivateAction><ControllerAction><ActivateControllerAction `+
			`entityRef="e%d"/></ControllerAction></PrivateAction></Private>`, k, (k+1)%entities,
			entities-1)
	}
	file := filepath.Join(t.TempDir(), "many.xosc")
	require.NoError(t, os.WriteFile(file, []byte(`<OpenSCENARIO><Storyboard><Init><Actions>`+
		b.String()+`</Actions></Init></Storyboard></OpenSCENARIO>`), 0o600))
	d, err := scenario.Open(file)
	require.NoError(t, err)
	parts := d.Root.Child("Storyboard").Child("Init").Child("Actions").Children
	for _, p := range parts {
		p.Type = "Private"
	}
	list := ordered(parts)
	require.Len(t, list, entities)
	require.Equal(t, "e0", list[entities-1].Value("entityRef"))
	require.Equal(t, fmt.Sprint("e", entities-1), list[0].Value("entityRef"))
}
