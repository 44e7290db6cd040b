//go:build !fmucore

package build

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	enumeration  = regexp.MustCompile(`typedef enum \{([^}]*)\} (\w+);`)
	callbacks    = regexp.MustCompile(`\} fmi2CallbackFunctions;`)
	callbackName = regexp.MustCompile(`const fmi2\w+ (\w+);`)
)

// TestHeaderAgreesWithTheStandard compiles the header of loader and core after the headers that the
// FMI project has published. C11 allows a type or prototype to be declared twice if both are the
// same, and refuses it otherwise. Enumerations and structures may not be repeated: enumerations
// become assertions about their values, and the structure gets another name and is compared member
// by member.
func TestHeaderAgreesWithTheStandard(t *testing.T) {
	folder := os.Getenv("GOSMP_FMPY_HEADERS")
	if folder == "" {
		t.Skip(
			"set GOSMP_FMPY_HEADERS to a folder with fmi2Functions.h, such as fmpy/c-code of the " +
				"Python package fmpy")
	}
	require.FileExists(t, filepath.Join(folder, "fmi2Functions.h"))
	header, err := os.ReadFile(filepath.Join(headerFolder, "fmi2.h"))
	require.NoError(t, err)
	text, values := enumerationsAsAssertions(string(header))
	require.Equal(t, 12, values, "6 statuses, 2 types, 4 kinds of status")
	require.Regexp(t, callbacks, text)
	text = callbacks.ReplaceAllString(text, "} ourCallbackFunctions;")
	members := callbackName.FindAllStringSubmatch(text, -1)
	require.Len(t, members, 5)
	var b strings.Builder
	fmt.Fprintf(&b, "#include \"fmi2Functions.h\"\n%s\n"+
		"_Static_assert(sizeof(ourCallbackFunctions) == "+
		"sizeof(fmi2CallbackFunctions), \"size\");\n", text)
	for _, m := range members {
		fmt.Fprintf(&b,
			"_Static_assert(offsetof(ourCallbackFunctions, %[1]s) == "+
				"offsetof(fmi2CallbackFunctions, %[1]s) &&\n"+
				"\t__builtin_types_compatible_p(__typeof__(((ourCallbackFunctions *)0)->%[1]s),\n"+
				"\t\t__typeof__(((fmi2CallbackFunctions *)0)->%[1]s)),\n"+
				"\t\"%[1]s\");\n", m[1])
	}
	source := filepath.Join(t.TempDir(), "both.c")
	require.NoError(t, os.WriteFile(source, []byte(b.String()), 0o600))
	include, err := filepath.Abs(headerFolder)
	require.NoError(t, err)
	compile(t, "-std=c11", "-fsyntax-only", "-I", folder, "-I", include, source)
}

// enumerationsAsAssertions replaces "typedef enum { a, b } T;" with assertions that a is 0 and b is
// 1, and counts the assertions.
func enumerationsAsAssertions(header string) (text string, values int) {
	text = enumeration.ReplaceAllStringFunc(header, func(found string) string {
		var b strings.Builder
		parts := enumeration.FindStringSubmatch(found)
		for k, name := range strings.Split(parts[1], ",") {
			name = strings.TrimSpace(name)
			fmt.Fprintf(&b, "_Static_assert(%s == %d, \"%s of %s\");\n", name, k, name, parts[2])
			values++
		}
		return b.String()
	})
	return text, values
}

// TestHeader3AgreesWithTheStandard does the same for FMI 3.0. There, callbacks are function types,
// which may be repeated.
func TestHeader3AgreesWithTheStandard(t *testing.T) {
	folder := os.Getenv("GOSMP_FMPY_HEADERS")
	if folder == "" {
		t.Skip(
			"set GOSMP_FMPY_HEADERS to a folder with fmi3Functions.h, such as fmpy/c-code of the " +
				"Python package fmpy")
	}
	require.FileExists(t, filepath.Join(folder, "fmi3Functions.h"))
	header, err := os.ReadFile(filepath.Join(headerFolder, "fmi3.h"))
	require.NoError(t, err)
	text, values := enumerationsAsAssertions(string(header))
	// the standard leaves the parameters of these two open
	text = strings.ReplaceAll(text, "PreemptionCallback)(void);", "PreemptionCallback)();")
	require.Equal(t, 14, values, "5 statuses, 6 kinds of dependencies, 3 qualifiers of intervals")
	include, err := filepath.Abs(headerFolder)
	require.NoError(t, err)
	source := filepath.Join(t.TempDir(), "both.c")
	require.NoError(t, os.WriteFile(source, []byte("#include \"fmi3Functions.h\"\n"+text), 0o600))
	compile(t, "-std=c11", "-fsyntax-only", "-I", folder, "-I", include, source)
}
