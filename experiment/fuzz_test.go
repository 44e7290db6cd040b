package experiment_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"gosmp/experiment"
)

// FuzzExD reads and checks any document. A document that can be read can be written, and is equal
// when read back.
func FuzzExD(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/rules.txtar")
	require.NoError(f, err)
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".exc") {
			f.Add(file.Data)
		}
	}
	f.Add([]byte(bomb))
	f.Add([]byte(strings.Repeat("<ExD>", 1000)))
	f.Fuzz(func(t *testing.T, document []byte) {
		d, _ := experiment.Check("fuzz.exc", document, fstest.MapFS{}, experiment.CheckOptions{})
		if d == nil {
			return
		}
		again, _ := experiment.Read("again.exc", []byte(d.XML()), experiment.Options{})
		require.NotNil(t, again, d.XML())
		require.Equal(t, d.XML(), again.XML(), "writing is stable")
	})
}

// FuzzBIBI reads any document.
func FuzzBIBI(f *testing.F) {
	f.Add([]byte(bibi))
	f.Add([]byte(bomb))
	f.Fuzz(func(t *testing.T, document []byte) {
		b, list := experiment.ReadBIBI("fuzz.bibi", document, experiment.Options{})
		if b == nil {
			require.NotEmpty(t, list)
			return
		}
		b.Named()
	})
}

// bomb is a document that would expand to a gigabyte.
const bomb = `<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>` +
	`<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig"><name>&c;</name></ExD>`
