package mcap_test

import (
	"bytes"
	"fmt"

	"gosmp/trace/mcap"
)

// Write a file with one channel, then read it by its index.
func Example() {
	var file bytes.Buffer
	w, _ := mcap.NewWriter(&file, mcap.Options{Compression: mcap.Zstd})
	_ = w.AddChannel(&mcap.Channel{ID: 1, Topic: "notes", MessageEncoding: "json"})
	for k := range 3 {
		_ = w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: uint64(k),
			Data: fmt.Appendf(nil, `{"k":%d}`, k)})
	}
	_ = w.Close()

	f, err := mcap.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	for m, err := range f.Messages(mcap.Query{Start: 1}) {
		fmt.Println(m.LogTime, string(m.Data), err)
	}
	// Output:
	// 1 {"k":1} <nil>
	// 2 {"k":2} <nil>
}
