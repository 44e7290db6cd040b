package run

// FieldsWithRoles returns the option fields that have file roles.
func FieldsWithRoles() (names []string) {
	for _, r := range fileRoles {
		names = append(names, r.field)
	}
	return names
}
