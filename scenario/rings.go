package scenario

// Rings returns one signal controller of each ring of controllers that start after each other.
func Rings(controllers []*Element) (list []*Element) {
	by := make(map[string]*Element, len(controllers))
	for _, e := range controllers {
		by[e.Value("name")] = e
	}
	// An empty reference is none: it does not refer to a controller with an empty name.
	delete(by, "")
	met := make(map[*Element]*Element, len(controllers)) // from which controller it was first met
	for _, e := range controllers {
		next := e
		for next != nil && met[next] == nil {
			met[next] = e
			next = by[next.Value("reference")]
		}
		if next != nil && met[next] == e {
			list = append(list, next)
		}
	}
	return list
}
