package main

import (
	"fmt"
	"os"
	"strconv"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/trace/mcap"
)

// permitMemory applies the variable that permits traces to take more memory.
func permitMemory() error {
	const name, most = "GOSMP_TRACE_MEMORY", 4096
	text := os.Getenv(name)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return cli.Unexpected(name, strconv.Quote(text),
			fmt.Sprintf("a number of megabytes from 1 to %d", most))
	}
	mcap.SetMemory(int64(n) << 20)
	return nil
}
