package run

// FieldsWithRoles are the fields of options whose use for files is known.
func FieldsWithRoles() (names []string) {
	for _, r := range fileRoles {
		names = append(names, r.field)
	}
	return names
}
