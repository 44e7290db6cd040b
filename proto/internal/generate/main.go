// Command generate compiles the .proto files of a folder and writes the Go code of each beside it, without protoc.
//
//	generate [-dir folder]
//
// It is what `go generate ./proto/...` runs. The compiler is bufbuild/protocompile; the code generator is protobuf's
// own protoc-gen-go in the version that go.mod pins, run through `go run` and fed over its standard plugin protocol
// (a CodeGeneratorRequest on stdin, a CodeGeneratorResponse on stdout). The result depends on the .proto files and on
// go.mod alone, and needs no network once the modules are downloaded. Generated files whose .proto is gone are removed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	dir := flag.String("dir", ".", "folder with the .proto files; the .pb.go files are written there")
	flag.Parse()
	if err := run(context.Background(), *dir, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
