package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// entry is a file to pack.
type entry struct{ name, content string }

// pack creates a zip file with the given entries in the given order.
func pack(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		f, err := w.Create(e.name)
		require.NoError(t, err)
		_, err = f.Write([]byte(e.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func readError(t *testing.T, content []byte) *Error {
	t.Helper()
	_, err := Read(bytes.NewReader(content), int64(len(content)))
	var input *Error
	require.ErrorAs(t, err, &input)
	return input
}

// minimal is the shortest valid model description.
const minimal = `<fmiModelDescription fmiVersion="2.0" modelName="M" guid="1">
  <CoSimulation modelIdentifier="M"/><ModelVariables/><ModelStructure/>
</fmiModelDescription>`

// elfStub returns the header of a 64-bit ELF file for a machine.
func elfStub(machine uint16) string {
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(head[18:], machine)
	return string(head)
}

const elfAMD64 = 62

// requireNoNil fails for a nil slice anywhere in a value, because its JSON would be null.
func requireNoNil(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Slice:
		require.False(t, v.IsNil(), path)
		for k := range v.Len() {
			requireNoNil(t, v.Index(k), path+"[]")
		}
	case reflect.Pointer:
		if !v.IsNil() {
			requireNoNil(t, v.Elem(), path)
		}
	case reflect.Struct:
		for k := range v.NumField() {
			if field := v.Type().Field(k); field.IsExported() && field.Tag.Get("json") != "-" {
				requireNoNil(t, v.Field(k), path+"."+field.Name)
			}
		}
	}
}
