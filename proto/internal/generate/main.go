// Command generate generates Go code from the .proto files in a folder, without protoc.
//
//	generate [-dir folder]
//
// compiles them and writes the Go code next to each of them. The compiler is bufbuild/protocompile;
// the code generator is protobuf's own protoc-gen-go in the version that go.mod pins, started with
// `go run` and fed through its standard plugin protocol (a CodeGeneratorRequest on stdin, a
// CodeGeneratorResponse on stdout). Generated files whose .proto file is gone are removed.
//
//	generate [-dir folder] -table Message,Message -out file.go
//
// writes only the table of nested messages that gosmp/proto/wire uses to check bytes.
//
//	generate [-dir folder] -fields -out file.go
//
// writes only the numbers of all fields, as the constants of gosmp/proto/field.
//
// `go generate ./proto/...` runs all three. The result depends only on the .proto files and go.mod,
// and needs no network once the modules are downloaded.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	dir := flag.String("dir", ".",
		"folder with the .proto files; the .pb.go files are written there")
	table := flag.String("table", "",
		"messages of package osi3, separated by commas, to write a table for instead")
	fields := flag.Bool("fields", false, "write the numbers of all fields instead")
	out := flag.String("out", "table_gen.go", "Go file of the table or the numbers")
	flag.Parse()
	var err error
	switch {
	case *fields:
		err = runFields(context.Background(), *dir, *out)
	case *table != "":
		err = runTable(context.Background(), *dir, strings.Split(*table, ","), *out)
	default:
		err = run(context.Background(), *dir, *dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
