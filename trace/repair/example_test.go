package repair_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"gosmp/proto/wire"
	"gosmp/trace/osi"
	"gosmp/trace/repair"
)

// Save the messages of a file that ends in the middle of a message.
func ExampleTrace() {
	folder, _ := os.MkdirTemp("", "")
	defer func() { _ = os.RemoveAll(folder) }()
	var file bytes.Buffer
	for n := range int64(3) {
		_ = osi.NewWriter(&file).Write(wire.AppendTimestamp(nil, 2, n, 0))
	}
	file.Truncate(file.Len() - 1)
	report, err := repair.Trace("gt.osi", bytes.NewReader(file.Bytes()), int64(file.Len()),
		repair.Options{Out: filepath.Join(folder, "saved.osi")})
	fmt.Println(report.Messages, report.Whole, len(report.Places), err)
	// Output:
	// 2 false 1 <nil>
}
