package sharedlib

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdentify(t *testing.T) {
	mz := func(machine uint16) string {
		head := make([]byte, 128)
		copy(head, "MZ")
		head[60] = 64
		copy(head[64:], "PE\x00\x00")
		binary.LittleEndian.PutUint16(head[68:], machine)
		return string(head)
	}
	words := func(order binary.ByteOrder, list ...uint32) string {
		var b []byte
		for _, word := range list {
			b = append(b, 0, 0, 0, 0)
			order.PutUint32(b[len(b)-4:], word)
		}
		return string(b)
	}
	little, big := binary.LittleEndian, binary.BigEndian
	riscv32 := []byte(elfStub(243))
	riscv32[4] = 1
	freebsd := []byte(elfStub(62))
	freebsd[7] = 9
	sparc := []byte(elfStub(0))
	sparc[5], sparc[19] = 2, 2 // big-endian
	for name, c := range map[string]struct {
		head, format string
		machines     []string
	}{
		"ELF x86":       {elfStub(3), "ELF", []string{"x86"}},
		"ELF aarch64":   {elfStub(183), "ELF", []string{"aarch64"}},
		"ELF riscv64":   {elfStub(243), "ELF", []string{"riscv64"}},
		"ELF riscv32":   {string(riscv32), "ELF", []string{"riscv32"}},
		"ELF FreeBSD":   {string(freebsd), "ELF", []string{"x86_64 with ELFOSABI_FREEBSD"}},
		"ELF unknown":   {string(sparc), "ELF", []string{"EM_SPARC"}},
		"PE x86_64":     {mz(0x8664), "PE", []string{"x86_64"}},
		"PE aarch64":    {mz(0xAA64), "PE", []string{"aarch64"}},
		"PE unknown":    {mz(0x1234), "PE", []string{"machine 0x1234"}},
		"DOS":           {"MZ" + strings.Repeat("\xFF", 100), "", []string{}},
		"Mach-O x86_64": {words(little, 0xFEEDFACF, 0x01000007), "Mach-O", []string{"x86_64"}},
		"Mach-O ppc":    {words(big, 0xFEEDFACE, 18), "Mach-O", []string{"ppc32"}},
		"Mach-O universal": {words(big, 0xCAFEBABE, 2, 0x01000007, 3, 0, 0, 0, 0x0100000C, 0, 0, 0,
			0), "Mach-O", []string{"x86_64", "aarch64"}},
		"Java class": {words(big, 0xCAFEBABE, 61, 1, 2, 3), "", []string{}},
		"text":       {"just some text", "", []string{}},
		"short":      {"\x7fELF", "", []string{}},
		"nothing":    {"", "", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			b, library := Identify([]byte(c.head))
			require.Equal(t, c.format, b.Format)
			require.Equal(t, c.machines, b.Machines)
			require.Equal(t, c.format != "", library)
		})
	}
}

// The running test program is built for this machine.
func TestIdentify_ThisProgram(t *testing.T) {
	name, err := os.Executable()
	require.NoError(t, err)
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	b, library := Identify(content)
	require.True(t, library)
	require.Equal(t, map[string]string{"windows": PE, "linux": ELF, "darwin": MachO}[runtime.GOOS],
		b.Format)
	machine, known := map[string]string{"amd64": "x86_64", "386": "x86", "arm64": "aarch64",
		"arm": "aarch32", "riscv64": "riscv64"}[runtime.GOARCH]
	if !known {
		t.Skip("no word for " + runtime.GOARCH)
	}
	require.Equal(t, []string{machine}, b.Machines)
}

// The parser agrees with the debug packages on the libraries of this machine.
func TestParse_AgreeWithPackageDebug(t *testing.T) {
	var names []string
	for _, pattern := range []string{"/lib/*-linux-gnu/lib*.so.?", "/usr/lib/*-linux-gnu/lib*.so.?",
		"/lib64/lib*.so.?"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		names = append(names, found...)
	}
	checked := 0
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil || checked == 8 {
			continue
		}
		f, err := elf.NewFile(bytes.NewReader(content))
		if err != nil {
			continue
		}
		checked++
		wanted, err := f.ImportedLibraries()
		require.NoError(t, err)
		slices.Sort(wanted)
		newest := ""
		versions, err := f.DynamicVersionNeeds()
		if err == nil {
			for _, need := range versions {
				for _, v := range need.Needs {
					if number, found := strings.CutPrefix(v.Dep, "GLIBC_"); found &&
						Newer(number, newest) {
						newest = number
					}
				}
			}
		}
		l, known := Parse(content)
		require.True(t, known)
		require.Equal(t, append([]string{}, slices.Compact(wanted)...), l.Needs, name)
		require.Equal(t, newest, l.Glibc, name)
		require.Equal(t, functionsOf(t, f), l.Exports, name)
	}
	if checked == 0 {
		t.Skip("no ELF libraries here")
	}
}

