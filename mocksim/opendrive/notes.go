package opendrive

// notes are what reading has noticed and the map itself does not keep.
type notes []note

type note struct {
	line                  int
	rule, message, remedy string
}

// maxNotes bounds the memory that a broken file can take.
const maxNotes = 10_000

func (n *notes) add(line int, rule, message, remedy string) {
	if len(*n) < maxNotes {
		*n = append(*n, note{line, rule, message, remedy})
	}
}
