package dummysensor_test

import (
	"math"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/sensor/dummysensor"
)

// oneView is a memory in which every address refers to the same bytes.
type oneView struct {
	*mock.Memory
	bytes []byte
}

func (v oneView) View(_ uint64, n int) []byte { return v.bytes[:n] }

// A SensorView of the largest representable size does not fit into a SensorData. The error is
// returned without building the message, which would need several times the memory; the view itself
// takes hardly any here.
func TestBadInput_SensorViewOf2GiBIsAnError(t *testing.T) {
	bytes, err := syscall.Mmap(-1, 0, math.MaxInt32, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no 2 GiB of address space: %v", err)
	}
	defer func() { require.NoError(t, syscall.Munmap(bytes)) }()
	const unknown, tagAndLength = 18999, 3 + 5
	copy(bytes, protowire.AppendVarint(protowire.AppendTag(nil, unknown, protowire.BytesType),
		math.MaxInt32-tagAndLength))

	log := &mock.Log{}
	i, err := fmu.Instantiate(dummysensor.Definition(), fmu.Config{
		InstanceName: "sensor", Deliver: log.Deliver, Memory: oneView{mock.NewMemory(), bytes},
	})
	require.NoError(t, err)
	defer i.Free()
	const replayEnabled = 1
	require.Equal(t, fmi.OK, i.SetBoolean([]fmi.ValueReference{replayEnabled}, []bool{false}))
	require.Equal(t, fmi.OK, i.EnterInitializationMode())
	require.Equal(t, fmi.OK, i.ExitInitializationMode())
	require.Equal(t, fmi.OK, i.SetInteger([]fmi.ValueReference{0, 1, 2},
		[]int32{1, 1, math.MaxInt32}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Equal(t, fmi.Error, i.DoStep(0, 0.02))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	require.Len(t, log.Lines, 1)
	require.Contains(t, log.Lines[0].Text,
		"OSMPSensorDataOut: message of 2 GiB or more: found 21474")
	require.Contains(t, log.Lines[0].Text,
		"expected at most 2147483647; the SensorView to pass on has 2147483647")
}
