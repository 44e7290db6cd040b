//go:build !fmucore

package build

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// exporting is a DLL with an export table and nothing else: one section at the address 0x1000.
func exporting(t *testing.T, names ...string) []byte {
	t.Helper()
	const start = 0x1000
	table := make([]byte, 40)
	binary.LittleEndian.PutUint32(table[24:], uint32(len(names)))
	binary.LittleEndian.PutUint32(table[32:], start+40)
	texts := []byte{}
	for _, name := range names {
		table = binary.LittleEndian.AppendUint32(table, uint32(start+40+4*len(names)+len(texts)))
		texts = append(append(texts, name...), 0)
	}
	table = append(table, texts...)
	var b bytes.Buffer
	optional := pe.OptionalHeader64{Magic: 0x20b, NumberOfRvaAndSizes: 16}
	optional.DataDirectory[0] = pe.DataDirectory{VirtualAddress: start, Size: uint32(len(table))}
	section := pe.SectionHeader32{VirtualAddress: start, VirtualSize: uint32(len(table)), SizeOfRawData: uint32(len(table))}
	size := func(x any) uint32 { return uint32(binary.Size(x)) }
	header := pe.FileHeader{Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, SizeOfOptionalHeader: uint16(size(optional))}
	section.PointerToRawData = size(header) + size(optional) + size(section)
	for _, part := range []any{header, optional, section, table} {
		require.NoError(t, binary.Write(&b, binary.LittleEndian, part))
	}
	for b.Len() < 4096 { // debug/pe wants to see where an older header could be
		b.WriteByte(0)
	}
	return b.Bytes()
}

func TestExamineReadsTheExportsOfADLL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "X.dll")
	for _, names := range [][]string{nil, {"fmi2DoStep"}, {"a", "fmi2CancelStep", "fmi2DoStep"}} {
		require.NoError(t, os.WriteFile(path, exporting(t, names...), 0o600))
		l, err := Examine(path)
		require.NoError(t, err)
		require.Equal(t, names, l.Exports)
		require.Empty(t, l.Glibc)
	}
}

func TestExamineRefusesWhatIsNoLibrary(t *testing.T) {
	whole := exporting(t, "fmi2DoStep")
	const count = 20 + 240 + 40 + 24 // after headers, in the table
	many := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(many[count:], 1<<30)
	lost := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(lost[count+8:], 0xFFFF_0000)
	for name, c := range map[string]struct {
		file    string
		content []byte
		text    string
	}{
		"text as DLL":          {"X.dll", []byte("text"), ""},
		"text as so":           {"X.so", []byte("text"), ""},
		"too many names":       {"X.dll", many, "cut off"},
		"names nowhere":        {"X.dll", lost, "0xffff0000"},
		"ends with the header": {"X.dll", whole[:100], ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			require.NoError(t, os.WriteFile(path, c.content, 0o600))
			_, err := Examine(path)
			require.ErrorIs(t, err, ErrBuild)
			require.ErrorContains(t, err, c.file)
			require.ErrorContains(t, err, c.text)
		})
	}
}
