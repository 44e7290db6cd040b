package host_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// adopting is a library that makes its host adopt the user's locale before main, as many
// interactive tools do. MARK is the decimal mark that the host must then have.
const adopting = `#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void adopt(void)
{
	if (setlocale(LC_ALL, "") == NULL || strcmp(localeconv()->decimal_point, getenv("MARK")) != 0)
		_exit(99);
}
`

// outputs3 is a host that prints the results of a simulation with FMI 3.0 as bytes, and the lines
// of the log, which contain numbers.
//
//nolint:dupword // it is C
const outputs3 = `#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "fmi3.h"

#define CALL(name, ...) (((__typeof__(name) *)dlsym(library, #name))(__VA_ARGS__))

static void hear(fmi3InstanceEnvironment e, fmi3Status s, fmi3String category, fmi3String text)
{
	(void)e;
	printf("| %d %s %s\n", (int)s, category, text);
}

static void *library;

int main(int n, char **words)
{
	fmi3Boolean event, terminate, early;
	fmi3ValueReference range = 7, data = 2;
	fmi3Float64 last, range_is = 100.5;
	fmi3Instance i;
	if (n != 4 || (library = dlopen(words[1], RTLD_NOW)) == NULL)
		return 1;
	i = CALL(fmi3InstantiateCoSimulation, "sensor", words[2], words[3], false, true, false, false, NULL, 0, NULL,
	         hear, NULL);
	if (i == NULL || CALL(fmi3SetFloat64, i, &range, 1, &range_is, 1) != fmi3OK ||
	    CALL(fmi3EnterInitializationMode, i, true, 1e-3, 0.0, true, 1.5) != fmi3OK ||
	    CALL(fmi3ExitInitializationMode, i) != fmi3OK)
		return 2;
	for (int k = 0; k < 20; k++) {
		uint64_t sum = 14695981039346656037u;
		fmi3Binary bytes;
		size_t size = 0;
		if (CALL(fmi3DoStep, i, k * 0.02, 0.02, true, &event, &terminate, &early, &last) != fmi3OK ||
		    CALL(fmi3GetBinary, i, &data, 1, &size, &bytes, 1) != fmi3OK)
			return 3;
		for (size_t b = 0; b < size; b++)
			sum = (sum ^ bytes[b]) * 1099511628211u;
		printf("%zu %016llx\n", size, (unsigned long long)sum);
	}
	printf("%d\n", (int)CALL(fmi3DoStep, i, 7.5, 0.02, true, &event, &terminate, &early, &last));
	CALL(fmi3FreeInstance, i);
	return 0;
}
`

// TestLocale_HostsWithADecimalComma runs the FMU of each standard in C hosts whose locale has
// another decimal mark: a comma, and one of two bytes. Outputs and log lines must not depend on it.
func TestLocale_HostsWithADecimalComma(t *testing.T) {
	i, twin := newImporter(t), unpack(t, packedTwin(t))
	lives := func(mark string) (answers []answer, lines []string) {
		s := i.script(t).new("comma", true).set("nominalrange", 100.5).set("replay.strict", 1)
		s.set("replay.startDelay", 0.25).call("setup", 0, 1.5).call("enter").call("exit")
		for k := range 20 {
			s.call("step", 0.02*float64(k), 0.02).call("message").get("accelerometer.x")
		}
		s.call("step", 7.5, 0.02).get("nominalrange")
		for k, line := range s.lines {
			s.lines[k] = strings.ReplaceAll(line, ".", mark)
		}
		answers = s.play(t)
		for k := range answers {
			answers[k].call = strings.ReplaceAll(answers[k].call, mark, ".")
			answers[k].text = strings.ReplaceAll(answers[k].text, mark, ".")
		}
		return answers, run3(t, twin, outputs3)
	}
	answers, lines := lives(".")
	require.Equal(t, "ok 100.5", answers[len(answers)-1].text)
	refused := answers[len(answers)-2]
	require.Equal(t, "error", refused.text)
	require.Contains(t, refused.log[0].text, "7.5")
	require.Contains(t, strings.Join(lines, "\n"), "7.5")
	require.Equal(t, "3", lines[len(lines)-1])

	library := filepath.Join(t.TempDir(), "adopting.so")
	source := library + ".c"
	require.NoError(t, os.WriteFile(source, []byte(adopting), 0o600))
	text, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	require.NoError(t, err, string(text))
	for name, mark := range map[string]string{"de_DE": ",", "ps_AF": "٫"} {
		folder := t.TempDir()
		text, err := exec.Command("localedef", "-i", name, "-f", "UTF-8",
			filepath.Join(folder, name+".UTF-8")).CombinedOutput()
		if err != nil {
			t.Skipf("no %s on this machine: %v %s", name, err, text)
		}
		t.Setenv("LOCPATH", folder)
		t.Setenv("LC_ALL", name+".UTF-8")
		t.Setenv("MARK", mark)
		t.Setenv("LD_PRELOAD", library)
		foundAnswers, foundLines := lives(mark)
		require.Equal(t, answers, foundAnswers, name)
		require.Equal(t, lines, foundLines, name)
		t.Setenv("LD_PRELOAD", "")
	}
}
