package jsast

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dop251/goja"
)

//go:embed bundle/jsast.js
var bundle string

// Timeout is how long an engine may take for one file.
const Timeout = 10 * time.Second

// Engine runs the bundle. It parses one file at a time, and may be used by
// several goroutines.
type Engine interface {
	// Name says which engine it is: "goja" or "node".
	Name() string
	// Parse answers with the bundle's JSON. The error is an *EngineError, or
	// the context's.
	Parse(ctx context.Context, source string, t SourceType) ([]byte, error)
	// Close ends what the engine started. It may be called twice.
	Close() error
}

// EngineError says that an engine failed. It says nothing of the file.
type EngineError struct {
	Engine string
	Err    error
}

func (e *EngineError) Error() string { return fmt.Sprintf("%s could not parse: %v", e.Engine, e.Err) }
func (e *EngineError) Unwrap() error { return e.Err }

// Start gives node where node 18 or later is on PATH, and goja elsewhere.
func Start(ctx context.Context) Engine {
	if node, err := StartNode(ctx); err == nil {
		return node
	}
	return NewGoja()
}

// gojaStack bounds the calls in calls: goja itself has no bound, and a Go stack
// that overflows ends the process. The bundle's own bounds come long before.
const gojaStack = 20_000

var compiled = sync.OnceValues(compile)

func compile() (*goja.Program, error) { return goja.Compile("jsast.js", bundle, true) }

// Goja runs the bundle in this process. It is the reference.
type Goja struct {
	mu    sync.Mutex
	vm    *goja.Runtime // nil until the first file
	parse goja.Callable
}

// NewGoja costs nothing; the first file pays for the start.
func NewGoja() *Goja { return &Goja{} }

func (g *Goja) Name() string { return "goja" }

func (g *Goja) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.vm, g.parse = nil, nil
	return nil
}

func (g *Goja) Parse(ctx context.Context, source string, t SourceType) ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := g.start(); err != nil {
		return nil, &EngineError{g.Name(), err}
	}
	within, cancel := context.WithTimeoutCause(ctx, Timeout, errTimeout)
	defer cancel()
	// The interrupt may come after the answer, so it is cleared only when it cannot come any more.
	stopped := make(chan struct{})
	stop := context.AfterFunc(within, func() {
		g.vm.Interrupt(context.Cause(within))
		close(stopped)
	})
	answer, err := g.parse(goja.Undefined(), g.vm.ToValue(source), g.vm.ToValue(string(t)))
	if !stop() {
		<-stopped
	}
	g.vm.ClearInterrupt()
	if err == nil {
		return []byte(answer.String()), nil
	}
	g.vm, g.parse = nil, nil // a runtime that was interrupted is not used again
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &EngineError{g.Name(), err}
}

var errTimeout = fmt.Errorf("it took more than %v", Timeout)

func (g *Goja) start() error {
	if g.vm != nil {
		return nil
	}
	program, err := compiled()
	if err != nil {
		return err
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(gojaStack)
	if _, err := vm.RunProgram(program); err != nil {
		return err
	}
	parse, ok := goja.AssertFunction(vm.Get("aburnParse"))
	if !ok {
		return errors.New("the bundle has no aburnParse")
	}
	g.vm, g.parse = vm, parse
	return nil
}
