package host_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const twin3 = "#define MODES false\n"

// life3 continues host3: it frees an input as soon as it has been set, reads every output to its
// last byte, even late, and keeps, restores and serializes states, in a series of instances.
const life3 = `
	fmi3ValueReference in = 1, out = 2, text = 9, number = 7;
	unsigned sum = 0;
	for (int life = 0; life < 40; life++) {
		fmi3Instance i = reach('S');
		for (int k = 0; k < 50; k++) {
			fmi3Boolean event, terminate, early;
			fmi3Float64 last, value;
			fmi3String word;
			fmi3Binary data;
			fmi3FMUState state = NULL;
			size_t size = 2 + (size_t)k * 97 % 5000, read = 0;
			/* an unknown field of that length, so that the message can be decoded */
			fmi3Byte *bytes = calloc(1, size + 4);
			bytes[0] = 0xba, bytes[1] = 0x3e, bytes[2] = (fmi3Byte)((size & 0x7f) | 0x80), bytes[3] = (fmi3Byte)(size >> 7);
			fmi3Binary given = bytes;
			size += 4;
			check(FIND(fmi3SetBinary)(i, &in, 1, &size, &given, 1) == fmi3OK, "set");
			memset(bytes, 0xff, size);
			free(bytes);
			check(FIND(fmi3GetBinary)(i, &in, 1, &read, &data, 1) == fmi3OK && read == size && data[1] == 0x3e, "get");
			check(FIND(fmi3GetFMUState)(i, &state) == fmi3OK, "save");
			check(FIND(fmi3DoStep)(i, 0.5 + k * 0.001, 0.001, true, &event, &terminate, &early, &last) <= fmi3Warning, "step");
			check(FIND(fmi3GetBinary)(i, &out, 1, &read, &data, 1) == fmi3OK && read > size, "get");
			for (size_t n = 0; n < read; n++)
				sum += data[n];
			check(FIND(fmi3GetString)(i, &text, 1, &word, 1) == fmi3OK && strlen(word) == 0, "text");
			check(FIND(fmi3GetFloat64)(i, &number, 1, &value, 1) == fmi3OK && value == 135, "number");
			check(FIND(fmi3SerializedFMUStateSize)(i, state, &size) == fmi3OK, "size");
			bytes = malloc(size);
			check(FIND(fmi3SerializeFMUState)(i, state, bytes, size) == fmi3OK, "serialize");
			check(FIND(fmi3SetFMUState)(i, state) == fmi3OK, "restore");
			check(FIND(fmi3FreeFMUState)(i, &state) == fmi3OK && state == NULL, "free");
			check(FIND(fmi3DeserializeFMUState)(i, bytes, size, &state) == fmi3OK, "deserialize");
			check(FIND(fmi3SetFMUState)(i, state) == fmi3OK, "restore again");
			if (k % 2)
				check(FIND(fmi3FreeFMUState)(i, &state) == fmi3OK, "free again");
			free(bytes);
			check(FIND(fmi3DoStep)(i, 0.5 + k * 0.001, 0.001, true, &event, &terminate, &early, &last) <= fmi3Warning,
			      "step again");
		}
		leave(i, 'S');
	}
	printf("%s\n", sum != 0 ? "lived" : "nothing");
	return 0;
}
`

// TestSanitizers_HostsOfTheTwin runs whole lives and all calls of FMI 3.0 in hosts that are built
// with the sanitizers for addresses, leaks and undefined behaviour.
func TestSanitizers_HostsOfTheTwin(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats whole lives under the sanitizers, which takes a while")
	}
	flags := sanitized(t)
	i := unpack(t, packedTwin(t))
	source, want := cells3(t, statesOfTwin, false)
	requireLines(t, run3(t, i, source, flags...), want)
	require.Equal(t, []string{"lived"}, run3(t, i, twin3+host3+main3+life3, flags...))
}

// sanitized returns the flags for a compiler that has sanitizers; without one the test is skipped.
func sanitized(t *testing.T) []string {
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	empty := filepath.Join(t.TempDir(), "probe")
	if text, err := exec.Command("cc", append(flags, "-shared", "-x", "c", "-o", empty,
		"/dev/null")...).CombinedOutput(); err != nil {
		t.Skipf("the C compiler has no sanitizers: %s", text)
	}
	return flags
}

func TestLife3_OfThePackedTwin(t *testing.T) {
	require.Equal(t, []string{"lived"}, run3(t, unpack(t, packedTwin(t)), twin3+host3+main3+life3))
}
