package host_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/stretchr/testify/require"

	"gosmp/fmi/archive"
	"gosmp/internal/chost"
)

// speed3 is speed.c for FMI 3.0: a step is fmi3SetBinary, fmi3DoStep and fmi3GetBinary. It prints
// the times of a step and of the two other calls, and the size of the SensorData.
//
//nolint:dupword // it is C
const speed3 = `#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "fmi3.h"

#define FIND(name) __typeof__(name) *call_##name = (__typeof__(name) *)dlsym(library, #name)

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int n, char **a)
{
	void *library = n == 7 ? dlopen(a[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	FILE *file = library != NULL ? fopen(a[5], "rb") : NULL;
	if (file == NULL)
		return 1;
	fmi3Byte *view = malloc(1 << 24);
	size_t size = fread(view, 1, 1 << 24, file), read = 0;
	FIND(fmi3InstantiateCoSimulation);
	FIND(fmi3EnterInitializationMode);
	FIND(fmi3ExitInitializationMode);
	FIND(fmi3SetBoolean);
	FIND(fmi3SetBinary);
	FIND(fmi3GetBinary);
	FIND(fmi3DoStep);
	fmi3ValueReference in = 1, out = 2, replay = (fmi3ValueReference)atoi(a[4]);
	fmi3Boolean event, terminate, early, off = false;
	fmi3Float64 last = 0, best[2] = {INFINITY, INFINITY};
	fmi3Binary data, given = view;
	const int times = atoi(a[6]) / 100 + 1;
	fmi3Instance i =
		call_fmi3InstantiateCoSimulation("speed", a[2], a[3], false, false, false, false, NULL, 0, NULL, NULL, NULL);
	if (i == NULL || call_fmi3SetBoolean(i, &replay, 1, &off, 1) != fmi3OK ||
	    call_fmi3EnterInitializationMode(i, false, 0, 0, false, 0) != fmi3OK ||
	    call_fmi3ExitInitializationMode(i) != fmi3OK)
		return 1;
	for (int stepping = 1; stepping >= 0; stepping--)
		for (int k = 0, step = 0; k < 100; k++) {
			double begin = now();
			for (int t = 0; t < times; t++, step++) {
				fmi3Status worst = call_fmi3SetBinary(i, &in, 1, &size, &given, 1);
				if (stepping)
					worst |= call_fmi3DoStep(i, step * 0.02, 0.02, true, &event, &terminate, &early, &last);
				worst |= call_fmi3GetBinary(i, &out, 1, &read, &data, 1);
				if (worst != fmi3OK)
					return 1;
			}
			best[stepping] = fmin(best[stepping], (now() - begin) / times);
		}
	printf("%.1f %.1f %zu\n", best[1], best[0], read);
	return 0;
}
`

// BenchmarkStep3 does the same as BenchmarkStep for the twin in FMI 3.0, but only with level
// scenes.
func BenchmarkStep3(b *testing.B) {
	i := unpack(b, packedTwin(b))
	folder := b.TempDir()
	source, program := filepath.Join(folder, "speed3.c"), filepath.Join(folder, "speed3")
	require.NoError(b, os.WriteFile(source, []byte(speed3), 0o600))
	text, err := exec.Command("cc", "-O2", "-std=gnu11", "-Wall", "-I", chost.Include(b), "-o",
		program, source, "-ldl", "-lm").CombinedOutput()
	require.NoError(b, err, string(text))
	at := slices.IndexFunc(i.Variables, func(v archive.Variable) bool {
		return v.Name == "replay.enabled"
	})
	for _, objects := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("level/objects=%d", objects), func(b *testing.B) {
			view, err := proto.Marshal(scenes[1].view(objects, 0))
			require.NoError(b, err)
			path := filepath.Join(folder, "view.osi")
			require.NoError(b, os.WriteFile(path, view, 0o600))
			step, calls, size := math.Inf(1), math.Inf(1), 0
			for b.Loop() {
				output, err := exec.Command(program,
					i.library(filepath.Join(i.folder, "binaries", "x86_64-linux")),
					i.InstantiationToken, filepath.Join(i.folder, "resources")+"/",
					reference(&i.Variables[at]), path, strconv.Itoa(100_000/objects)).Output()
				require.NoError(b, err)
				var k, c float64
				_, err = fmt.Sscan(string(output), &k, &c, &size)
				require.NoError(b, err)
				step, calls = min(step, k), min(calls, c)
			}
			b.ReportMetric(0, "ns/op") // would be the time of the whole program
			b.ReportMetric(step, "step-ns")
			b.ReportMetric(calls, "calls-ns")
			b.ReportMetric(float64(len(view)), "B-in")
			b.ReportMetric(float64(size), "B-out")
		})
	}
}
