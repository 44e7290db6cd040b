//go:build !fmucore

package build

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/chost"
)

func names(list []chost.Prototype) (names []string) {
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

func TestLoader3ExportsThe75FunctionsAndNothingElse(t *testing.T) {
	library, err := Examine(newStageOf(t, fmi.FMI3).loader)
	require.NoError(t, err)
	require.ElementsMatch(t, names(chost.Prototypes(t)), library.Exports)
}

// value returns the n-th argument of a call in C: a unique number or address.
func value(kind string, n int) string {
	switch {
	case chost.IsPointer(kind):
		return fmt.Sprintf("(%s)(uintptr_t)%d", kind, 1000+n)
	case kind == "fmi3Boolean":
		return fmt.Sprintf("%d", n%2)
	}
	return fmt.Sprintf("(%s)%d", kind, 10+n)
}

// line3 returns the log line of the core for a call by the host.
func line3(p chost.Prototype) string {
	text := p.Name
	for n, kind := range p.Types[1:] {
		switch {
		case chost.IsPointer(kind):
			text += fmt.Sprintf(" %d", 1001+n)
		case kind == "fmi3Boolean":
			text += fmt.Sprintf(" %d", (n+1)%2)
		default:
			text += fmt.Sprintf(" %d", 11+n)
		}
	}
	return text
}

// core3 writes a core whose functions log their names and arguments.
func core3(list []chost.Prototype) string {
	var b strings.Builder
	b.WriteString(`#include <stdio.h>
#include <stdlib.h>
#include "fmi3.h"
typedef struct { fmi3InstanceEnvironment e; fmi3LogMessageCallback log; } instance;
static fmi3Status say(instance *i, const char *text) { i->log(i->e, fmi3Discard, "logTest", text); return fmi3Discard; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible,
	fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference *required, size_t n,
	fmi3InstanceEnvironment e, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
	char text[400];
	instance *i = malloc(sizeof *i);
	*i = (instance){e, log};
	snprintf(text, sizeof text, "%s %s %s %d %d %d %d %d %d %d", name, token, path, visible, logging, events, early,
		(int)(uintptr_t)required, (int)n, (int)(uintptr_t)update);
	say(i, text);
	return i;
}
void fmi3FreeInstance(fmi3Instance i) { say(i, "100 % #1#"); free(i); }
`)
	for _, p := range list {
		if p.Result != "fmi3Status" {
			continue
		}
		var parameters, format, arguments []string
		for n, kind := range p.Types {
			parameters = append(parameters, fmt.Sprintf("%s a%d", kind, n))
			if n > 0 {
				format = append(format, " %d")
				cast := "(int)"
				if chost.IsPointer(kind) {
					cast = "(int)(uintptr_t)"
				}
				arguments = append(arguments, fmt.Sprintf(", %sa%d", cast, n))
			}
		}
		fmt.Fprintf(&b, "fmi3Status %s(%s) { char t[400]; snprintf(t, sizeof t, \"%s%s\"%s); "+
			"return say(a0, t); }\n",
			p.Name, strings.Join(parameters, ", "), p.Name, strings.Join(format, ""),
			strings.Join(arguments, ""))
	}
	return b.String()
}

// host3 writes a host that calls all functions, and prints what they return and log.
//
//nolint:dupword // it is C
func host3(list []chost.Prototype) string {
	var b strings.Builder
	b.WriteString(`#include <dlfcn.h>
#include <stdio.h>
#include "fmi3.h"
static void log_line(fmi3InstanceEnvironment e, fmi3Status s, fmi3String category, fmi3String text)
{ printf("%d %d %s: %s\n", (int)(uintptr_t)e, s, category, text); }
int main(int n, char **a)
{
	(void)n;
	void *l = dlopen(a[1], RTLD_NOW | RTLD_LOCAL);
	if (l == NULL) { puts(dlerror()); return 1; }
	printf("%s\n", ((const char *(*)(void))dlsym(l, "fmi3GetVersion"))());
	void *e = (void *)(uintptr_t)77;
	fmi3Instance none = ((fmi3Instance (*)(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, void *, fmi3LogMessageCallback))
		dlsym(l, "fmi3InstantiateModelExchange"))("me", "t", "r", 0, 1, e, log_line);
	fmi3Instance neither = ((fmi3Instance (*)(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, void *, fmi3LogMessageCallback,
		void *, void *, void *))
		dlsym(l, "fmi3InstantiateScheduledExecution"))("se", "t", "r", 0, 1, e, log_line, NULL, NULL, NULL);
	printf("%d %d\n", none == NULL, neither == NULL);
	fmi3Instance i = ((fmi3Instance (*)(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean,
		const fmi3ValueReference *, size_t, void *, fmi3LogMessageCallback, void *))dlsym(l, "fmi3InstantiateCoSimulation"))(
		"name", "token", "/r/", 0, 1, 1, 0, (void *)(uintptr_t)31, 32, e, log_line, (void *)(uintptr_t)33);
	if (i == NULL) return 1;
`)
	for _, p := range list {
		if p.Result != "fmi3Status" {
			continue
		}
		arguments := []string{"i"}
		for n, kind := range p.Types[1:] {
			arguments = append(arguments, value(kind, n+1))
		}
		call := fmt.Sprintf("((fmi3Status (*)(%s))dlsym(l, \"%s\"))", strings.Join(p.Types, ", "),
			p.Name)
		fmt.Fprintf(&b, "\tprintf(\"%%d\\n\", %s(%s));\n", call, strings.Join(arguments, ", "))
		arguments[0] = "(void *)(uintptr_t)5"
		fmt.Fprintf(&b, "\tif (%s(%s) != fmi3Error) puts(\"foreign instance: %s\");\n", call,
			strings.Join(arguments, ", "), p.Name)
	}
	b.WriteString(
		"\t((void (*)(fmi3Instance))dlsym(l, \"fmi3FreeInstance\"))(i);\n\treturn 0;\n}\n")
	return b.String()
}

// Host and core are generated from the header, so that every function and parameter is tested.
func TestLoader3HandsOnAllFunctionsWithTheirArguments(t *testing.T) {
	list := chost.Prototypes(t)
	s := newStageOf(t, fmi.FMI3)
	folder := filepath.Dir(s.loader)
	for name, text := range map[string]string{"core.c": core3(list), "host.c": host3(list)} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	include := chost.Include(t)
	compile(t, "-std=gnu11", "-fPIC", "-shared", "-Wno-unused-parameter", "-I", include,
		"-Wl,-soname,"+stageCore, "-o", filepath.Join(folder, stageCore),
		filepath.Join(folder, "core.c"))
	host := filepath.Join(folder, "host")
	compile(t, "-std=gnu11", "-I", include, "-o", host, filepath.Join(folder, "host.c"), "-ldl")
	text, err := exec.Command(host, s.loader).CombinedOutput()
	require.NoError(t, err, string(text))

	alone := ": this FMU supports only co-simulation: use fmi3InstantiateCoSimulation"
	want := []string{"3.0", "77 3 logStatusError: fmi3InstantiateModelExchange" + alone,
		"77 3 logStatusError: fmi3InstantiateScheduledExecution" + alone, "1 1",
		"77 2 logTest: name token /r/ 0 1 1 0 31 32 33"}
	for _, p := range list {
		if p.Result == "fmi3Status" {
			want = append(want, "77 2 logTest: "+line3(p), "2")
		}
	}
	want = append(want, "77 2 logTest: 100 % #1#")
	require.Equal(t, want, strings.Split(strings.TrimSpace(string(text)), "\n"))
}

// Without a core, the reason is logged with the path; in FMI 3.0 the text is not a format string.
func TestLoader3ReportsAMissingCore(t *testing.T) {
	s := newStageOf(t, fmi.FMI3)
	folder := filepath.Join(t.TempDir(), "100 % #1")
	require.NoError(t, os.Rename(filepath.Dir(s.loader), folder))
	host := filepath.Join(folder, "host")
	require.NoError(t, os.WriteFile(host+".c", []byte(host3(nil)), 0o600))
	include := chost.Include(t)
	compile(t, "-std=gnu11", "-I", include, "-o", host, host+".c", "-ldl")
	text, err := exec.Command(host, filepath.Join(folder, "X.so")).CombinedOutput()
	require.Error(t, err, "no instance")
	require.Contains(t, string(text),
		"fmi3InstantiateCoSimulation: the core of this FMU cannot be "+
			"loaded, expected at "+strings.ReplaceAll(folder, "#", "##")+"/"+stageCore)
}
