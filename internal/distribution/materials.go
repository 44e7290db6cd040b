package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"gosmp/internal/licence"
	"gosmp/internal/release"
)

// licences returns the licence texts of all modules that are linked into a program, and of Go.
func licences(path string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return licencesOf(info)
}

func licencesOf(info *debug.BuildInfo) ([]byte, error) {
	root, err := command("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	if err := addLicence(&all, "Go "+info.GoVersion, strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		folder, err := command("go", "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return nil, err
		}
		part := m.Path + " " + m.Version
		if err := addLicence(&all, part, strings.TrimSpace(string(folder))); err != nil {
			return nil, err
		}
	}
	return all.Bytes(), nil
}

func addLicence(all *bytes.Buffer, part, folder string) error {
	text, err := licence.Files(folder)
	if err != nil {
		return err
	}
	if text == nil {
		return fmt.Errorf("%s: found no licence file in %s: its terms have to be known",
			part, folder)
	}
	fmt.Fprintf(all, "==== %s\n\n%s\n", part, text)
	return nil
}

// materials returns the bill of materials of a program in CycloneDX: its modules, and the FMUs that
// come with it, which tools that read programs cannot see.
func materials(tool, path string, fmus []string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "gosmp-sbom-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // it has been read, or the error says more
	file := filepath.Join(folder, "gosmp.cdx.json")
	if _, err := command(tool, "bin", "-json", "-licenses", "-noserial", "-notimestamp", "-version",
		release.Version, "-output", file, path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return complete(document, fmus)
}

// complete adds FMUs to a bill, and removes the digests of the tool that created it, which differ
// between builds of that tool.
func complete(document map[string]any, fmus []string) ([]byte, error) {
	if m, ok := document["metadata"].(map[string]any); ok {
		delete(m, "tools")
	}
	components, _ := document["components"].([]any)
	for _, fmu := range fmus {
		text, err := os.ReadFile(fmu)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		name := filepath.Base(fmu)
		digest := map[string]any{"alg": "SHA-256", "content": hex.EncodeToString(sum[:])}
		components = append(components, map[string]any{"type": "file", "name": name,
			"bom-ref": name, "version": release.Version, "hashes": []any{digest}})
	}
	document["components"] = components
	return json.MarshalIndent(document, "", "  ")
}

// materials writes the bill of materials next to the packages.
func (d *distribution) materials(p *program) error {
	name := fmt.Sprintf("gosmp-%s-%s.cdx.json", release.Version, p.name())
	return d.create(name, func(file *os.File) error {
		_, err := file.Write(p.sbom)
		return err
	})
}
