package fileuse

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"gosmp/internal/entries"
)

// The limits of archives inside archives.
const (
	mostNested    = 4 // packages of packages with FMUs
	largestNested = 1 << 30
)

// described lists the extensions of texts in archives that name files outside of the archive: as
// start values of FMUs. Names of files in the archive are found, too, but are not on the disk.
var described = []string{".ssd", ".ssv", ".ssm"}

// textIn returns the texts in an archive, such as a packed system or an FMU, that name files, or ""
// if the file is not an archive.
func textIn(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	var b strings.Builder
	addTexts(&b, f, info.Size(), 1)
	return b.String()
}

func addTexts(b *strings.Builder, r io.ReaderAt, size int64, depth int) {
	z, err := entries.Read(r, size)
	if err != nil {
		return
	}
	for _, e := range z.File {
		ending := strings.ToLower(path.Ext(e.Name))
		switch {
		case e.Name == "modelDescription.xml", slices.Contains(described, ending):
			b.Write(entry(e, int64(largestText-b.Len())))
			b.WriteByte('\n')
		case depth < mostNested && (ending == ".fmu" || ending == ".ssp") &&
			e.UncompressedSize64 < largestNested:
			content := entry(e, largestNested)
			addTexts(b, bytes.NewReader(content), int64(len(content)), depth+1)
		}
	}
}

// entry returns the beginning of an entry.
func entry(e *zip.File, limit int64) []byte {
	if limit <= 0 {
		return nil
	}
	r, err := e.Open()
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }() // was only read
	content, _ := io.ReadAll(io.LimitReader(r, limit))
	return content
}
