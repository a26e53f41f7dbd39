package edit

import (
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// API is the package that instrumented code imports.
const API = "@opentelemetry/api"

// Vendors are packages of makers of backends, with an SDK of their own. One that
// ends in / stands for all below it.
var Vendors = []string{
	"@appsignal/", "@aspecto/", "@baselime/", "@datadog/", "@dynatrace/", "@elastic/opentelemetry-node", "@google-cloud/trace-agent",
	"@grafana/faro-", "@highlight-run/", "@honeycombio/", "@instana/", "@logfire/", "@logtail/", "@lumigo/", "@newrelic/", "@sentry/", "@signalfx/",
	"@splunk/otel", "@traceloop/", "@uptrace/", "@vercel/otel", "applicationinsights", "aws-xray-sdk", "aws-xray-sdk-core", "dd-trace",
	"elastic-apm-node", "jaeger-client", "lightstep-tracer", "logfire", "newrelic", "opentracing", "rollbar", "scout-apm", "zipkin",
}

// IsVendor says whether a module belongs to one of [Vendors].
func IsVendor(module string) bool {
	return slices.ContainsFunc(Vendors, func(v string) bool {
		return module == v || strings.HasPrefix(module, strings.TrimSuffix(v, "/")+"/") || strings.HasSuffix(v, "-") && strings.HasPrefix(module, v)
	})
}

// isTelemetry says whether loading a module is for telemetry only.
func isTelemetry(module string) bool {
	return strings.HasPrefix(module, "@opentelemetry/") && !strings.Contains(module, "..") || IsVendor(module)
}

// spanMethods are what a statement may call on a span.
var spanMethods = []string{
	"setAttribute", "setAttributes", "addEvent", "addLink", "addLinks", "setStatus", "updateName", "recordException", "end",
}

// loaded is the module that an expression loads: require("m"), await import("m"),
// and members of these. "" for anything else.
func loaded(n *jsast.Node) string {
	for n != nil {
		switch n.Type {
		case "AwaitExpression":
			n = n.Child("argument")
		case "MemberExpression":
			n = n.Child("object")
		case "ImportExpression":
			return n.Child("source").Text("value")
		case "CallExpression":
			if args := n.List("arguments"); jsast.Path(n.Child("callee")) == "require" && len(args) == 1 && args[0].Text("kind") == "string" {
				return args[0].Text("value")
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}

// apiNames are the names that a file gives to what it loads from telemetry packages.
func apiNames(m *jsast.Module) map[string]bool {
	names := map[string]bool{}
	for _, i := range m.Imports {
		if i.Local != "" && isTelemetry(i.Module) {
			names[i.Local] = true
		}
	}
	return names
}

// getTracer says whether an expression is a call of trace.getTracer. api are the
// file's own names for it.
func getTracer(n *jsast.Node, api map[string]bool) bool {
	if n == nil || n.Type != "CallExpression" || n.Child("callee").Type != "MemberExpression" || propertyOf(n.Child("callee")) != "getTracer" {
		return false
	}
	object := n.Child("callee").Child("object")
	path := jsast.Path(object)
	root, _, _ := strings.Cut(path, ".")
	last := strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
	return api[root] || strings.HasSuffix(last, "trace") || strings.HasSuffix(last, "api") || strings.HasSuffix(last, "tracerprovider") ||
		strings.HasPrefix(last, "otel") || strings.HasPrefix(last, "opentelemetry") ||
		strings.HasPrefix(loaded(object), "@opentelemetry/") || propertyOf(object) == "trace"
}

// startedBy gives the call that starts a span, T.startActiveSpan(…) or
// T.startSpan(…), of an expression, past an await. active tells which.
func (u *undoer) startedBy(n *jsast.Node) (call *jsast.Node, active bool) {
	if n != nil && n.Type == "AwaitExpression" {
		n = n.Child("argument")
	}
	if n == nil || n.Type != "CallExpression" || n.Child("callee").Type != "MemberExpression" {
		return nil, false
	}
	method, tracer := propertyOf(n.Child("callee")), n.Child("callee").Child("object")
	if method != "startActiveSpan" && method != "startSpan" || !u.isTracer(tracer) {
		return nil, false
	}
	return n, method == "startActiveSpan"
}

func (u *undoer) isTracer(n *jsast.Node) bool {
	if getTracer(n, u.api) {
		return true
	}
	if n.Type == "Identifier" && u.tracers[u.variable(n)] {
		return true
	}
	path := jsast.Path(n)
	return strings.HasSuffix(strings.ToLower(path), "tracer")
}

// callback is the function that startActiveSpan calls; nil if the last argument is
// none, or takes more than the span.
func callback(call *jsast.Node) *jsast.Node {
	args := call.List("arguments")
	if len(args) == 0 {
		return nil
	}
	f := args[len(args)-1]
	if f == nil || f.Type != "ArrowFunctionExpression" && f.Type != "FunctionExpression" || f.Is("generator") {
		return nil
	}
	params := f.List("params")
	if len(params) > 1 || len(params) == 1 && params[0].Type != "Identifier" {
		return nil
	}
	return f
}

// spanCall is a method called on a span, and what it was called on.
type spanCall struct {
	call   *jsast.Node
	method string
	on     *jsast.Node // the span: an identifier, or a call of getActiveSpan
}

// spanCalls takes an expression such as span.setAttribute("a", 1).end() apart, the
// first call first. nil for anything else.
func (u *undoer) spanCalls(n *jsast.Node) []spanCall {
	if n != nil && n.Type == "ChainExpression" {
		n = n.Child("expression")
	}
	if n == nil || n.Type != "CallExpression" || n.Child("callee").Type != "MemberExpression" {
		return nil
	}
	method, object := propertyOf(n.Child("callee")), n.Child("callee").Child("object")
	if !slices.Contains(spanMethods, method) {
		return nil
	}
	if u.isSpan(object) {
		return []spanCall{{n, method, object}}
	}
	before := u.spanCalls(object)
	if before == nil {
		return nil
	}
	return append(before, spanCall{n, method, before[0].on})
}

// isSpan says whether an expression is a span: a variable that holds one, a name
// that an added wrapper around it gives to its span, or the active span.
func (u *undoer) isSpan(n *jsast.Node) bool {
	if n.Type == "Identifier" {
		if v := u.variable(n); v != nil && u.spanVars[v] {
			return true
		}
		return u.spanNamed(n.Text("name")) != nil
	}
	return activeSpan(n)
}

func activeSpan(n *jsast.Node) bool {
	return n != nil && n.Type == "CallExpression" && len(n.List("arguments")) == 0 && strings.HasSuffix(jsast.Path(n.Child("callee")), "trace.getActiveSpan")
}

// variable gives what an identifier of the new file means; nil for what the file
// does not declare.
func (u *undoer) variable(n *jsast.Node) *jsast.Variable {
	r, ok := u.references[n.Start]
	if !ok || r.Name != n.Text("name") {
		return nil
	}
	return u.new.Scopes.Resolve(r)
}

// index finds the variables of the new file that hold spans and tracers.
func (u *undoer) index() {
	u.api = apiNames(u.new)
	for i := range u.new.Scopes.All {
		for _, r := range u.new.Scopes.All[i].References {
			u.references[r.Start] = r
		}
	}
	definitions := map[int]*jsast.Variable{}
	for i := range u.new.Scopes.All {
		vars := u.new.Scopes.All[i].Variables
		for j := range vars {
			for _, d := range vars[j].Definitions {
				definitions[d.Name.Start] = &vars[j]
			}
		}
	}
	u.definitions = definitions
	jsast.Walk(u.new.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		if n.Type == "VariableDeclarator" && n.Child("id").Type == "Identifier" && getTracer(n.Child("init"), u.api) {
			u.tracers[definitions[n.Child("id").Start]] = true
		}
		return true
	})
	jsast.Walk(u.new.Tree, func(n *jsast.Node, _ []*jsast.Node) bool {
		switch n.Type {
		case "VariableDeclarator":
			call, active := u.startedBy(n.Child("init"))
			if id := n.Child("id"); id.Type == "Identifier" && (call != nil && !active || activeSpan(n.Child("init"))) {
				u.spanVars[definitions[id.Start]] = true
			}
		case "CallExpression":
			if call, active := u.startedBy(n); active {
				if f := callback(call); f != nil && len(f.List("params")) == 1 {
					u.spanVars[definitions[f.List("params")[0].Start]] = true
				}
			}
		}
		return true
	})
	delete(u.spanVars, nil)
	delete(u.tracers, nil)
}
