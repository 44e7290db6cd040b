package server_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/server"
)

// BenchmarkWebSocket_1kHz publishes an Imu every millisecond to a client that reads, and reports
// how many messages it lost.
func BenchmarkWebSocket_1kHz(b *testing.B) {
	w, c, _ := webSocket(b, server.Options{})
	v := connect(b, w, "foxglove.sdk.v1").greeted().subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1}]}`)
	imu := c.Topic("/imu", bridge.Down)
	last, read := uint64(b.N), make(chan int)
	go func() {
		got := 0
		for binary.LittleEndian.Uint64(v.binary(1)[5:]) < last {
			got++
		}
		read <- got + 1
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	b.ResetTimer()
	for k := range b.N {
		<-tick.C
		require.NoError(b, w.Publish(imu, int64(k)+1, make([]byte, 316)))
	}
	got := <-read
	b.ReportMetric(float64(b.N-got), "lost")
	b.ReportMetric(float64(w.Dropped()), "dropped")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
