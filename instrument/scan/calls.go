package scan

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// Call is a call that leaves the program.
type Call struct {
	Call      string   `json:"call"` // fs.readFile
	Package   string   `json:"package"`
	Line      int      `json:"line"`
	CoveredBy []string `json:"coveredBy,omitempty"`
}

// callFacts are what a verdict needs to know of a function's own calls.
type callFacts struct {
	calls     []Call
	ownWork   bool   // it waits for something that no library covers
	handlerOf string // the server that calls it
}

func (f *callFacts) external() []Call {
	return append([]Call{}, f.calls...)
}

func (f *callFacts) uncovered() *Call {
	for i := range f.calls {
		if len(f.calls[i].CoveredBy) == 0 {
			return &f.calls[i]
		}
	}
	return nil
}

// offByDefault are libraries for node's own modules that the usual bundle does not enable: a span for
// each small call would hide the operation that makes them.
var offByDefault = map[string]string{
	"fs": "@opentelemetry/instrumentation-fs", "fs/promises": "@opentelemetry/instrumentation-fs", "dns": "@opentelemetry/instrumentation-dns",
	"dns/promises": "@opentelemetry/instrumentation-dns", "net": "@opentelemetry/instrumentation-net",
}

func (c *Call) reason() string {
	if l := offByDefault[c.Package]; l != "" {
		return "it calls " + c.Call + " of " + c.Package + ", and its library (" + l + ") is off by default"
	}
	return "it calls " + c.Call + " of " + c.Package + ", which no library covers"
}

func (f *callFacts) libraries() (names []string) {
	for _, c := range f.calls {
		for _, l := range c.CoveredBy {
			if !slices.Contains(names, l) {
				names = append(names, l)
			}
		}
	}
	return names
}

// callsOf finds the calls of a function. Those in callbacks without a name are its own.
func (o *origins) callsOf(f *jsast.Function) *callFacts {
	facts := &callFacts{handlerOf: o.handlers[f.Node]}
	jsast.Walk(f.Node, func(n *jsast.Node, above []*jsast.Node) bool {
		if n != f.Node && isFunction(n) && o.functions[n].Name != "" {
			return false
		}
		switch n.Type {
		case "CallExpression", "NewExpression":
			if c, ok := o.leaves(n, above); ok {
				facts.calls = append(facts.calls, c)
			}
		case "AwaitExpression":
			facts.ownWork = facts.ownWork || !o.coveredValue(n.Child("argument"))
		case "ForOfStatement":
			facts.ownWork = facts.ownWork || n.Is("await")
		}
		return true
	})
	return facts
}

// coveredValue says whether all that is waited for in an expression is covered.
func (o *origins) coveredValue(n *jsast.Node) bool {
	return n != nil && n.Type != "AwaitExpression" && len(libraryNames(o.of(n))) > 0
}

// leaves says whether a call leaves the program.
func (o *origins) leaves(n *jsast.Node, above []*jsast.Node) (Call, bool) {
	if inChain(n, above) || isThen(n.Child("callee")) {
		return Call{}, false
	}
	pkg := o.of(n)
	if pkg == "" || o.loaded(n) != "" {
		return Call{}, false
	}
	c := Call{Call: callName(n, pkg), Package: pkg, Line: o.m.Pos(n.Start).Line, CoveredBy: libraryNames(pkg)}
	waits := waitedFor(n, above)
	switch {
	case slices.Contains(outside, pkg):
		return c, n.Type == "CallExpression" && !slices.Contains(staying, lastName(n.Child("callee")))
	case wrapped[pkg] != "":
		name := lastName(n.Child("callee"))
		return c, n.Type == "CallExpression" && !slices.Contains(staying, name) && !strings.HasSuffix(name, "Sync")
	case len(c.CoveredBy) > 0:
		return c, waits != noWait || handsOver(n)
	}
	return c, waits == awaited && n.Type == "CallExpression" && thirdParty(pkg)
}

// staying are functions of node's outside modules, and methods of what they give, that only compute
// or set something.
var staying = []string{"isIP", "isIPv4", "isIPv6", "on", "once", "off", "addListener", "prependListener", "removeListener", "removeAllListeners", "bind",
	"setEncoding", "setTimeout", "setKeepAlive", "setNoDelay", "ref", "unref", "createSecureContext", "getCiphers", "getServers"}

// computing are node's modules that only compute.
var computing = []string{"assert", "async_hooks", "buffer", "console", "constants", "crypto", "events", "module", "os", "path", "perf_hooks", "process",
	"punycode", "querystring",
	"readline", "readline/promises", "stream", "stream/promises", "string_decoder", "test", "timers", "timers/promises", "tty", "url", "util", "v8", "vm",
	"worker_threads", "zlib"}

func thirdParty(pkg string) bool {
	return !slices.Contains(computing, pkg) && !slices.Contains(inside, pkg)
}

func callName(n *jsast.Node, pkg string) string {
	callee := n.Child("callee")
	if path := jsast.Path(callee); path != "" {
		return path
	}
	if name := lastName(callee); name != "" {
		return pkg + "…" + name
	}
	return pkg
}

// inChain says whether a call is only the beginning of a longer one: knex('t') in
// knex('t').where(x).first(). A promise's own methods, and those that only set something, end a chain.
func inChain(n *jsast.Node, above []*jsast.Node) bool {
	if len(above) < 2 {
		return false
	}
	member, call := above[len(above)-1], above[len(above)-2]
	return member.Type == "MemberExpression" && member.Child("object") == n && call.Type == "CallExpression" && call.Child("callee") == member &&
		!isThen(member) && !slices.Contains(staying, lastName(member))
}

func isThen(member *jsast.Node) bool {
	if member == nil || member.Type != "MemberExpression" {
		return false
	}
	return slices.Contains([]string{"then", "catch", "finally"}, lastName(member))
}

type waiting uint8

const (
	noWait  waiting = iota
	handed          // its result is returned
	awaited         // its result is waited for here
)

// waitedFor says whether somebody waits for what a call gives.
func waitedFor(n *jsast.Node, above []*jsast.Node) waiting {
	for i := len(above) - 1; i >= 0; i-- {
		p := above[i]
		switch {
		case p.Type == "AwaitExpression", p.Type == "ForOfStatement" && p.Is("await"):
			return awaited
		case p.Type == "MemberExpression" && p.Child("object") == n:
			if isThen(p) {
				return awaited
			}
		case p.Type == "ChainExpression":
		case p.Type == "CallExpression" && p.Child("callee") == n:
		case p.Type == "ReturnStatement", p.Type == "ArrowFunctionExpression" && p.Child("body") == n:
			return handed
		default:
			return noWait
		}
		n = p
	}
	return noWait
}

// handsOver says whether a call is given a function to call with its result.
func handsOver(n *jsast.Node) bool {
	return slices.ContainsFunc(n.List("arguments"), func(a *jsast.Node) bool { return a != nil && isFunction(a) })
}
