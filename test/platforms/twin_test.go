package platforms

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi/archive"
	"gosmp/internal/chost"
	"gosmp/model/modeltest"
	"gosmp/sensor/dummysensor"
)

// folders3 maps platforms to their names in FMI 3.0.
var folders3 = map[string]string{
	"linux64": "x86_64-linux", "aarch64-linux": "aarch64-linux", "win64": "x86_64-windows",
	"linux32": "x86-linux", "win32": "x86-windows",
}

// TestTwin_EveryPlatformSendsTheSameBytes runs the FMU for FMI 3.0 on each platform. It has to send
// the same messages as the model in FMI 2.0.
func TestTwin_EveryPlatformSendsTheSameBytes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "Zwilling ÄÖß, 100%20")
	z, err := zip.OpenReader(twin(t))
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(folder, z))
	require.NoError(t, z.Close())
	f, err := archive.Open(folder)
	require.NoError(t, err)
	var want []byte
	on(t, func(t *testing.T, i importer) {
		in := filepath.Join(t.TempDir(), "views.osi")
		out := filepath.Join(t.TempDir(), "data.osi")
		require.NoError(t, os.WriteFile(in, views(t), 0o600))
		if want == nil {
			want = plain(t, filepath.Join(folder, "resources"))
		}
		binaries := filepath.Join(folder, "binaries", folders3[i.platform.folder])
		c := i.process(i.twin(t), f.Model.InstantiationToken,
			i.native(filepath.Join(folder, "resources"))+i.separator(),
			i.native(filepath.Join(binaries, model+i.extension())), i.native(out), i.native(in))
		output, err := c.CombinedOutput()
		require.NoError(t, err, string(output))
		require.Equal(t, 2, strings.Count(string(output), "\n"), "one refused call: %s", output)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, data), "the twin on %s differs from byte %d on",
			i.platform.folder, common(want, data))
		t.Logf("%d bytes of SensorData, the same as in FMI 2.0", len(data))
	})
}

// plain returns the SensorData of the FMI 2.0 model, as a file of messages.
func plain(t *testing.T, resources string) []byte {
	t.Helper()
	r := modeltest.Host{Resources: resources}.Instantiate(t, dummysensor.Definition())
	r.Start()
	var all []byte
	for rest := views(t); len(rest) > 0; {
		size := binary.LittleEndian.Uint32(rest)
		r.Write("OSMPSensorViewIn", rest[4:4+size])
		rest = rest[4+size:]
		r.Step(0.02)
		data := r.Read("OSMPSensorDataOut")
		all = append(binary.LittleEndian.AppendUint32(all, uint32(len(data))), data...)
	}
	return all
}

// twin compiles the host for FMI 3.0.
func (i importer) twin(t *testing.T) string {
	t.Helper()
	program, libraries := i.host+"-twin", []string{"-pthread", "-ldl"}
	if i.windows() {
		program, libraries = program+".exe", []string{"-lshell32"}
	}
	unit, err := chost.Unit(program, "testdata/twin.c", libraries...)
	require.NoError(t, err)
	compile(t, i.platform, slices.Concat(unit.Flags, []string{"-o", program}, unit.Sources,
		unit.Libraries)...)
	return program
}

func (p platform) separator() string {
	if p.windows() {
		return `\`
	}
	return "/"
}
