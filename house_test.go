package gosmp_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/release"
)

// roomOf is the room of docs/ARCHITECTURE.md that a package lives in; "" for internal/ and the
// root.
func roomOf(pkg string, rooms map[string]int) string {
	name := strings.TrimPrefix(pkg, release.Module+"/")
	for name != "" {
		if _, known := rooms[name]; known {
			return name
		}
		cut := strings.LastIndex(name, "/")
		name = name[:max(cut, 0)]
	}
	return ""
}

// rowsOfTheHouse are the rooms of the picture with the numbers of their rows, the lowest first.
func rowsOfTheHouse(t *testing.T, page string) map[string]int {
	_, after, found := strings.Cut(page, "## The house")
	require.True(t, found)
	_, after, _ = strings.Cut(after, "```\n")
	picture, _, found := strings.Cut(after, "```\n")
	require.True(t, found)
	isRoom := regexp.MustCompile(`^[a-z]+(/[a-z]+)?$`)
	rooms, row := map[string]int{}, 0
	lines := strings.Split(strings.TrimSpace(picture), "\n")
	for _, line := range slices.Backward(lines) {
		cells := strings.Split(line, "│")
		if len(cells) != 4 {
			continue
		}
		row++
		// a remark follows
		list, _, _ := strings.Cut(strings.TrimSpace(cells[2]), strings.Repeat(" ", 8))
		for _, name := range strings.Fields(list) {
			if isRoom.MatchString(name) {
				rooms[name] = row
			}
		}
	}
	return rooms
}

// TestHouse_ThePictureIsTrue compares the picture and the table in docs/ARCHITECTURE.md with the
// imports: every package lives in a room, rooms use rooms of lower rows only, and the table lists
// exactly what each room uses.
func TestHouse_ThePictureIsTrue(t *testing.T) {
	text, err := os.ReadFile("docs/ARCHITECTURE.md")
	require.NoError(t, err)
	page := string(text)
	rooms := rowsOfTheHouse(t, page)
	list, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		"./...").Output()
	require.NoError(t, err)
	uses, seen := map[string]map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if words[0] == release.Module {
			continue
		}
		if shared, is := strings.CutPrefix(words[0], release.Module+"/"); is &&
			strings.HasPrefix(shared, "internal/") {
			for _, name := range words[1:] {
				if isOurs(name) && roomOf(name, rooms) != "" && !doubles.MatchString(shared) {
					t.Errorf("%s imports %s, but what all rooms share uses no room", shared, name)
				}
			}
			continue
		}
		from := roomOf(words[0], rooms)
		require.NotEmpty(t, from, "%s is in no room of the picture in docs/ARCHITECTURE.md",
			words[0])
		seen[from] = true
		if uses[from] == nil {
			uses[from] = map[string]bool{}
		}
		for _, name := range words[1:] {
			to := roomOf(name, rooms)
			if !isOurs(name) || to == "" || to == from {
				continue
			}
			if rooms[to] >= rooms[from] {
				t.Errorf("%s imports %s, a room that is not below %s in the picture", words[0],
					name, from)
			}
			uses[from][to] = true
		}
	}
	for name := range rooms {
		require.True(t, seen[name], "the picture has a room %s, where no package lives", name)
	}
	for name, used := range uses {
		if name == "examples" || name == "test" || name == "cmd/osmpdummysensor" {
			continue // programs, which the table leaves out
		}
		row := regexp.MustCompile(`(?m)^\| ` + name + ` \|.*\| ([^|]*) \|$`).FindStringSubmatch(
			page)
		want := strings.Join(slices.Sorted(maps.Keys(used)), " ")
		if want == "" {
			want = "-"
		}
		require.NotNil(t, row, "the table of rooms has no row for %s, which uses %s", name, want)
		require.Equal(t, want, row[1], "what %s uses, by the table of rooms", name)
	}
}

// TestHouse_NoTimeBetweenReadingsOfTheWall: the clock of the wall may jump, and a number of
// nanoseconds since 1970 has lost the reading of the monotonic clock. Messages
// of bridges, which have a time of the wall, are exempt.
func TestHouse_NoTimeBetweenReadingsOfTheWall(t *testing.T) {
	t.Parallel()
	found, _ := exec.CommandContext(t.Context(), "git", "grep", "-nE",
		`time\.Now\(\)\.(Unix|Round)`, "--", "*.go",
		":!*_test.go", ":!bridge").Output() // it fails if it finds nothing
	require.Empty(t, string(found))
	probe, err := exec.CommandContext(t.Context(), "git", "grep", "-nE", `time\.Now\(\)`, "--",
		"*.go").Output()
	require.NoError(t, err)
	require.NotEmpty(t, probe)
}
