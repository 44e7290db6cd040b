package ecmascript

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

const maxCalls = 500

// model is the data model of one machine.
type model struct {
	vm          *goja.Runtime
	builtins    *goja.Object // the global object of the engine
	environment scxml.Environment
	timeout     time.Duration // for all evaluations at one instant
	instant     timebase.Time // of the last evaluation
	spent       time.Duration // at that instant
	begun       time.Time
	late        atomic.Bool // the evaluation must end

	watch   sync.Mutex // guards the fields below, which the timer also uses
	running bool       // an evaluation is running
	timer   *time.Timer
	account account
	full    bool   // scripts keep too much memory
	excess  string // another reason to end the evaluation, or ""

	overdue  time.Time // when an evaluation that was to end was first found to continue
	occupied float64   // bytes on the heap at that time

	charged  int  // bytes, see charge
	checking bool // the functions that guard inserts exist

	event     goja.Value // _event, or nil if it must be created
	random    uint64
	parse     goja.Callable // the engine's JSON.parse, once needed
	stringify goja.Callable // the engine's JSON.stringify, likewise
	natives   natives
	lexical   []string // declared by let, const and class
	functions map[string]goja.Value
	setters   map[*code]goja.Callable
	systems   map[string]systemVariable
	traps     *goja.ProxyTrapConfig // of read-only objects, once needed
	mark      *goja.Symbol          // the symbol that marks them
}

// New creates the data model of a machine.
func (l Language) New(e scxml.Environment) scxml.Model {
	m := &model{vm: goja.New(), environment: e, timeout: l.Timeout, random: e.Seed()}
	switch {
	case l.patient:
		m.timeout = math.MaxInt64
	case m.timeout <= 0 || m.timeout > defaultTimeout:
		m.timeout = defaultTimeout
	}
	m.vm.SetMaxCallStackSize(maxCalls)
	m.vm.SetRandSource(m.draw)
	m.vm.SetTimeSource(func() time.Time { return time.Unix(0, int64(e.Now())).UTC() })
	m.vm.SetParserOptions(parser.WithDisableSourceMaps, before(parser.WithDisableSourceMaps,
		m.parsing))
	m.define()
	return m
}

// ownGlobal installs an empty global object whose prototype is the engine's global object. The
// chart's declarations can then be listed. Listing the engine's own object would build everything
// in the language, 150 kB for each machine.
func (m *model) ownGlobal() *goja.Object {
	m.builtins = m.vm.GlobalObject()
	global := m.vm.CreateObject(m.builtins)
	m.vm.SetGlobalObject(global)
	must(global.DefineDataProperty("globalThis", global, goja.FLAG_TRUE, goja.FLAG_TRUE,
		goja.FLAG_FALSE))
	return global
}

// declared reports whether the chart has a variable of that name. Declaring one hides the
// language's variable of the same name.
func (m *model) declared(name string) bool {
	v, builtin := m.vm.GlobalObject().Get(name), m.builtins.Get(name)
	return v != nil && (builtin == nil || !v.SameAs(builtin))
}

