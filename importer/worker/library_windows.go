//go:build amd64

package worker

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// library is a loaded DLL.
type library windows.Handle

// open loads a DLL. Its folder is the first one searched for the libraries that it needs.
func open(path string) (library, error) {
	handle, err := windows.LoadLibraryEx(path, 0, windows.LOAD_WITH_ALTERED_SEARCH_PATH)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return library(handle), nil
}

// symbol returns the address of a function; 0 if the function does not exist.
func (l library) symbol(name string) uintptr {
	address, err := windows.GetProcAddress(windows.Handle(l), name)
	if err != nil {
		return 0
	}
	return address
}

func (l library) release() error { return windows.FreeLibrary(windows.Handle(l)) }

// invoke calls a function of a DLL. Arguments that are addresses must refer to memory that the
// caller keeps alive.
func invoke(function uintptr, arguments ...uintptr) uintptr {
	result, _, _ := syscall.SyscallN(function, arguments...)
	return result
}

// Memory functions for FMI 2.0 FMUs: fmi2CallbackAllocateMemory and fmi2CallbackFreeMemory.
var (
	runtimeLibrary = windows.NewLazySystemDLL("msvcrt.dll")
	allocate       = runtimeLibrary.NewProc("calloc").Addr()
	release        = runtimeLibrary.NewProc("free").Addr()
)

// The loggers of both standards. A process can have only a limited number of callbacks, so all
// instances share them and are identified by their numbers.
var (
	logger2 = windows.NewCallbackCDecl(log2)
	logger3 = windows.NewCallbackCDecl(log3)

	registered struct {
		sync.Mutex
		all  map[uintptr]*instance
		next uintptr
	}
)

// register assigns a number to an instance.
func register(i *instance) {
	registered.Lock()
	defer registered.Unlock()
	if registered.all == nil {
		registered.all = map[uintptr]*instance{}
	}
	if i.number == 0 {
		registered.next++
		i.number = registered.next
	}
	registered.all[i.number] = i
}

func forget(i *instance) {
	registered.Lock()
	defer registered.Unlock()
	delete(registered.all, i.number)
}

func byNumber(number uintptr) *instance {
	registered.Lock()
	defer registered.Unlock()
	return registered.all[number]
}

// log2 is fmi2CallbackLogger. Any parameters after the message are its arguments.
func log2(environment, _, status, category, message, a, b, c, d, e, f, g, h, j, k uintptr) uintptr {
	text := expand(textAt(message), []uintptr{a, b, c, d, e, f, g, h, j, k})
	return logMessage(environment, status, category, text)
}

// log3 is fmi3LogMessageCallback.
func log3(environment, status, category, message uintptr) uintptr {
	return logMessage(environment, status, category, textAt(message))
}

func logMessage(environment, status, category uintptr, text string) uintptr {
	i := byNumber(environment)
	if i == nil {
		return 0
	}
	r := Record{Slot: i.slot, Status: int(int32(status)), HasCategory: category != 0,
		Category: textAt(category), Text: text}
	if r.Status < 0 || r.Status > 5 {
		r.Status = 3
	}
	i.process.record(r)
	return 0
}

// pointerTo converts an address from an FMU to a pointer.
func pointerTo(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// bytesAt returns memory of an FMU as a slice.
func bytesAt(address uintptr, size int) []byte {
	if address == 0 || size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointerTo(address)), size)
}

// lengthOf returns the number of bytes before a C string's terminator.
func lengthOf(address uintptr) int {
	n := 0
	for *(*byte)(pointerTo(address + uintptr(n))) != 0 {
		n++
	}
	return n
}

// maxText is the maximum length of a C string that is read, in case a log message has no
// terminator.
const maxText = 1 << 20

func textAt(address uintptr) string {
	if address == 0 {
		return ""
	}
	return string(bytesAt(address, min(lengthOf(address), maxText)))
}
