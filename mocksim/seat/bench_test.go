package seat_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
)

// BenchmarkStep measures a step of a world with ten cars, some of which have an external driver:
// its SensorView within 200 m, its TrafficUpdate and the motion. The metric ns/seat is the time for
// one additional seat.
//
//	go test -run '^$' -bench Step ./mocksim/seat
func BenchmarkStep(b *testing.B) {
	alone := 0.0
	for _, seats := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("seats=%d", seats), func(b *testing.B) {
			step := crowded(b, seats)
			for range 10 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if seats == 0 {
				alone = each
				return
			}
			b.ReportMetric((each-alone)/float64(seats), "ns/seat")
		})
	}
}

// crowded returns a step of a world with ten cars.
func crowded(b *testing.B, seats int) func() {
	m, err := opendrive.ReadFile("../../examples/maps/motorway.xodr")
	require.NoError(b, err)
	w, err := mocksim.New(m, mocksim.Options{Step: step, Seed: 1})
	require.NoError(b, err)
	b.Cleanup(w.Close)
	require.NoError(b, w.Populate(mocksim.Traffic{Count: 9, Host: "ego"}))
	maker, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(b, err)
	type driver struct {
		*seat.Seat
		update []byte
	}
	var drivers []driver
	for k := range seats {
		v := w.At(k)
		s, err := seat.New(w, maker, seat.Options{Actor: v.Name(), Range: 200})
		require.NoError(b, err)
		p := v.State().Position
		update, err := proto.Marshal(at(v.ID(), p.X, p.Y, 0))
		require.NoError(b, err)
		drivers = append(drivers, driver{s, update})
	}
	return func() {
		for k := range drivers {
			d := &drivers[k]
			if _, err := d.SensorView(); err != nil {
				panic(err)
			}
			if err := d.Update(w.Time()+step, d.update); err != nil {
				panic(err)
			}
		}
		if _, err := w.Step(step); err != nil {
			panic(err)
		}
	}
}
