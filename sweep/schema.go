package sweep

import _ "embed" // the schema

//go:embed plan.schema.json
var schema string

// Schema is the JSON Schema (2020-12) of plans in YAML, for editors and other tools. A plan that
// [Read] accepts is valid; what a schema cannot say, such as that parameters differ, only Read
// reports.
func Schema() string { return schema }
