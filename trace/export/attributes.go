package export

import "strings"

// SchemaURL is the version of the semantic conventions whose names are used. Those of GenAI are in development there.
const SchemaURL = "https://opentelemetry.io/schemas/1.41.0"

// attributes are keys with values, each value as it stands on the wire: an AnyValue.
type attributes []attribute

type attribute struct {
	key   string
	value message
}

func (a *attributes) str(key, value string) {
	if value != "" {
		var v message
		v.str(1, value)
		*a = append(*a, attribute{key, v})
	}
}

func (a *attributes) num(key string, value int64) {
	var v message
	v.num(3, uint64(value))
	*a = append(*a, attribute{key, v})
}

func (a *attributes) yes(key string) {
	var v message
	v.num(2, 1)
	*a = append(*a, attribute{key, v})
}

// list is a list of one text.
func (a *attributes) list(key, value string) {
	if value != "" {
		var item, values, v message
		item.str(1, value)
		values.sub(1, item)
		v.sub(5, values)
		*a = append(*a, attribute{key, v})
	}
}

// provider is the well-known name of who serves a model, as gen_ai.provider.name has it; the transcripts name the model
// only. "" for a model whose name does not tell.
func provider(model string) string {
	for _, p := range []struct{ prefix, name string }{
		{"claude-", "anthropic"}, {"gpt-", "openai"}, {"codex-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
		{"gemini-", "gcp.gemini"}, {"mistral-", "mistral_ai"}, {"deepseek-", "deepseek"}, {"grok-", "x_ai"},
	} {
		if strings.HasPrefix(model, p.prefix) {
			return p.name
		}
	}
	return ""
}
