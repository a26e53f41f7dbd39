package export

import (
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

// SchemaURL is the version of the semantic conventions whose names are used. Those of GenAI are in development there.
const SchemaURL = "https://opentelemetry.io/schemas/1.41.0"

type attributes []*commonpb.KeyValue

func (a *attributes) str(key, value string) {
	if value != "" {
		*a = append(*a, &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}})
	}
}

func (a *attributes) num(key string, value int64) {
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: value}}})
}

func (a *attributes) yes(key string) {
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}}})
}

func (a *attributes) list(key, value string) {
	if value == "" {
		return
	}
	item := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{item}}}}})
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
