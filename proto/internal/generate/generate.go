package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugin is the code generator, resolved in the module in which this program runs.
const plugin = "google.golang.org/protobuf/cmd/protoc-gen-go"

// errNoSources is returned for a folder that has no .proto file.
var errNoSources = errors.New("no .proto file found")

// run compiles every .proto file of folder src and writes the generated Go files to folder dst.
func run(ctx context.Context, src, dst string) error {
	names, err := sources(src)
	if err != nil {
		return err
	}
	files, err := link(ctx, src, names)
	if err != nil {
		return err
	}
	response, err := callPlugin(ctx, requestFor(files, names))
	if err != nil {
		return err
	}
	return write(dst, response)
}

// sources lists the .proto files of dir by name, sorted. Their names in the folder are the names
// that imports use.
func sources(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.proto"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%w in %q: give the folder of the schema with -dir",
			errNoSources, dir)
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	slices.Sort(names)
	return names, nil
}

// link parses and links the named files of dir, including their comments.
func link(ctx context.Context, dir string, names []string) (linker.Files, error) {
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(
			&protocompile.SourceResolver{ImportPaths: []string{dir}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("compile the schema in %s: %w", dir, err)
	}
	return files, nil
}

// requestFor returns the request that protoc would send to a plugin: the names of the files to
// generate, and all descriptors, each after the descriptors that it imports.
func requestFor(files linker.Files, names []string) *pluginpb.CodeGeneratorRequest {
	return &pluginpb.CodeGeneratorRequest{
		FileToGenerate: names,
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      inImportOrder(files),
	}
}

// inImportOrder returns the descriptors of files and of everything that they import, with imports
// first.
func inImportOrder(files linker.Files) []*descriptorpb.FileDescriptorProto {
	var ordered []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var visit func(protoreflect.FileDescriptor)
	visit = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		imports := f.Imports()
		for i := range imports.Len() {
			visit(imports.Get(i).FileDescriptor)
		}
		ordered = append(ordered, protoutil.ProtoFromFileDescriptor(f))
	}
	for _, f := range files {
		visit(f)
	}
	return ordered
}

// callPlugin runs protoc-gen-go of this module on the request.
func callPlugin(ctx context.Context, request *pluginpb.CodeGeneratorRequest) (
	*pluginpb.CodeGeneratorResponse, error) {
	in, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("encode the request for %s: %w", plugin, err)
	}
	var out, messages bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "run", plugin)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &messages
	if err := cmd.Run(); err != nil {
		return nil,
			fmt.Errorf("run %s (run inside the module, with its modules downloaded): %w\n%s",
				plugin, err, strings.TrimSpace(messages.String()))
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out.Bytes(), response); err != nil {
		return nil, fmt.Errorf("decode the answer of %s: %w", plugin, err)
	}
	if response.Error != nil {
		return nil, fmt.Errorf("%s refused the schema: %s", plugin, response.GetError())
	}
	return response, nil
}

// write writes the generated files to dir and removes generated files that no longer belong to the
// schema.
func write(dir string, response *pluginpb.CodeGeneratorResponse) error {
	fresh := map[string]bool{}
	for _, f := range response.File {
		fresh[f.GetName()] = true
		if err := os.WriteFile(filepath.Join(dir, f.GetName()), []byte(f.GetContent()),
			0o644); err != nil {
			return fmt.Errorf("write generated code: %w", err)
		}
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.pb.go"))
	if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	for _, path := range old {
		if fresh[filepath.Base(path)] {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove stale generated code: %w", err)
		}
	}
	return nil
}
