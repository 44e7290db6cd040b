package sweep

import _ "embed" // the schema

//go:embed plan.schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of plans in YAML, for editors and other tools. A plan
// that [Read] accepts is valid; only Read checks rules that a schema cannot express, such as that
// parameters differ.
func Schema() string { return schema }
