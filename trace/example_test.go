package trace_test

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

// Write a trace, then read it without stating its format.
func Example() {
	var file bytes.Buffer
	sink, _ := trace.Create(&file, trace.MCAP, trace.SinkOptions{})
	view, _ := sink.Add(trace.OSI("front.view", "SensorView"))
	for k := range 3 {
		at := timebase.Time(k) * 20 * timebase.Millisecond
		data, _ := proto.Marshal(
			&osi3.SensorView{Timestamp: &osi3.Timestamp{Nanos: proto.Uint32(uint32(at))}})
		_ = sink.Write(&trace.Message{Channel: view, Time: at, Publish: at, Data: data})
	}
	_ = sink.Close()

	source, err := trace.OpenStream("drive", &file, trace.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = source.Close() }() // was only read
	damage, err := trace.Each(source, func(m *trace.Message) error {
		fmt.Println(m.Channel.Topic, m.Channel.ShortType(), m.Time.Seconds())
		return nil
	})
	fmt.Println(damage, err)
	// Output:
	// front.view SensorView 0
	// front.view SensorView 0.02
	// front.view SensorView 0.04
	// <nil> <nil>
}