// functionsOf returns the functions that package debug finds among the dynamic symbols.
func functionsOf(t *testing.T, f *elf.File) (names []string) {
	t.Helper()
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names = append(names, s.Name)
		}
	}
	return names
}

// writer builds an image with numbers at chosen offsets.
type writer struct {
	data  []byte
	order binary.ByteOrder
	wide  bool
}

func (w *writer) text(at int, text string) { copy(w.data[at:], text+"\x00") }
func (w *writer) u16(at int, x uint16)     { w.order.PutUint16(w.data[at:], x) }
func (w *writer) u32(at int, x uint32)     { w.order.PutUint32(w.data[at:], x) }
func (w *writer) address(at int, x uint64) {
	if w.wide {
		w.order.PutUint64(w.data[at:], x)
	} else {
		w.u32(at, uint32(x))
	}
}

// tinyELF needs libm.so.6, GLIBC_2.9 and GLIBC_2.34; it is loaded 0x1000 above its file offset.
func tinyELF(wide bool, order binary.ByteOrder) []byte {
	w := &writer{data: make([]byte, 1024), order: order, wide: wide}
	copy(w.data, "\x7fELF\x01\x01\x01")
	step, word := 32, 4
	if wide {
		w.data[4], step, word = 2, 56, 8
	}
	if order == binary.BigEndian {
		w.data[5] = 2
	}
	pick := func(a, b int) int {
		if wide {
			return a
		}
		return b
	}
	w.u16(18, elfAMD64)
	w.address(pick(32, 28), 64)
	w.u16(pick(54, 42), uint16(step))
	w.u16(pick(56, 44), 2)
	header := func(at int, kind uint32, offset, address, size uint64) {
		w.u32(at, kind)
		w.address(at+pick(8, 4), offset)
		w.address(at+pick(16, 8), address)
		w.address(at+pick(32, 16), size)
	}
	header(64, 1, 0, 0x1000, 1024)
	header(64+step, 2, 256, 0x1100, uint64(12*word))
	for k, pair := range [][2]uint64{{1, 1}, {5, 0x1200}, {0x6FFFFFFE, 0x1300}, {0, 0}, {1, 1}} {
		w.address(256+2*k*word, pair[0])
		w.address(256+(2*k+1)*word, pair[1])
	}
	w.text(512+1, "libm.so.6")
	w.text(512+20, "GLIBC_2.9")
	w.text(512+40, "GLIBC_2.34")
	w.text(512+60, "GLIBC_PRIVATE")
	w.u16(768+2, 3)
	w.u32(768+8, 16)
	for k, name := range []uint32{20, 40, 60} {
		w.u32(784+16*k+8, name)
		w.u32(784+16*k+12, 16)
	}
	return w.data
}

// tinyPE needs KERNEL32.dll and USER32.dll and exports two functions.
func tinyPE(wide bool) []byte {
	w := &writer{data: make([]byte, 1024), order: binary.LittleEndian}
	w.text(0, "MZ")
	w.u32(60, 128)
	w.text(128, "PE")
	w.u16(132, 0x8664)
	w.u16(134, 1)
	w.u16(148, 240)
	w.u16(152, 0x10B)
	directory := 152 + 104
	if wide {
		w.u16(152, 0x20B)
		directory = 152 + 120
	}
	w.u32(directory, 0x5000)
	section := 152 + 240
	w.u32(section+12, 0x5000)
	w.u32(section+16, 512)
	w.u32(section+20, 512)
	w.u32(512+12, 0x5080)
	w.u32(532+12, 0x50A0)
	w.text(512+0x80, "USER32.dll")
	w.text(512+0xA0, "KERNEL32.dll")
	w.u32(directory-4-8, 16) // directories
	w.u32(directory-8, 0x5100)
	w.u32(512+0x100+24, 2)
	w.u32(512+0x100+32, 0x5140)
	w.u32(512+0x140, 0x5150)
	w.u32(512+0x144, 0x5160)
	w.text(512+0x150, "fmi2CancelStep")
	w.text(512+0x160, "fmi2DoStep")
	return w.data
}

