// Command link builds OSMPLink.fmu, a data link between a sensor and the consumers of its
// detections: it delivers what it receives after a latency. It is written in C for FMI 3.0, as an
// example of a model in another language, with a message in a Binary variable and with arrays.
//
// # The model
//
// OSMPSensorDataIn is one SensorData, values.in an array of as many numbers as the structural
// parameter channels states. In a step from t to t+h the link takes both, as they are at t, and
// delivers what it took at s in the first step that ends at or after s + latency:
//
//	OSMPSensorDataOut = OSMPSensorDataIn(s)    values.out = values.in(s)
//
// With a latency of at most a step it delivers in the same step. If several parcels arrive in one
// step, the newest counts; if none arrives, there is no SensorData, and values.out stays. The
// content of the message does not matter to the link: any bytes pass unchanged.
//
// # Limits
//
// Nothing is lost or reordered. The state can be neither saved nor restored.
//
// # Packing
//
// "pack" compiles the sources for this machine with the compiler that CC names, or cc, and writes
// the FMU.
package main

import (
	"archive/zip"
	"bytes"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed link.c link.h absent.c
var source embed.FS

//go:embed modelDescription.xml
var description []byte

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "link:", err)
		os.Exit(1)
	}
}

var (
	errUsage    = errors.New("usage: link pack [-o FILE.fmu]")
	errPlatform = errors.New("link does not support the platform of this machine")
)

func run(words []string) error {
	flags := flag.NewFlagSet("link", flag.ContinueOnError)
	out := flags.String("o", "dist/OSMPLink.fmu", "the FMU to write")
	if len(words) == 0 || words[0] != "pack" {
		return errUsage
	}
	if err := flags.Parse(words[1:]); err != nil || flags.NArg() > 0 {
		return errUsage
	}
	folder, suffix, err := platform()
	if err != nil {
		return err
	}
	library, err := compile()
	if err != nil {
		return err
	}
	packed, err := pack([]member{
		{"binaries/" + folder + "/OSMPLink" + suffix, library},
		{"modelDescription.xml", description},
	})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(*out), 0o755)
	}
	if err == nil {
		err = os.WriteFile(*out, packed, 0o644) //nolint:gosec // an FMU is for everybody
	}
	return err
}

// platform returns the folder of the library (FMI 3.0.1, 2.5.1.4.1) and the suffix of library
// names.
func platform() (folder, suffix string, err error) {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64",
		"386": "x86"}[runtime.GOARCH]
	system := map[string]string{"linux": "linux", "windows": "windows",
		"darwin": "darwin"}[runtime.GOOS]
	if machine == "" || system == "" {
		return "", "", fmt.Errorf("%w: %s on %s", errPlatform, runtime.GOOS, runtime.GOARCH)
	}
	suffix = map[string]string{"linux": ".so", "windows": ".dll", "darwin": ".dylib"}[runtime.GOOS]
	return machine + "-" + system, suffix, nil
}

// compile builds the library in a folder of its own.
func compile() (library []byte, err error) {
	folder, err := os.MkdirTemp("", "link-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := os.CopyFS(folder, source); err != nil {
		return nil, err
	}
	compiler := strings.Fields(os.Getenv("CC"))
	if len(compiler) == 0 {
		compiler = []string{"cc"}
	}
	c := exec.Command(compiler[0],
		append(compiler[1:], "-shared", "-fPIC", "-O2", "-std=c11", "-Wall", "-Wextra",
			"-fvisibility=hidden", "-s", "-o", "OSMPLink", "link.c", "absent.c")...)
	c.Dir, c.Stderr = folder, os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("the library: %w; CC names the C compiler to use", err)
	}
	return os.ReadFile(filepath.Join(folder, "OSMPLink"))
}

// member is one file of the FMU.
type member struct {
	name    string
	content []byte
}

// pack writes the members with a fixed time, so that the same files give the same bytes.
func pack(members []member) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(m.content); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
