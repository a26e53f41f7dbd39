package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/plain"
)

// Tool answers one kind of question. It changes nothing, unless it says so.
type Tool struct {
	writes, apart            bool
	name, title, description string
	input, output            reflect.Type
	explained                [][2]string // arguments and their descriptions
	answer                   func(context.Context, Asker, json.RawMessage) (*Answer, error)
}

// NewTool makes a tool of a function. In is a struct; its jsonschema tags tell the model what the
// fields mean. Data is the type of Answer.Data. The function's error is the reason for having no
// answer, and says what to do.
func NewTool[In, Data any](name, title, description string, answer func(context.Context, Asker, In) (*Answer, error)) Tool {
	return Tool{
		name: name, title: title, description: description, input: reflect.TypeFor[In](), output: reflect.TypeFor[Data](),
		answer: func(ctx context.Context, who Asker, arguments json.RawMessage) (*Answer, error) {
			var in In
			if err := decode(arguments, &in); err != nil {
				return nil, fmt.Errorf("arguments of %s: %w\nhint: %s", name, err, known(reflect.TypeFor[In]()))
			}
			return answer(ctx, who, in)
		},
	}
}

// Writing is the tool, as one that changes something.
func (t Tool) Writing() Tool {
	t.writes = true
	return t
}

// Explain is the tool, with a description of an argument that is known only when it runs. A tool without the argument stays as it is.
func (t Tool) Explain(argument, description string) Tool {
	t.explained = append(slices.Clip(t.explained), [2]string{argument, description})
	return t
}

// Apart is the tool, as one whose work another process does: it and other questions need not wait for one another.
func (t Tool) Apart() Tool {
	t.apart = true
	return t
}

// known lists the arguments.
func known(in reflect.Type) string {
	var names []string
	for _, f := range reflect.VisibleFields(in) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	if names == nil {
		return "it takes none"
	}
	return "it takes " + strings.Join(names, ", ")
}

// decode reads the arguments. An unknown argument is an error, because the filter that it was
// meant to be would be missing.
func decode(arguments json.RawMessage, into any) error {
	if len(bytes.TrimSpace(arguments)) == 0 || bytes.Equal(bytes.TrimSpace(arguments), []byte("null")) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return argumentError(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("more than one JSON value")
	}
	return nil
}

// argumentError words an error of package json without Go's names, which mean nothing to a model.
func argumentError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case wrong.Field == "":
		return fmt.Errorf("must be an object, not %s", jsonWords(wrong.Value))
	}
	name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] // Field also names embedded structs
	return fmt.Errorf("argument %q must be %s, not %s", name, typeWords(wrong.Type), jsonWords(wrong.Value))
}

// typeWords names the JSON value that a field of type t takes.
func typeWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0 on"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Pointer:
		return typeWords(t.Elem())
	}
	return "an object"
}

// jsonWords words UnmarshalTypeError.Value: a JSON type, or "number" with the number.
func jsonWords(value string) string {
	if number, ok := strings.CutPrefix(value, "number "); ok {
		return number
	}
	switch value {
	case "bool":
		return "a boolean"
	case "array", "object":
		return "an " + value
	}
	return "a " + value
}

func (s *Server) addTools(server *mcp.Server) error {
	for _, t := range s.Tools {
		input, err := jsonschema.ForType(t.input, nil)
		if err != nil {
			return fmt.Errorf("schema of %s: %w", t.name, err)
		}
		for _, e := range t.explained {
			if p := input.Properties[e[0]]; p != nil {
				p.Description = e[1]
			}
		}
		output, err := t.schema()
		if err != nil {
			return fmt.Errorf("schema of %s: %w", t.name, err)
		}
		closed, open := false, t.writes // Codex asks the person about a tool only if it reaches outside, or destroys
		server.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description, InputSchema: input, OutputSchema: output,
			Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: !t.writes, IdempotentHint: !t.writes, DestructiveHint: &closed, OpenWorldHint: &open},
		}, s.handler(t))
	}
	return nil
}

// schema is the schema of a tool's structured content. Raw JSON can be anything. Any object may
// have unnamed members, as entries of a log have.
func (t *Tool) schema() (*jsonschema.Schema, error) {
	schema, err := jsonschema.ForType(reflect.TypeFor[structured](), nil)
	if err != nil {
		return nil, err
	}
	raw := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}
	answer, err := jsonschema.ForType(t.output, &jsonschema.ForOptions{TypeSchemas: raw})
	if err != nil {
		return nil, err
	}
	open(answer)
	answer.Description = schema.Properties["answer"].Description
	schema.Properties["answer"] = answer
	return schema, nil
}

// open allows unnamed members in the objects of a schema.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}

// handler answers one call at a time. A tool that fails or panics has no answer; the server
// continues.
func (s *Server) handler(t Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		if !t.apart {
			defer s.around()()
		}
		who, answered := askerOf(req.Params.Meta), func() {}
		if token := req.Params.GetProgressToken(); token != nil {
			who.Tell, answered = progress(ctx, req.Session, token)
		}
		defer answered()
		defer func() {
			if r := recover(); r != nil {
				result = none(fmt.Sprintf("aburn failed: %v", r))
			}
		}()
		answer, err := t.answer(ctx, who, req.Params.Arguments)
		if err != nil {
			return none(err.Error()), nil
		}
		return answer.result()
	}
}

// progress gives a function that notifies the client of a question's progress, and one that ends that: a notification
// after the answer would break the protocol. How much is to be done is never known, so the number only counts.
func progress(ctx context.Context, session *mcp.ServerSession, token any) (tell func(string), answered func()) {
	var mu sync.Mutex
	n, done := 0, false
	tell = func(message string) {
		mu.Lock()
		defer mu.Unlock()
		if done {
			return
		}
		n++
		// A client that is gone gets no answer either.
		_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: short(plain.ModelText(message))})
	}
	return tell, func() {
		mu.Lock()
		defer mu.Unlock()
		done = true
	}
}

// none is the result without an answer: the reason, cut in case it repeats a long question.
func none(why string) *mcp.CallToolResult {
	lines := strings.Split(why, "\n")
	for i, line := range lines {
		lines[i] = short(line)
	}
	text, _ := clip(strings.Join(lines, "\n"))
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// Asker is what the client says about the caller, besides the question. It is not verified, so it
// decides only which session "this one" means.
type Asker struct {
	// Session is the session's id, Thread the sub-agent's or the same. Codex 0.169.0 sends both
	// with every call.
	Session, Thread string
	// Call is the id of the tool call in the transcript. Claude Code 2.1.329 sends it, but not
	// the session, which is in the environment as of the server's start.
	Call string
	// Tell says how far the answer is. It is nil unless the client wants to know, and does nothing once there is an answer.
	Tell func(message string)
}

func askerOf(meta map[string]any) Asker {
	word := func(m map[string]any, key string) string {
		s, _ := m[key].(string)
		return s
	}
	turn, _ := meta["x-codex-turn-metadata"].(map[string]any)
	return Asker{Session: word(turn, "session_id"), Thread: word(turn, "thread_id"), Call: word(meta, "claudecode/toolUseId")}
}
