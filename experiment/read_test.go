package experiment_test

import (
	"fmt"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/finding"
)

// withoutPlaces returns a copy in which all positions and the name of the file are zero.
func withoutPlaces(d *experiment.Description) experiment.Description {
	c := *d
	c.File = ""
	clearPlaces(reflect.ValueOf(&c))
	return c
}

func clearPlaces(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if e, ok := v.Interface().(*scxml.Element); ok && e != nil {
			copied := scxml.Element{}
			if parsed, err := scxml.ParseXML([]byte(e.XML())); err == nil {
				copied = *parsed
			}
			clearFields(reflect.ValueOf(&copied).Elem())
			v.Set(reflect.ValueOf(&copied))
			return
		}
		if !v.IsNil() {
			clearPlaces(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			clearPlaces(v.Index(i))
		}
	case reflect.Struct:
		clearFields(v)
	}
}

func clearFields(v reflect.Value) {
	if v.Type() == reflect.TypeFor[experiment.Position]() {
		v.SetZero()
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			clearPlaces(v.Field(i))
		}
	}
}

// TestRead_EachRule tests EX01 to EX12 and EX16 to EX21: each rule has documents that break only
// this rule, as well as valid ones. UPDATE=1 writes the findings into the file, for review.
func TestRead_EachRule(t *testing.T) {
	const golden = "testdata/rules.txtar"
	archive, err := txtar.ParseFile(golden)
	require.NoError(t, err)
	seen, found := map[string]bool{}, ""
	for i, f := range archive.Files {
		name, part := path.Split(f.Name)
		rule, _, _ := strings.Cut(strings.TrimSuffix(name, "/"), "-")
		d, list := experiment.Read(f.Name, f.Data, experiment.Options{})
		switch part {
		case "bad.exc":
			seen[rule], found = true, ""
			for _, x := range list {
				require.Equal(t, rule, x.ID, "%s alone: %s", f.Name, x)
				require.NotEmpty(t, x.Remedy)
				found += strings.TrimPrefix(x.String(), f.Name) + "\n"
			}
			require.NotEmpty(t, list, f.Name)
			_, strict := experiment.Read(f.Name, f.Data, experiment.Options{Strict: true})
			worst, _ := strict.Worst()
			require.Equal(t, finding.Error, worst, "strict: %s", f.Name)
		case "want":
			if os.Getenv("UPDATE") != "" {
				archive.Files[i].Data = []byte(found)
			}
			require.Equal(t, string(archive.Files[i].Data), found, f.Name)
		case "good.exc":
			require.Empty(t, list, f.Name)
			again, _ := experiment.Read("again", []byte(d.XML()), experiment.Options{Strict: true})
			require.Equal(t, withoutPlaces(d), withoutPlaces(again), f.Name)
		}
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, txtar.Format(archive), 0o600))
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20, 21} {
		require.True(t, seen[fmt.Sprintf("EX%02d", n)], "no document shows EX%02d", n)
	}
}

// TestRead_ByteOrderMarkAndPrefixes tests EX20: files with the same meaning give the same result.
func TestRead_ByteOrderMarkAndPrefixes(t *testing.T) {
	plain := `<ExD xmlns="` + experiment.Namespace + `"><name>n</name><bibiConf src="b"/></ExD>`
	prefixed := "\xef\xbb\xbf" + `<ns1:ExD xmlns:ns1="` + experiment.Namespace +
		`"><ns1:name>n</ns1:name><ns1:bibiConf src="b"/></ns1:ExD>`
	a, x := experiment.Read("f", []byte(plain), experiment.Options{})
	b, y := experiment.Read("f", []byte(prefixed), experiment.Options{})
	require.Equal(t, withoutPlaces(a), withoutPlaces(b))
	require.Len(t, y, len(x))
	require.Equal(t, 1, b.BIBI.Processes)
}
