package edit

import "fmt"

// Plan says which spans to put into one file. It holds choices only: [Apply] writes
// all code. Members are named as a model or a person writes them.
type Plan struct {
	Functions     []Choice       `json:"functions"`
	NewSpans      []NewSpan      `json:"newSpans,omitempty"`
	NewAttributes []NewAttribute `json:"newAttributes,omitempty"`
	Libraries     []string       `json:"libraries,omitempty"`
	Notes         []string       `json:"notes,omitempty"`
}

// Choice is what happens to one function.
type Choice struct {
	ID         string      `json:"id"`             // of jsast.Function
	Name       string      `json:"name,omitempty"` // of the function, as a scan says it; checked where it is given
	Action     string      `json:"action"`         // span, skip
	Span       string      `json:"span,omitempty"`
	Tier       int         `json:"tier,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is one attribute of a span and the expression for its value.
type Attribute struct {
	Key  string `json:"key"`
	Expr string `json:"expr"`
	// At is "start" (or empty), or "after:LINE": behind the declaration on that line,
	// which stands in the function's own block.
	At string `json:"at,omitempty"`
}

// SpanKinds are the kinds of the API, as a plan and a registry write them.
var SpanKinds = []string{"internal", "server", "client", "producer", "consumer"}

// NewSpan is a span that the registry does not have yet.
type NewSpan struct {
	ID         string   `json:"id"`
	Kind       string   `json:"kind,omitempty"`
	Brief      string   `json:"brief,omitempty"`
	Attributes []string `json:"attributes,omitempty"`
}

// NewAttribute is an attribute that the registry does not have yet.
type NewAttribute struct {
	Key      string   `json:"key"`
	Type     string   `json:"type"`
	Brief    string   `json:"brief,omitempty"`
	Examples []string `json:"examples,omitempty"`
}

// Names are the names that a plan leaves open.
type Names struct {
	Tracer string            // what getTracer is called with
	Kinds  map[string]string // the kinds of spans, by name; a span that is missing is internal
}

// Dropped is a choice that was not made, with the reason.
type Dropped struct {
	Function  string // its id
	Attribute string // its key; "" for the span itself
	Reason    string
}

func (d Dropped) String() string {
	if d.Attribute != "" {
		return fmt.Sprintf("%s, attribute %s: %s", d.Function, d.Attribute, d.Reason)
	}
	return fmt.Sprintf("%s: %s", d.Function, d.Reason)
}
