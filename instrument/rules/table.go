package rules

import (
	"slices"
	"strings"
)

// Table is all rules. Their order is that of the families in the guide.
func Table() []Rule {
	return []Rule{
		{"NDS-001", "the file parses, and each added name is declared", Blocking, true, "a file that does not load breaks all that imports it", "import { trace, SpanStatusCode } from '@opentelemetry/api';", syntax},
		{"NDS-003", "nothing but instrumentation changed", Blocking, true, "instrumentation must not change what the code does", "take the change back; add only imports, the tracer, the wrapper and calls on the span", nothingElse},
		{"NDS-004", "exports and signatures are unchanged", Blocking, false, "callers rely on names, parameters and async", "export async function place(order, options = {}) { … }", signatures},
		{"NDS-005", "error handling is unchanged", Blocking, false, "a moved try, catch or throw handles other errors than before", "keep each try, catch, finally and throw where it was", errorHandling},
		{"NDS-006", "imports fit the module system", Blocking, false, "require is not defined in an ES module, import is no CommonJS", "const { trace } = require('@opentelemetry/api'); in CommonJS", moduleSystem},
		{"NDS-007", "handled errors are not recorded", Blocking, false, "an error that the code expects and handles is no failure of the span", "catch (error) { span.recordException(error); throw error; }", handledErrors},
		{"ELISION", "no code was left out", Blocking, false, "a comment in place of code deletes the code", "write the whole file", elision},
		{"LINT", "the project's linter finds nothing new", Blocking, false, "a finding of the linter fails the project's own checks", "change the code, or the rule in ESLint's configuration", nil},
		{"SAF-001", "no name hides another", Blocking, true, "code that used a name would get another value", "tracer.startActiveSpan('a.b', (otelSpan) => { … })", shadowing},
		{"SAF-002", "the wrapper keeps what the function means", Blocking, true, "callers would get another result, or another error", "return tracer.startActiveSpan('a.b', async (span) => { try { … } catch (error) { …; throw error; } finally { span.end(); } });", meaning},
		{"SAF-003", "helpers are imported", Blocking, true, "a helper that is missing throws when the function runs", "import { trace, SpanStatusCode } from '@opentelemetry/api';", helpersImported},
		{"SAF-004", "nothing unused was added", Advisory, true, "unused code confuses, and linters complain", "remove the import or the tracer", unused},
		{"SAF-005", "attribute expressions cannot do harm", Advisory, true, "an expression that throws or changes something harms the code that it describes", "if (order?.id != null) span.setAttribute('shop.order.id', order.id);", expressions},
		{"API-001", "only the API is imported", Blocking, true, "libraries depend on the API only; the application chooses the SDK", "import { trace } from '@opentelemetry/api';", onlyAPI},
		{"API-002", "package.json holds the API in the right place", Advisory, false, "two copies of the API do not see one another's spans; none cannot be loaded", `"dependencies": {"@opentelemetry/api": "^1.9.0"}; where others install the package, peerDependencies and devDependencies`, nil},
		{"API-003", "no vendor's SDK was added", Blocking, false, "instrumentation must work with every backend", "import { trace } from '@opentelemetry/api';", vendors},
		{"API-004", "the SDK is set up in one place", Blocking, false, "a second set-up cancels the first silently", "import SDK packages only in the file that sets up telemetry", setUp},
		{"COV-001", "entry points have spans", Advisory, false, "an operation without a span is not seen", "export async function place(order) { return tracer.startActiveSpan('shop.order.place', …); }", entryPoints},
		{"COV-002", "calls out of the program have spans", Advisory, false, "what is slow or fails is mostly outside", "tracer.startActiveSpan('shop.report.write', async (span) => { …writeFile(name)… })", externalCalls},
		{"COV-003", "spans record errors", Blocking, false, "a failed operation would look like a good one", "catch (error) { span.recordException(error); span.setStatus({ code: SpanStatusCode.ERROR }); throw error; }", errorsRecorded},
		{"COV-004", "async functions have a span, or a reason for none", Advisory, false, "what waits is what takes long", "a span; or none, where a function with a span is the only caller", asyncFunctions},
		{"COV-005", "a span has the attributes that the registry wants", Advisory, false, "whoever reads the spans relies on them", "span.setAttribute('shop.order.id', order.id);", attributesSet},
		{"COV-006", "no span around what a library covers", Blocking, false, "the same operation would be counted twice", "remove the span; the library makes one", coveredTwice},
		{"RST-001", "no spans on small functions inside", Blocking, false, "a span costs more than such a function, and tells nothing", "remove the span", smallFunctions},
		{"RST-002", "no spans on accessors", Blocking, false, "reading a property is no operation", "remove the span", accessors},
		{"RST-003", "no spans on functions that only call another", Advisory, false, "the span of the one that is called says the same", "remove the span", thinFunctions},
		{"RST-004", "no spans on internal functions without input or output", Advisory, false, "spans tell of operations, not of how code is divided", "remove the span", internalFunctions},
		{"RST-005", "no second span in a function that makes spans", Blocking, false, "the same operation would be counted twice", "leave the function as it is", ownSpans},
		{"RST-006", "no span around process.exit", Blocking, false, "the process ends before the span does, so the span is lost", "remove the span", exits},
		{"SCH-001", "the registry has the span", Blocking, false, "a span that nobody agreed on is found by nobody", "tracer.startActiveSpan('shop.order.place', …), with span.shop.order.place in the registry", spansInRegistry},
		{"SCH-002", "the registry has the attributes", Blocking, false, "an attribute that nobody agreed on is found by nobody", "span.setAttribute('shop.order.id', order.id);", keysInRegistry},
		{"SCH-003", "values are of the registry's type", Blocking, false, "a backend drops, or splits, an attribute of two types", "span.setAttribute('shop.order.count', order.items.length);", valuesFit},
		{"SCH-004", "a new name is no variant of one that is there", Blocking, false, "two names for one thing split every question about it", "use the name that is there", newNames},
		{"SCH-005", "each span that the registry wants of a function is made", Advisory, false, "whoever reads the spans waits for one that never comes", "put the span there, or take it out of the registry", nil},
		{"CDQ-001", "a span ends exactly once on every path", Blocking, false, "a span that does not end is never exported", "finally { span.end(); }", ended},
		{"CDQ-002", "the tracer has a name", Blocking, false, "the name says which code made a span", "trace.getTracer('shop')", tracerNamed},
		{"CDQ-003", "errors are recorded in full", Blocking, false, "backends count failures by status and show the exception", "span.recordException(error); span.setStatus({ code: SpanStatusCode.ERROR });", recordedInFull},
		{"CDQ-005", "spans are active", Advisory, false, "spans below a span that is not active have no parent", "tracer.startActiveSpan('a.b', (span) => { … })", active},
		{"CDQ-006", "costly values only where they are recorded", Advisory, false, "an unsampled span should cost nothing", "if (span.isRecording()) span.setAttribute('a.ids', list.map((x) => x.id));", costly},
		{"CDQ-007", "attributes hold no personal data and no whole objects", Blocking, false, "telemetry is stored elsewhere, for long, and is read by many", "span.setAttribute('shop.order.id', order.id);", personal},
		{"CDQ-009", "guards test for null too", Advisory, false, "null is as little a value as undefined", "if (order.id != null) span.setAttribute('shop.order.id', order.id);", nullGuards},
		{"CDQ-010", "string methods only on strings", Advisory, false, "a number has no such method, and the call throws", "String(order.total).slice(0, 2)", stringMethods},
		{"CDQ-011", "the project has one tracer name", Blocking, false, "spans of one project belong together", "trace.getTracer('shop')", oneTracer},
	}
}

// NeedsRegistry says whether a rule finds nothing without a registry: which spans and
// attributes a project wants only that says.
func (r *Rule) NeedsRegistry() bool {
	return strings.HasPrefix(r.ID, "SCH-") || slices.Contains([]string{"COV-001", "COV-002", "COV-004", "COV-005", "COV-006", "RST-001", "RST-003", "RST-004"}, r.ID)
}
