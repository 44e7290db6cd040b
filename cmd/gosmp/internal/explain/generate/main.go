// Command generate writes docs/RULES.md and the table of gosmp explain. It runs in the folder of
// package explain.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"

	"gosmp/internal/rulepage"
)

func main() {
	if err := generate("../../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(root string) error {
	rules, err := rulepage.Collect(root)
	if err != nil {
		return err
	}
	var page, code bytes.Buffer
	if err := rulepage.Markdown(&page, rules); err != nil {
		return err
	}
	if err := rulepage.Source(&code, rules); err != nil {
		return err
	}
	text, err := format.Source(code.Bytes())
	if err != nil {
		return err
	}
	if err := os.WriteFile(root+"/docs/RULES.md", page.Bytes(), 0o666); err != nil {
		return err
	}
	return os.WriteFile("table.go", text, 0o666)
}
