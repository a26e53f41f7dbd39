package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/provider"
	"aburn/instrument/registry"
	"aburn/instrument/scan"
	"aburn/internal/plain"
	"aburn/internal/scrub"
)

// maxRewritten bounds an answer that is a whole file, in tokens: many models give no more.
const maxRewritten = 32_000

// NewRewriting is as NewContract, for answers that are whole files. tracer is what the
// project's tracer is called.
func NewRewriting(r *registry.Resolved, namespace, tracer string, imported []string) *Contract {
	c := &Contract{Namespace: namespace, Resolved: r, told: map[string]bool{}, rewrites: true}
	name := plain.OneLine(tracer, 100)
	c.begin(imported, rewritingRole, strings.ReplaceAll(rewritingRules+rewritingExamples, "TRACER", strings.NewReplacer("'", "", `\`, "").Replace(name))+
		rewritingForm)
	return c
}

const rewritingSchema = `{"type":"object","additionalProperties":false,"required":["code","newSpans","newAttributes","libraries","notes"],` +
	`"properties":{"code":{"type":"string"},` + newNames

// rewriting is the question for a whole file. A mistake is mended in the same dialogue,
// of which only the last answer is kept.
func (c *Contract) rewriting(q Question) provider.Request {
	r := provider.Request{System: c.system, Turns: []provider.Turn{{Role: "user", Text: c.text(q)}}, Schema: json.RawMessage(rewritingSchema),
		MaxOutput: RewritingBound(q.File, q.Source)}
	if q.Before == nil {
		return r
	}
	var before bytes.Buffer
	if json.Compact(&before, q.Before) != nil {
		before.Reset()
	}
	var b strings.Builder
	b.WriteString("The file that you gave has these mistakes:\n")
	facts(&b, q.Facts)
	b.WriteString("\nGive the file, whole, without them.\n")
	r.Turns = append(r.Turns, provider.Turn{Role: "assistant", Text: before.String()}, provider.Turn{Role: "user", Text: b.String()})
	return r
}

// RewritingBound is how many tokens an answer with a whole file may have: the file as a
// JSON string, its spans, and what the model thinks before.
func RewritingBound(f *scan.File, source []byte) int {
	return min(answerBase+2*answerEach*f.Candidates()+fileTokens(source)*5/4, maxRewritten)
}

func fileTokens(source []byte) int { return len(source) * 2 / 7 }

// sent is a file's text as a model gets it that is to give it back: all of it, with
// simple ends of lines.
func sent(source []byte) string {
	return strings.TrimPrefix(strings.ReplaceAll(string(source), "\r\n", "\n"), "\uFEFF")
}

// Unsendable says why a file cannot be given to a model that is to give it back whole;
// "" where it can. What is taken out of a file before it is sent would be missing afterwards.
func Unsendable(source []byte) string {
	text := sent(source)
	if clean, n := scrub.Text(text); n > 0 {
		return fmt.Sprintf("line %d holds what looks like a secret; mode plan sends the file without it", firstDifference(text, clean))
	}
	if shown := plain.ModelText(text); shown != text {
		return fmt.Sprintf("line %d holds a character that no model is shown; mode plan can be used", firstDifference(text, shown))
	}
	if n := fileTokens(source); n > maxRewritten*3/4 {
		return fmt.Sprintf("the file has about %d tokens, too many for one answer; mode plan can be used", n)
	}
	return ""
}

// firstDifference is the first line, from 1, in which two texts differ.
func firstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + strings.Count(a[:n], "\n")
}

// Rewritten is an answer that is a whole file.
type Rewritten struct {
	Code          string              `json:"code"`
	NewSpans      []edit.NewSpan      `json:"newSpans"`
	NewAttributes []edit.NewAttribute `json:"newAttributes"`
	Libraries     []string            `json:"libraries"`
	Notes         []string            `json:"notes"`
}

// ReadRewritten takes such an answer apart, as Read does with a plan. Its code is judged
// elsewhere.
func ReadRewritten(answer json.RawMessage, f *scan.File) (out Rewritten, facts []string, err error) {
	if len(answer) > maxAnswerBytes {
		return out, nil, fmt.Errorf("the answer has %d KB", len(answer)>>10)
	}
	var got Rewritten
	if err := decode(answer, &got); err != nil {
		return out, nil, err
	}
	if strings.TrimSpace(got.Code) == "" {
		return out, nil, errors.New("the model's answer doesn't match the schema: code is empty")
	}
	r := &reading{file: f, seen: map[string]bool{}}
	out.Code = got.Code
	out.NewSpans, out.NewAttributes = r.newNames(got.NewSpans, got.NewAttributes)
	out.Libraries, out.Notes = r.libraries(got.Libraries), notes(got.Notes)
	return out, r.facts, nil
}

const rewritingRole = `You put OpenTelemetry spans into JavaScript. You are given one file, and give it back whole, with its spans.
Spans are all that you add. A program takes them out of your file again and compares the rest with the original: names, strings, comments, order, error handling. A file in which anything else differs is not taken.
Few good spans are worth more than many.
`

const rewritingRules = `
# Rules

- Only candidates get a span. Leave a function without one if it is no operation of its own.
- A span stands around all of a function's body, in one form: startActiveSpan with an arrow function, async exactly if the function is; in it try with the body, catch that records the error, sets the status and throws the same error, finally that ends the span. Its result is returned.
- The module imports trace and SpanStatusCode from '@opentelemetry/api', by require in CommonJS, and has one tracer: const tracer = trace.getTracer('TRACER'); below its imports. Nothing else of OpenTelemetry is imported.
- Use the registry's span where one fits. Else add one to newSpans, below the namespace, with a brief and its kind (internal, server, client, producer, consumer).
- Use the registry's attributes. Else add one to newAttributes, with type (string, int, double, boolean), brief and one example. At most five a file. A new name is no variant of one that exists (order.id and orderId).
- Keys and span names are string constants. An attribute's value reads parameters, locals, members of them, literals and templates, and calls nothing but String and Number. It cannot throw: if (order?.id != null) span.setAttribute('shop.order.id', order.id);
- A catch of the file that does not throw its error again records nothing.
- Where span, tracer, trace, SpanStatusCode or error mean something in the file already, yours are called otelSpan, otelTracer, and so on.
- Never set personal data (names, mail addresses, phone numbers, tokens), whole objects, or bodies.
- The value's kind fits the attribute's type: .length is an int, a template is a string.
- libraries: only packages that make spans by themselves for what the file imports.
`

const rewritingExamples = `
# Examples

1. Before:
export async function placeOrder(order) {
  const bill = await pay(order.id);
  return bill.length;
}
After:
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('TRACER');
export async function placeOrder(order) {
  return tracer.startActiveSpan('shop.order.place', async (span) => {
    try {
      if (order?.id != null) span.setAttribute('shop.order.id', order.id);
      const bill = await pay(order.id);
      return bill.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
2. A function with a try and catch of its own: all of them stand in the body of the added try, as they were.
3. A function that only calls another one stays as it is.
4. A parameter is called span: the callback is async (otelSpan) => { … }, and otelSpan.end() ends it.
5. A function that only waits for pg's query stays as it is, and pg is in libraries.
`

const rewritingForm = `
# Form

Answer with one JSON object of the form that was given, and nothing else. All members are there; lists may be empty. code is the whole file. A comment that stands for code, such as // ... or // existing code, is a mistake.
`
