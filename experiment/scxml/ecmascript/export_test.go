package ecmascript

// Patient returns a language whose evaluations may take any amount of time.
func Patient() Language { return Language{patient: true} }
