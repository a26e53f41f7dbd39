package rules

import (
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/scan"
)

// facts are what several rules need to know.
type facts struct {
	imports []jsast.Import    // loads in the later file that the original has not
	uses    []jsast.Reference // added uses of names
	global  map[string]bool   // names that the original uses without declaring them
	scanned map[*jsast.Node]*scan.Function
}

func (p *Pair) known() *facts {
	if p.facts != nil {
		return p.facts
	}
	f := &facts{global: map[string]bool{}}
	type key struct {
		form                    jsast.ImportForm
		module, imported, local string
	}
	had := map[key]int{}
	for _, i := range p.Orig.Imports {
		had[key{i.Form, i.Module, i.Imported, i.Local}]++
	}
	for _, i := range p.New.Imports {
		k := key{i.Form, i.Module, i.Imported, i.Local}
		if had[k]--; had[k] < 0 {
			f.imports = append(f.imports, i)
		}
	}
	for i := range p.Orig.Scopes.All {
		for _, r := range p.Orig.Scopes.All[i].References {
			if p.Orig.Scopes.Resolve(r) == nil {
				f.global[r.Name] = true
			}
		}
	}
	for i := range p.New.Scopes.All {
		for _, r := range p.New.Scopes.All[i].References {
			if p.Undone().Added(r) {
				f.uses = append(f.uses, r)
			}
		}
	}
	slices.SortFunc(f.uses, func(a, b jsast.Reference) int { return a.Start - b.Start })
	p.facts = f
	return f
}

// globals are names that every JavaScript host has, or node.
var globals = strings.Fields(`AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean
	Buffer DataView Date Error EvalError Event EventTarget FinalizationRegistry Float32Array Float64Array FormData Function Headers Infinity Int16Array
	Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Request Response Set
	SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array
	Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly arguments atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI
	decodeURIComponent document encodeURI encodeURIComponent escape eval fetch global globalThis isFinite isNaN navigator parseFloat parseInt
	performance process queueMicrotask setImmediate setInterval setTimeout structuredClone undefined unescape window`)

var commonGlobals = []string{"require", "module", "exports", "__dirname", "__filename"}

// undeclared says whether an added use means nothing.
func (p *Pair) undeclared(r jsast.Reference) bool {
	// Where eval may declare names, scopes resolve none; by its place the name means what is declared around it.
	if p.New.Scopes.Resolve(r) != nil || p.New.Scopes.Lookup(r.Start, r.Name) != nil || p.known().global[r.Name] || slices.Contains(globals, r.Name) {
		return false
	}
	return p.New.Type != jsast.CommonJS || !slices.Contains(commonGlobals, r.Name)
}

// apiExports are the values that the API exports, from 1.0 on; logs from 1.10 on.
var apiExports = strings.Fields(`DiagConsoleLogger DiagLogLevel INVALID_SPANID INVALID_SPAN_CONTEXT INVALID_TRACEID ProxyTracer ProxyTracerProvider
	ROOT_CONTEXT SamplingDecision SpanKind SpanStatusCode TraceFlags ValueType baggageEntryMetadataFromString context createContextKey createNoopMeter
	createTraceState default defaultTextMapGetter defaultTextMapSetter diag isSpanContextValid isValidSpanId isValidTraceId logs metrics propagation trace *`)

// apiDefault are the members of the API's default export, as of 1.10. Before that
// node gave all of apiExports by it, and bundlers these without logs.
var apiDefault = []string{"context", "diag", "logs", "metrics", "propagation", "trace"}

// isHelper says whether instrumented code calls what it needs by this name.
func isHelper(name string) bool {
	return slices.Contains([]string{"trace", "context", "propagation", "SpanStatusCode", "SpanKind", "api", "opentelemetry", "otel"}, name) ||
		strings.HasSuffix(strings.ToLower(name), "tracer")
}

// original gives the function of the original that a span was added to; nil at the top level.
func (p *Pair) original(s *edit.Span) *jsast.Function { return p.Undone().Original(s) }

func isFunction(n *jsast.Node) bool {
	return n.Type == "FunctionDeclaration" || n.Type == "FunctionExpression" || n.Type == "ArrowFunctionExpression"
}

// property is p of o.p; "" for anything else.
func property(n *jsast.Node) string {
	path := jsast.Path(n)
	if n == nil || n.Type != "MemberExpression" {
		return ""
	}
	if path == "" && !n.Is("computed") {
		return n.Child("property").Text("name")
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

// made is the expression that gave a constant its value, and any other expression
// itself; nil for a name that is no constant.
func (p *Pair) made(n *jsast.Node) *jsast.Node {
	if n.Type != "Identifier" {
		return n
	}
	v := p.New.Scopes.Lookup(n.Start, n.Text("name"))
	if v == nil || len(v.Definitions) != 1 || v.Definitions[0].Kind != "const" {
		return nil
	}
	var value *jsast.Node
	jsast.Walk(p.New.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "VariableDeclarator" && n.Range == v.Definitions[0].Node && n.Child("id").Type == "Identifier" {
			value = n.Child("init")
		}
		return n.Holds(v.Definitions[0].Node)
	})
	return value
}

// text is the value of a string, or of a template without expressions.
func text(n *jsast.Node) (string, bool) {
	switch {
	case n == nil:
		return "", false
	case n.Type == "Literal" && n.Text("kind") == "string":
		return n.Text("value"), true
	case n.Type == "TemplateLiteral" && len(n.List("expressions")) == 0:
		return n.List("quasis")[0].Text("raw"), true
	}
	return "", false
}
