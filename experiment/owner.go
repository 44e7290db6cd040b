package experiment

// CutOwner splits owner.part at a dot so that the owner before the dot is known. Because both may
// contain dots, the longest known owner wins: car.1.speed belongs to car.1 if that exists.
func CutOwner(name string, known func(owner string) bool) (owner, part string, found bool) {
	for k := len(name) - 1; k > 0; k-- {
		if name[k] == '.' && known(name[:k]) {
			return name[:k], name[k+1:], true
		}
	}
	return "", "", false
}
