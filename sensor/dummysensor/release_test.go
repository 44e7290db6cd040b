package dummysensor_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/mocksim/scene"
	"gosmp/sensor/dummysensor"
)

// lender is a memory in which every address refers to Go memory, so that the garbage collector
// shows whether it is still referenced.
type lender struct {
	*mock.Memory
	bytes []byte
}

func (l *lender) View(uint64, int) []byte { return l.bytes }

// References to host memory end with the step, whether or not the data was usable, because the host
// may reuse the memory.
func TestStep_ForgetsTheHostsMemory(t *testing.T) {
	good, err := proto.Marshal(scene.Motorway(0))
	require.NoError(t, err)
	for name, view := range map[string][]byte{"good": good, "cut off": good[:len(good)-1],
		"garbage": []byte("this is no SensorView at all")} {
		t.Run(name, func(t *testing.T) {
			l := &lender{Memory: mock.NewMemory()}
			i, err := fmu.Instantiate(dummysensor.Definition(), fmu.Config{InstanceName: "sensor",
				Memory: l})
			require.NoError(t, err)
			defer i.Free()
			const replayEnabled = 1
			require.Equal(t, fmi.OK, i.SetBoolean([]fmi.ValueReference{replayEnabled},
				[]bool{false}))
			require.Equal(t, fmi.OK, i.EnterInitializationMode())
			require.Equal(t, fmi.OK, i.ExitInitializationMode())
			for k := range 3 {
				l.bytes = append(make([]byte, 0, len(view)), view...)
				lent := weak.Make(&l.bytes[0])
				require.Equal(t, fmi.OK, i.SetInteger([]fmi.ValueReference{0, 1, 2},
					[]int32{1, 0, int32(len(view))}))
				require.LessOrEqual(t, i.DoStep(0.02*float64(k), 0.02), fmi.Warning)
				l.bytes = nil
				runtime.GC()
				require.Nil(t, lent.Value(), "step %d", k)
			}
		})
	}
}
