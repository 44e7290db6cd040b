package run

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"gosmp/fmi"
	"gosmp/importer"
)

// console is where a run logs: messages of the FMU, calls, warnings, what the FMU prints, and a
// line of progress.
type console struct {
	mu       sync.Mutex
	log      *os.File
	line     string         // of progress, on a terminal
	warnings map[string]int // of the FMU, by text
	order    []string
	Count    int // of warnings, the host's and the FMU's
}

func newConsole(log *os.File) *console { return &console{log: log, warnings: map[string]int{}} }

// write writes a line in the place of the line of progress.
func (c *console) write(text string) {
	if c.line != "" {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	fmt.Fprintln(c.log, text)
	if c.line != "" {
		fmt.Fprint(os.Stderr, c.line)
	}
}

// status shows a line of progress, or none.
func (c *console) status(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line != c.line {
		fmt.Fprint(os.Stderr, "\r\x1b[K", line)
		c.line = line
	}
}

// note shows progress where it cannot replace the line before, if there is any.
func (c *console) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line != "" {
		fmt.Fprintln(os.Stderr, "gosmp: "+strings.TrimSpace(line))
	}
}

var statusWords = map[fmi.Status]string{fmi.OK: "OK", fmi.Warning: "WARNING", fmi.Discard: "DISCARD", fmi.Error: "ERROR", fmi.Fatal: "FATAL",
	fmi.Pending: "PENDING"}

// message logs what an FMU has logged, and calls as FMPy does. A warning is shown once.
func (c *console) message(m importer.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Call {
		c.write("[FMI] " + m.Text)
		return
	}
	if m.Status == fmi.Warning {
		c.Count++
		if c.warnings[m.Text]++; c.warnings[m.Text] > 1 {
			return
		}
		c.order = append(c.order, m.Text)
	}
	c.write(fmt.Sprintf("[%s] [%s] %s", statusWords[m.Status], m.Category, m.Text))
}

// warn logs a warning of the host.
func (c *console) warn(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Count++
	c.write("gosmp: warning: " + text)
}

// printed logs a line that an FMU has printed.
func (c *console) printed(_, line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write(line)
}

// close logs how often warnings occurred that were shown once.
func (c *console) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.order {
		if n := c.warnings[text]; n > 1 {
			c.write(fmt.Sprintf("gosmp: the warning %q came %d times", text, n))
		}
	}
	c.order = nil
}
