package rules

import (
	"slices"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

// Added is one span that the later file has and the original has not.
type Added struct {
	Name string // "" where it is no constant
	// Function is the function of the original around it; nil at the top level.
	Function   *jsast.Function
	Attributes []string // constant keys that are set on it, each once
}

// Added are the spans that were added, by place. keys are all constant keys of attributes
// that were added, also those on spans that were there before.
func (p *Pair) Added() (spans []Added, keys []string) {
	of := map[*edit.Span]*Added{}
	made := p.Undone().Spans
	spans = make([]Added, len(made))
	for i, s := range made {
		spans[i].Name, _ = p.spanName(s)
		spans[i].Function = p.originalOf(s.Orig)
		of[s] = &spans[i]
	}
	for _, a := range p.attributes() {
		if a.key == "" {
			continue
		}
		if on := of[a.call.Span]; on != nil && !slices.Contains(on.Attributes, a.key) {
			on.Attributes = append(on.Attributes, a.key)
		}
		if !slices.Contains(keys, a.key) {
			keys = append(keys, a.key)
		}
	}
	return spans, keys
}

func (p *Pair) originalOf(n *jsast.Node) *jsast.Function {
	for i := range p.Orig.Functions {
		if n != nil && p.Orig.Functions[i].Node.Range == n.Range {
			return &p.Orig.Functions[i]
		}
	}
	return nil
}
