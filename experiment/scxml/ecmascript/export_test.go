package ecmascript

// Patient returns a language whose evaluations may take any time.
func Patient() Language { return Language{patient: true} }
