package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// sharedExtension replaces .fmu in the name of an FMU from which the parts that another FMU in the
// wheel contains are omitted.
const sharedExtension = ".shared"

// shareLibrary leaves the largest stream that all FMUs have, the model's library, only in the first
// one, because it makes up most of their size. The rest of each other FMU begins with a line of
// three numbers: where the stream is missing, where it is in the first FMU, and its length.
// dummy_sensor in python/gosmp/_call.py restores it.
func shareLibrary(fmus []entry) error {
	for k := 1; k < len(fmus); k++ {
		at, from, length, err := common(fmus[k].data, fmus[0].data)
		if err != nil {
			return err
		}
		if length == 0 {
			continue
		}
		rest := fmt.Appendf(nil, "%d %d %d\n", at, from, length)
		rest = append(rest, slices.Delete(slices.Clone(fmus[k].data), at, at+length)...)
		fmus[k].data = rest
		fmus[k].name = strings.TrimSuffix(fmus[k].name, ".fmu") + sharedExtension
	}
	return nil
}

// common finds the largest compressed file that two zip files share, and returns its offset in each
// and its length, which is 0 if they share none.
func common(a, b []byte) (atA, atB, length int, err error) {
	first, err := zip.NewReader(bytes.NewReader(a), int64(len(a)))
	if err != nil {
		return 0, 0, 0, err
	}
	second, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return 0, 0, 0, err
	}
	for _, f := range first.File {
		for _, g := range second.File {
			if f.CRC32 != g.CRC32 || f.CompressedSize64 != g.CompressedSize64 {
				continue
			}
			i, errF := f.DataOffset()
			j, errG := g.DataOffset()
			n := int(f.CompressedSize64)
			if errF != nil || errG != nil || n <= length ||
				!bytes.Equal(a[i:int(i)+n], b[j:int(j)+n]) {
				continue
			}
			atA, atB, length = int(i), int(j), n
		}
	}
	return atA, atB, length, nil
}