// draw implements SplitMix64, which is small and whose entire state is one number.
func (m *model) draw() float64 {
	m.random += 0x9e3779b97f4a7c15
	z := m.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// define creates In() and the system variables. They are not enumerable, so everything enumerable
// belongs to the chart.
func (m *model) define() {
	global := m.ownGlobal()
	must(global.DefineDataProperty("In", m.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		return m.vm.ToValue(m.environment.In(call.Argument(0).String()))
	}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	refuse := m.vm.ToValue(func(goja.FunctionCall) goja.Value {
		panic(m.vm.NewTypeError(
			"the system variables are read-only: _event, _sessionid, _name, _ioprocessors and _x"))
	})
	m.getter("_event", m.currentEvent, refuse)
	for _, name := range []string{"_sessionid", "_name", "_ioprocessors", "_x"} {
		m.getter(name, func() goja.Value { return m.system(name) }, refuse)
	}
}

// system returns a system variable: the same object each time, as long as its value is the same.
func (m *model) system(name string) goja.Value {
	v := m.environment.System(name)
	last, ok := m.systems[name]
	if !ok || last.value != v {
		last = systemVariable{v, m.whole(m.value(v))}
		if m.systems == nil {
			m.systems = map[string]systemVariable{}
		}
		m.systems[name] = last
	}
	return last.object
}

type systemVariable struct {
	value  scxml.Value
	object goja.Value
}

// getter creates a system variable. Its setter throws even in scripts that are not strict.
func (m *model) getter(name string, get func() goja.Value, refuse goja.Value) {
	f := m.vm.ToValue(func(goja.FunctionCall) goja.Value { return get() })
	must(m.vm.GlobalObject().DefineAccessorProperty(name, f, refuse, goja.FLAG_FALSE,
		goja.FLAG_FALSE))
}

// must panics on an error that cannot occur: defining a property on a fresh object does not fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (m *model) currentEvent() goja.Value {
	if m.event != nil {
		return m.event
	}
	e := m.environment.Event()
	if e == nil {
		return goja.Undefined()
	}
	o := m.vm.NewObject()
	for _, field := range [...]struct{ name, value string }{{"name", e.Name},
		{"type", e.Type.String()}, {"sendid", e.SendID},
		{"origin", e.Origin}, {"origintype", e.OriginType}, {"invokeid", e.InvokeID}} {
		v := goja.Undefined()
		if field.value != "" {
			v = m.vm.ToValue(field.value)
		}
		must(o.Set(field.name, v))
	}
	if err := readable(e.Data); err != nil {
		panic(m.thrown("RangeError", "the data of the event: "+err.Error()))
	}
	must(o.Set("data", m.sealedValue(e.Data)))
	m.prepareSeal()
	m.event = m.behindProxy(o, true)
	return m.event
}

func (m *model) EventChanged() { m.event = nil }

func (m *model) Declare(variable scxml.Code) error {
	name := variable.(*code).variable
	if m.declared(name) {
		return nil
	}
	return m.vm.GlobalObject().DefineDataProperty(name, goja.Undefined(), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_TRUE)
}

func (m *model) Bool(cond scxml.Code) (bool, error) {
	v, err := m.run(cond.(*code))
	if err != nil {
		return false, err
	}
	return v.ToBoolean(), nil
}

func (m *model) Value(expr scxml.Code) (scxml.Value, error) {
	v, err := m.run(expr.(*code))
	if err != nil {
		return scxml.Value{}, err
	}
	return m.exported(v)
}

func (m *model) Text(expr scxml.Code) (string, error) {
	v, err := m.run(expr.(*code))
	if err != nil {
		return "", err
	}
	if _, isObject := v.(*goja.Object); isObject || goja.IsUndefined(v) || goja.IsNull(v) {
		return "", fmt.Errorf(
			"%q evaluates to %s, expected a text", expr.(*code).text, described(v))
	}
	return v.String(), nil
}

func (m *model) Assign(location, expr scxml.Code) error {
	v, err := m.run(expr.(*code))
	if err != nil {
		return err
	}
	if v, err = m.unsealed(v); err != nil {
		return err
	}
	return m.set(location.(*code), v)
}

// unsealed returns a value that the chart may keep and change, under the limits.
func (m *model) unsealed(v goja.Value) (own goja.Value, err error) {
	if _, isObject := v.(*goja.Object); !isObject {
		return v, nil
	}
	err = m.guarded(func() error {
		own = m.plain(v)
		return nil
	})
	return own, err
}

func (m *model) Set(location scxml.Code, v scxml.Value) error {
	if err := readable(v); err != nil {
		return err
	}
	var value goja.Value
	err := m.guarded(func() error {
		value = m.value(v)
		return nil
	})
	if err != nil {
		return err
	}
	return m.set(location.(*code), value)
}

func (m *model) set(location *code, v goja.Value) error {
	if location.setter == nil {
		return m.vm.GlobalObject().Set(location.variable, v)
	}
	set := m.setters[location]
	if set == nil {
		f, err := m.run(&code{program: location.setter, plain: location.plain,
			checked: location.checked})
		if err != nil {
			return err
		}
		set, _ = goja.AssertFunction(f)
		if m.setters == nil {
			m.setters = map[*code]goja.Callable{}
		}
		m.setters[location] = set
	}
	return m.guarded(func() error {
		_, err := set(goja.Undefined(), v)
		return err
	})
}

func (m *model) ForEach(array, item, index scxml.Code, body func() error) error {
	v, err := m.run(array.(*code))
	if err != nil {
		return err
	}
	list, ok := v.(*goja.Object)
	if ok {
		if inner, sealed := m.sealed(list); sealed {
			list = inner
		}
	}
	if !ok || list.ClassName() != "Array" {
		return fmt.Errorf("%q evaluates to %s, expected an array", array.(*code).text, described(v))
	}
	items, err := m.copyOf(list)
	if err != nil {
		return err
	}
	for _, variable := range []scxml.Code{item, index} {
		if variable != nil {
			if err := m.Declare(variable); err != nil {
				return err
			}
		}
	}
	for i, v := range items {
		v, err := m.unsealed(v)
		if err != nil {
			return err
		}
		if err := m.set(item.(*code), v); err != nil {
			return err
		}
		if index != nil {
			if err := m.set(index.(*code), m.vm.ToValue(i)); err != nil {
				return err
			}
		}
		if err := body(); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) copyOf(list *goja.Object) (items []goja.Value, err error) {
	err = m.guarded(func() error {
		thrown := m.vm.Try(func() {
			n := list.Get("length").ToInteger()
			for i := int64(0); i < n && !m.late.Load(); i++ { // n may be 2^32-1
				v := list.Get(strconv.FormatInt(i, 10))
				if v == nil {
					v = goja.Undefined()
				}
				items = append(items, v)
			}
		})
		if thrown != nil {
			return thrown
		}
		return nil
	})
	return items, err
}

func (m *model) Run(script scxml.Code) error {
	c := script.(*code)
	m.lexical = append(m.lexical, c.lexical...)
	_, err := m.run(c)
	return err
}

// Ready records the functions created by global scripts. They come back when the scripts run again.
func (m *model) Ready() {
	global := m.vm.GlobalObject()
	for _, name := range global.Keys() {
		if v := global.Get(name); isFunction(v) {
			if m.functions == nil {
				m.functions = map[string]goja.Value{}
			}
			m.functions[name] = v
		}
	}
}

func isFunction(v goja.Value) bool {
	_, ok := goja.AssertFunction(v)
	return ok
}
