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

// twinsSpeed steps both twins in turn, in one process and with the same SensorView. In each step
// the SensorView lies in the other one of two buffers, as with a simulator. A step of FMI 2.0
// consists of three times fmi2SetInteger, fmi2DoStep and three times fmi2GetInteger; a step of FMI
// 3.0 consists of fmi3SetBinary, fmi3DoStep and fmi3GetBinary. It prints the time of each in the
// fastest section, the median of the ratios of two sections next to each other, and the size of the
// SensorData.
//
//nolint:dupword // it is C
const twinsSpeed = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "fmi2.h"
#include "fmi3.h"

#define FIND(n, name) __typeof__(name) *call_##name = (__typeof__(name) *)dlsym(library[n], #name)

enum { SECTIONS = 200 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void log2_(void *e, fmi2String n, fmi2Status s, fmi2String c, fmi2String m, ...) { }

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int n, char **a)
{
	if (n != 10)
		return 1;
	void *library[] = {dlopen(a[1], RTLD_NOW), dlopen(a[4], RTLD_NOW)};
	FILE *file = fopen(a[8], "rb");
	if (library[0] == NULL || library[1] == NULL || file == NULL)
		return 1;
	FIND(0, fmi2Instantiate);
	FIND(0, fmi2SetBoolean);
	FIND(0, fmi2SetupExperiment);
	FIND(0, fmi2EnterInitializationMode);
	FIND(0, fmi2ExitInitializationMode);
	FIND(0, fmi2SetInteger);
	FIND(0, fmi2GetInteger);
	FIND(0, fmi2DoStep);
	FIND(1, fmi3InstantiateCoSimulation);
	FIND(1, fmi3EnterInitializationMode);
	FIND(1, fmi3ExitInitializationMode);
	FIND(1, fmi3SetBoolean);
	FIND(1, fmi3SetBinary);
	FIND(1, fmi3GetBinary);
	FIND(1, fmi3DoStep);
	fmi3Byte *view[] = {malloc(1 << 24), malloc(1 << 24)};
	size_t size = fread(view[0], 1, 1 << 24, file), length = 0;
	memcpy(view[1], view[0], size);

	fmi2CallbackFunctions callbacks = {.logger = log2_};
	const fmi2ValueReference references[] = {0, 1, 2, 3, 4, 5}, replay2 = (unsigned)atoi(a[3]);
	fmi2Boolean off2 = fmi2False;
	fmi2Integer output[3] = {0};
	char *token = strtok(a[7], " "), *token3 = strtok(NULL, " ");
	fmi2Component two = call_fmi2Instantiate("two", fmi2CoSimulation, token, a[2], &callbacks, 0, 0);
	if (two == NULL || call_fmi2SetBoolean(two, &replay2, 1, &off2) != fmi2OK ||
	    call_fmi2SetupExperiment(two, 0, 0, 0, 0, 0) != fmi2OK ||
	    call_fmi2EnterInitializationMode(two) != fmi2OK ||
	    call_fmi2ExitInitializationMode(two) != fmi2OK)
		return 1;

	const fmi3ValueReference in = 1, out = 2, replay3 = (unsigned)atoi(a[6]);
	fmi3Boolean off3 = false, event, terminate, early;
	fmi3Float64 last;
	fmi3Binary data = NULL;
	fmi3Instance three = call_fmi3InstantiateCoSimulation("three", token3, a[5], false, false, false,
	                                                      false, NULL, 0, NULL, NULL, NULL);
	if (three == NULL || call_fmi3SetBoolean(three, &replay3, 1, &off3, 1) != fmi3OK ||
	    call_fmi3EnterInitializationMode(three, false, 0, 0, false, 0) != fmi3OK ||
	    call_fmi3ExitInitializationMode(three) != fmi3OK)
		return 1;

	const int times = atoi(a[9]) / SECTIONS + 1;
	double best[2] = {INFINITY, INFINITY}, ratios[SECTIONS];
	for (int s = 0; s < SECTIONS; s++) {
		double took[2];
		for (int turn = 0; turn < 2; turn++) {
			const int which = (turn + s) % 2;
			const double begin = now();
			for (int k = s * times; k < (s + 1) * times; k++) {
				int worst = 0;
				const fmi3Byte *bytes = view[k % 2];
				if (which == 1) {
					worst |= call_fmi3SetBinary(three, &in, 1, &size, &bytes, 1);
					worst |= call_fmi3DoStep(three, k * 0.02, 0.02, true, &event, &terminate, &early, &last);
					worst |= call_fmi3GetBinary(three, &out, 1, &length, &data, 1);
				} else {
					const uint64_t address = (uint64_t)(uintptr_t)bytes;
					const fmi2Integer input[] = {(fmi2Integer)(uint32_t)address, (fmi2Integer)(address >> 32), (fmi2Integer)size};
					for (int x = 0; x < 3; x++)
						worst |= call_fmi2SetInteger(two, &references[x], 1, &input[x]);
					worst |= call_fmi2DoStep(two, k * 0.02, 0.02, fmi2True);
					for (int x = 0; x < 3; x++)
						worst |= call_fmi2GetInteger(two, &references[3 + x], 1, &output[x]);
				}
				if (worst != 0)
					return 1;
			}
			took[which] = (now() - begin) / times;
			best[which] = fmin(best[which], took[which]);
		}
		ratios[s] = took[1] / took[0];
	}
	const uint64_t address = (uint64_t)(uint32_t)output[1] << 32 | (uint32_t)output[0];
	if (length != (size_t)output[2] || memcmp((const void *)(uintptr_t)address, data, length) != 0)
		return 1;
	qsort(ratios, SECTIONS, sizeof *ratios, order);
	printf("%.1f %.1f %.4f %zu\n", best[0], best[1], ratios[SECTIONS / 2], length);
	return 0;
}
`

// BenchmarkTwins compares a step of FMI 3.0 with a step of FMI 2.0, calls that set the input and get
// the output included. The metrics:
//
//	fmi2-ns, fmi3-ns  the step in the fastest section
//	ratio             FMI 3.0 by FMI 2.0, the median of sections in turn
//	B-in, B-out       sizes of SensorView and SensorData
func BenchmarkTwins(b *testing.B) {
	two, three := newImporter(b), unpack(b, packedTwin(b))
	folder := b.TempDir()
	source, program := filepath.Join(folder, "twins.c"), filepath.Join(folder, "twins")
	require.NoError(b, os.WriteFile(source, []byte(twinsSpeed), 0o600))
	text, err := exec.Command("cc", "-O2", "-std=gnu11", "-w", "-I", chost.Include(b), "-o", program,
		source, "-ldl", "-lm").CombinedOutput()
	require.NoError(b, err, string(text))
	replay := func(i importer) string {
		at := slices.IndexFunc(i.Variables, func(v archive.Variable) bool {
			return v.Name == "replay.enabled"
		})
		require.NotEqual(b, -1, at)
		return reference(&i.Variables[at])
	}
	for _, objects := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("objects=%d", objects), func(b *testing.B) {
			view, err := proto.Marshal(scenes[1].view(objects, 0))
			require.NoError(b, err)
			path := filepath.Join(folder, "view.osi")
			require.NoError(b, os.WriteFile(path, view, 0o600))
			best, ratio, size := [2]float64{math.Inf(1), math.Inf(1)}, []float64{}, 0
			for b.Loop() {
				output, err := exec.Command(program, two.library(two.binaries()), two.resources(),
					replay(two), three.library(filepath.Join(three.folder, "binaries",
						"x86_64-linux")),
					filepath.Join(three.folder, "resources")+"/", replay(three),
					two.InstantiationToken+" "+three.InstantiationToken, path,
					strconv.Itoa(200_000/objects)).Output()
				require.NoError(b, err)
				var t2, t3, r float64
				_, err = fmt.Sscan(string(output), &t2, &t3, &r, &size)
				require.NoError(b, err)
				best = [2]float64{min(best[0], t2), min(best[1], t3)}
				ratio = append(ratio, r)
			}
			slices.Sort(ratio)
			b.ReportMetric(0, "ns/op") // would be the time of the whole program
			b.ReportMetric(best[0], "fmi2-ns")
			b.ReportMetric(best[1], "fmi3-ns")
			b.ReportMetric(ratio[len(ratio)/2], "ratio")
			b.ReportMetric(float64(len(view)), "B-in")
			b.ReportMetric(float64(size), "B-out")
		})
	}
}
