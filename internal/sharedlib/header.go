package sharedlib

import (
	"cmp"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"slices"
)

// The names in platform tuples for the machine codes in headers.
var (
	elfMachines = map[elf.Machine]string{elf.EM_386: "x86", elf.EM_X86_64: "x86_64",
		elf.EM_ARM: "aarch32", elf.EM_AARCH64: "aarch64", elf.EM_PPC: "ppc32",
		elf.EM_PPC64: "ppc64"}
	peMachines = map[uint16]string{pe.IMAGE_FILE_MACHINE_I386: "x86",
		pe.IMAGE_FILE_MACHINE_AMD64: "x86_64", pe.IMAGE_FILE_MACHINE_ARMNT: "aarch32",
		pe.IMAGE_FILE_MACHINE_ARM64: "aarch64"}
	machoMachines = map[macho.Cpu]string{macho.Cpu386: "x86", macho.CpuAmd64: "x86_64",
		macho.CpuArm:   "aarch32",
		macho.CpuArm64: "aarch64", macho.CpuPpc: "ppc32", macho.CpuPpc64: "ppc64"}
)

// Identify determines the format and the machines from the first 64 KiB of a file. The result is
// false for an unknown format.
func Identify(head []byte) (Library, bool) {
	b := Library{Machines: []string{}, Needs: []string{}}
	switch {
	case len(head) >= 20 && string(head[:4]) == elf.ELFMAG:
		b.Format, b.Machines = ELF, []string{elfMachine(head)}
	case len(head) >= 64 && string(head[:2]) == "MZ":
		at := int64(binary.LittleEndian.Uint32(head[60:]))
		if at+6 <= int64(len(head)) && string(head[at:at+4]) == "PE\x00\x00" {
			machine := binary.LittleEndian.Uint16(head[at+4:])
			b.Format, b.Machines = PE, []string{cmp.Or(peMachines[machine],
				fmt.Sprintf("machine 0x%x", machine))}
		}
	case len(head) >= 8:
		if b.Machines = machoHeader(head); len(b.Machines) > 0 {
			b.Format = MachO
		}
	}
	return b, b.Format != ""
}

func elfMachine(head []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	machine := elf.Machine(order.Uint16(head[18:]))
	switch system := elf.OSABI(head[elf.EI_OSABI]); system {
	case elf.ELFOSABI_NONE, elf.ELFOSABI_LINUX:
	default: // the loader of Linux refuses it
		return cmp.Or(elfMachines[machine], machine.String()) + " with " + system.String()
	}
	if machine == elf.EM_RISCV {
		if elf.Class(head[elf.EI_CLASS]) == elf.ELFCLASS64 {
			return "riscv64"
		}
		return "riscv32"
	}
	return cmp.Or(elfMachines[machine], machine.String())
}

// machoHeader lists the machines of a Mach-O file, each once.
func machoHeader(head []byte) []string {
	list := []string{}
	add := func(cpu uint32) {
		name := cmp.Or(machoMachines[macho.Cpu(cpu)], macho.Cpu(cpu).String())
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if magic := order.Uint32(head); magic == macho.Magic32 || magic == macho.Magic64 {
			add(order.Uint32(head[4:]))
		}
	}
	// A Java class begins with the same magic number, but its next number is a version, which is at
	// least 45.
	if binary.BigEndian.Uint32(head) != macho.MagicFat || binary.BigEndian.Uint32(head[4:]) >= 45 {
		return list
	}
	for k := range int(binary.BigEndian.Uint32(head[4:])) {
		if at := 8 + 20*k; at+4 <= len(head) {
			add(binary.BigEndian.Uint32(head[at:]))
		}
	}
	return list
}