// tinyMachO needs a library, reexports one, and exports a function; it also has symbols that it
// does not export.
func tinyMachO(wide bool, order binary.ByteOrder) []byte {
	w := &writer{data: make([]byte, 512), order: order}
	at, step := 28, 12
	w.u32(0, 0xFEEDFACE)
	if wide {
		w.u32(0, 0xFEEDFACF)
		at, step = 32, 16
	}
	// not external, undefined, exported, for a debugger
	for k, kind := range []byte{0x0E, 0x01, 0x0F, 0x2F} {
		w.u32(300+step*k, uint32(10*k))
		w.data[300+step*k+4] = kind
		w.text(400+10*k, "_local")
	}
	w.text(420, "_fmi2DoStep")
	for k, number := range []uint32{300, 4, 400, 100} {
		w.u32(at+56+8+4*k, number)
	}
	w.u32(16, 3)
	for k, command := range []uint32{0xC, 0x2, 0x8000001F} {
		w.u32(at+56*k, command)
		w.u32(at+56*k+4, 56)
		if command == 0x2 {
			continue
		}
		w.u32(at+56*k+8, 24)
		w.text(at+56*k+24, "/usr/lib/lib"+string(rune('A'+k))+".dylib")
	}
	return w.data
}

// parse reads a file of a known format.
func parse(t *testing.T, content []byte) Library {
	t.Helper()
	l, known := Parse(content)
	require.True(t, known)
	return l
}

func TestParse(t *testing.T) {
	for _, wide := range []bool{false, true} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			l := parse(t, tinyELF(wide, order))
			require.Equal(t, []string{"libm.so.6"}, l.Needs)
			require.Equal(t, "2.34", l.Glibc)
			l = parse(t, tinyMachO(wide, order))
			require.Equal(t, []string{"/usr/lib/libA.dylib", "/usr/lib/libC.dylib"}, l.Needs)
			require.Equal(t, []string{"fmi2DoStep"}, l.Exports)
		}
		l := parse(t, tinyPE(wide))
		require.Equal(t, []string{"KERNEL32.dll", "USER32.dll"}, l.Needs)
		require.Equal(t, []string{"fmi2CancelStep", "fmi2DoStep"}, l.Exports)
	}
	universal := make([]byte, 64)
	binary.BigEndian.PutUint32(universal, 0xCAFEBABE)
	binary.BigEndian.PutUint32(universal[4:], 1)
	binary.BigEndian.PutUint32(universal[8+8:], 64)
	binary.BigEndian.PutUint32(universal[8+12:], 512)
	l := parse(t, append(universal, tinyMachO(true, binary.LittleEndian)...))
	require.Equal(t, []string{"/usr/lib/libA.dylib", "/usr/lib/libC.dylib"}, l.Needs)
	require.Equal(t, []string{"fmi2DoStep"}, l.Exports)
}

func TestNewer(t *testing.T) {
	require.True(t, Newer("2.2.5", ""))
	require.True(t, Newer("2.34", "2.9"))
	require.True(t, Newer("2.3.2", "2.3"))
	require.False(t, Newer("2.9", "2.34"))
	require.False(t, Newer("2.34", "2.34"))
	require.False(t, Newer("PRIVATE", "2.34"))
}

// FuzzParse searches for a file that makes the parsers panic or run forever.
func FuzzParse(f *testing.F) {
	f.Add(tinyELF(true, binary.LittleEndian))
	f.Add(tinyELF(false, binary.BigEndian))
	f.Add(tinyPE(true))
	f.Add(tinyPE(false))
	f.Add(tinyMachO(true, binary.LittleEndian))
	f.Fuzz(func(t *testing.T, content []byte) {
		l, known := Parse(content)
		if !known {
			return
		}
		require.NotNil(t, l.Needs)
		for _, name := range append(l.Needs, l.Exports...) {
			require.LessOrEqual(t, len(name), 3*maxName)
		}
	})
}

const elfAMD64 = 62

// elfStub returns the header of a 64-bit ELF file for a machine.
func elfStub(machine uint16) string {
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(head[18:], machine)
	return string(head)
}
