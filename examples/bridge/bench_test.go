package main

import (
	"testing"
)

// An Imu is encoded without allocating.
func TestMarshal_Allocates(t *testing.T) {
	m, b := &Imu{Header: Header{FrameID: "imu"}}, make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() { b, _ = m.Marshal(b) }); n != 0 {
		t.Errorf("found %v allocations, expected none", n)
	}
	if len(b) != 316 {
		t.Errorf("found %d bytes, expected 316", len(b))
	}
}

func BenchmarkMarshalImu(b *testing.B) {
	m, buffer := &Imu{Header: Header{FrameID: "imu"}}, make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		buffer, _ = m.Marshal(buffer)
	}
}

func BenchmarkUnmarshalImu(b *testing.B) {
	m := &Imu{Header: Header{FrameID: "imu"}}
	buffer, _ := m.Marshal(nil)
	b.ReportAllocs()
	for b.Loop() {
		_ = m.Unmarshal(buffer)
	}
}
