package ecmascript

import (
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"gosmp/experiment/scxml"
)

// guarded runs an evaluation under the limits.
func (m *model) guarded(evaluate func() error) (err error) {
	m.arm()
	defer m.recovered(&err)
	return evaluate()
}

// run does the same as guarded for a program: nearly all evaluations are programs.
func (m *model) run(c *code) (v goja.Value, err error) {
	m.arm()
	defer m.recovered(&err)
	if !c.plain {
		m.replaceNatives()
	}
	if c.checked {
		m.defineChecks()
	}
	return m.vm.RunProgram(c.program)
}

func (m *model) recovered(err *error) {
	var thrown goja.Value
	panicked := true
	switch x := recover().(type) {
	case nil:
		panicked = false
	case goja.Value: // its text is the result of code, which may be what has to end
		thrown = x
	case *goja.Exception:
		thrown = x.Value()
	default:
		*err = fmt.Errorf("the engine has failed: %v", x)
	}
	cut := panicked && m.late.Load()
	m.disarm()
	if m.full || m.excess != "" || cut {
		*err = m.stopped()
		m.release()
		return
	}
	switch {
	case thrown != nil:
		*err = m.message(thrown)
	case *err != nil:
		*err = m.explain(*err)
	case m.spent > m.timeout:
		*err = m.stopped()
	}
}

// arm starts the timer of an evaluation. The time that the machine has already spent at the same
// instant counts too, because a thousand slow conditions are as bad as one.
func (m *model) arm() {
	if now := m.environment.Now(); now != m.instant {
		m.instant, m.spent = now, 0
	}
	m.watch.Lock()
	defer m.watch.Unlock()
	m.running, m.full, m.excess, m.overdue = true, false, "", time.Time{}
	m.account.begin()
	m.charged = 0
	m.begun = time.Now()
	first := min(max(m.timeout-m.spent, 0), look)
	if m.timer == nil {
		m.timer = time.AfterFunc(first, m.tick)
		return
	}
	m.timer.Reset(first)
}

// tick examines a running evaluation, and interrupts it when its time is up or scripts keep too
// much memory.
func (m *model) tick() {
	m.watch.Lock()
	defer m.watch.Unlock()
	if !m.running {
		return
	}
	if m.late.Load() {
		m.timer.Reset(m.stuck())
		return
	}
	if m.full = m.account.during(); m.environment.Ended() != nil {
		m.excess = "interrupted"
	}
	if left := m.timeout - m.spent - time.Since(m.begun); left > 0 && !m.full && m.excess == "" {
		m.timer.Reset(min(left, look))
		return
	}
	m.late.Store(true)
	m.vm.Interrupt("timeout")
	m.timer.Reset(look)
}

// charge notes that an operator or a function is about to create about a number of bytes. An
// evaluation with many of them is measured. After some more, charge examines the memory that all
// scripts use. Unlike tick, it does so while the script waits, so the script cannot outrun it. Only
// measured bytes count, because a method may examine a list without creating anything.
func (m *model) charge(bytes int) {
	before := m.charged
	if m.charged += max(bytes, 0); m.charged < large { // a list may claim a negative length
		return
	}
	m.watch.Lock()
	defer m.watch.Unlock()
	if !m.running {
		return
	}
	if before < large {
		m.account.enlarge()
	}
	if m.charged < lookAfter {
		return
	}
	m.charged = large
	if m.full = m.account.during() || m.full; m.full {
		m.late.Store(true)
		m.vm.Interrupt("memory")
		panic(m.tooLate())
	}
}

// end ends the evaluation so that the script cannot catch the error.
func (m *model) end(reason string) {
	m.watch.Lock()
	defer m.watch.Unlock()
	m.excess = reason
	m.late.Store(true)
	m.vm.Interrupt(reason)
}

func (m *model) stopped() error {
	if m.excess != "" {
		return fmt.Errorf("%w: %s", scxml.ErrStopped, m.excess)
	}
	if m.full {
		return fmt.Errorf("%w: the scripts of all machines use more than %d MB", scxml.ErrStopped,
			maxMemory>>20)
	}
	return fmt.Errorf("%w: scripts took more than %v at one instant", scxml.ErrStopped, m.timeout)
}

// release drops all data of a machine that was ended because of it.
func (m *model) release() {
	empty := Language{Timeout: m.timeout}.New(m.environment).(*model)
	m.vm, m.builtins, m.natives = empty.vm, empty.builtins, empty.natives
	m.event, m.parse, m.stringify, m.lexical, m.checking = nil, nil, nil, nil, false
	m.functions, m.setters, m.systems, m.traps, m.mark = nil, nil, nil, nil, nil
}

func (m *model) disarm() {
	m.watch.Lock()
	defer m.watch.Unlock()
	took := time.Since(m.begun)
	m.spent += took
	m.timer.Stop()
	m.running = false
	m.full = m.account.end(took) || m.full
	if m.late.Load() {
		m.late.Store(false)
		m.vm.ClearInterrupt()
	}
}

// explain turns an error of the engine into one of this package: the text of the thrown value, or
// ErrStopped.
func (m *model) explain(err error) error {
	var stopped *goja.InterruptedError
	var deep *goja.StackOverflowError
	var thrown *goja.Exception
	switch {
	case errors.As(err, &stopped):
		return m.stopped()
	case errors.As(err, &deep):
		return fmt.Errorf("calls are nested deeper than %d levels", maxCalls)
	case errors.As(err, &thrown):
		return m.message(thrown.Value())
	}
	return err
}

// message returns the text of a thrown value. An object creates its text by running code of the
// chart, which may use the remaining time.
func (m *model) message(thrown goja.Value) (err error) {
	m.arm()
	defer func() {
		if recover() != nil {
			err = m.stopped()
		}
		m.disarm()
		if m.full || m.excess != "" {
			err = m.stopped()
			m.release()
		}
	}()
	var text string
	if failed := m.vm.Try(func() { text = thrown.String() }); failed != nil {
		return errors.New("a value without text was thrown")
	}
	return errors.New(text)
}
