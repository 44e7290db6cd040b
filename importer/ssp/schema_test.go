package ssp_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// schemas holds the SSP schemas by file extension.
var schemas = map[string]string{
	".ssd": "SystemStructureDescription", ".ssv": "SystemStructureParameterValues",
	".ssm": "SystemStructureParameterMapping", ".ssb": "SystemStructureSignalDictionary",
}

// TestCheck_AgreesWithTheSchemas compares SSP-X1 to SSP-X3 with the verdict of xmllint and the SSP
// schemas, which are in the subfolders 1.0 and 2.0 of the folder named by GOSMP_SSP_SCHEMAS. It
// uses copies of the documents in which one element or attribute is missing, repeated, unknown or
// changed (rule 8).
func TestCheck_AgreesWithTheSchemas(t *testing.T) {
	folder := os.Getenv("GOSMP_SSP_SCHEMAS")
	if folder == "" {
		t.Skip("GOSMP_SSP_SCHEMAS does not name a folder with the schemas of SSP")
	}
	groups := map[[2]string][]string{} // file paths by version and extension
	valid := map[string]bool{}
	out := t.TempDir()
	for k, e := range schemaMutants(t) {
		path := filepath.Join(out, fmt.Sprintf("%05d%s", k, e.name))
		require.NoError(t, os.WriteFile(path, []byte(e.content), 0o600))
		version := "1.0"
		if strings.Contains(e.content, `version="2.0" name="test"`) {
			version = "2.0"
		}
		groups[[2]string{version, e.name}] = append(groups[[2]string{version, e.name}], path)
		valid[path] = validBySchema(t, path)
	}
	require.Greater(t, len(valid), 500)
	for key, paths := range groups {
		schema := filepath.Join(folder, key[0], schemas[key[1]]+".xsd")
		// xmllint fails if one is invalid
		text, _ := exec.Command("xmllint", append([]string{"--noout", "--schema", schema},
			paths...)...).CombinedOutput()
		for _, path := range paths {
			require.Equal(t, strings.Contains(string(text), path+" validates\n"), valid[path],
				"%s\n%s", path, findings(t, path)+lines(string(text), path))
		}
	}
}

// lines returns the lines that contain the name of a file, together with the file.
func lines(text, path string) string {
	list := slices.DeleteFunc(strings.Split(text, "\n"),
		func(l string) bool { return !strings.HasPrefix(l, path) })
	content, _ := os.ReadFile(path)
	return strings.Join(list, "\n") + "\n" + string(content)
}

// validBySchema reports whether a document has no findings that a schema would also report. Empty
// names and values of the wrong type have separate findings. A schema does not check declarations
// or counts.
func validBySchema(t *testing.T, path string) bool {
	list, err := ssp.Check(path, ssp.Options{})
	require.NoError(t, err)
	more := regexp.MustCompile(
		`not declared in this file|second entry for|with size and with|arrays came with`)
	for _, f := range list {
		own := f.ID == "SSP-S4" && strings.Contains(f.Message, "an element without a name") ||
			f.ID == "SSP-P3" && strings.Contains(f.Message, "expected") ||
			f.ID == "SSP-S5" && strings.Contains(f.Message, "a second transformation")
		if (own || slices.Contains([]string{"SSP-X1", "SSP-X2", "SSP-X3"},
			f.ID) && !more.MatchString(f.Message)) && f.Place.File == path {
			return false
		}
	}
	return true
}

// schemaMutants changes each element of the documents of the sound package.
func schemaMutants(t *testing.T) (list entries) {
	tags := regexp.MustCompile(`<ss[dvmbc]:\w+[^>]*>`)
	attributes := regexp.MustCompile(` [a-zA-Z-]+="[^"]*"`)
	for _, e := range slices.Concat(sound(t), twin(t)[:1]) {
		ending := filepath.Ext(e.name)
		if schemas[ending] == "" {
			continue
		}
		add := func(text string) { list = append(list, entry{name: ending, content: text}) }
		add(e.content)
		for _, at := range tags.FindAllStringIndex(e.content, -1) {
			tag := e.content[at[0]:at[1]]
			put := func(text string) { add(e.content[:at[0]] + text + e.content[at[1]:]) }
			if strings.Contains(tag, "xmlns") || inline(e.content, at[0]) {
				continue
			}
			put(tag + "<ssd:Foo/>")
			put(attributes.ReplaceAllString(tag, ""))
			if strings.HasSuffix(tag, "/>") {
				put("")
				put(tag + tag)
			}
			for _, a := range attributes.FindAllStringIndex(tag, -1) {
				put(tag[:a[0]] + tag[a[1]:])
				start := strings.Index(tag[a[0]:], `"`) + a[0] + 1
				for _, value := range []string{"", "x", "1", "1.5", "true"} {
					put(tag[:start] + value + tag[a[1]-1:])
				}
			}
		}
	}
	return list
}

// inline reports whether a place is in a parameter set inside a description, since the schema of
// the description does not specify its content.
func inline(text string, at int) bool {
	begin, end := strings.Index(text, "<ssd:ParameterValues>"), strings.Index(text,
		"</ssd:ParameterValues>")
	return begin >= 0 && at >= begin && at < end
}

// findings returns the findings in a file, one per line.
func findings(t *testing.T, path string) (text string) {
	list, err := ssp.Check(path, ssp.Options{})
	require.NoError(t, err)
	for _, f := range list {
		text += f.String() + "\n"
	}
	return text
}
