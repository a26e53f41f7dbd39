package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// dial connects a client to a server.
func dial(t *testing.T, s *Server, o ...*mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	o = append(o, nil)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(context.Background(), fromClient, toClient)
		toClient.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o[0])
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-served; err != nil {
			t.Errorf("served: %v", err)
		}
	})
	return session
}

type ask struct {
	Word string `json:"word" jsonschema:"what to say"`
	N    int    `json:"n,omitempty"`
}

type told struct {
	Words []string        `json:"words"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	Map   map[string]int  `json:"map,omitempty"`
}

func echo(_ context.Context, who Asker, in ask) (*Answer, error) {
	switch in.Word {
	case "nothing":
		return &Answer{Notes: []string{"nobody is here"}}, nil
	case "error":
		return nil, errors.New("no such word")
	case "panic":
		panic("over")
	case "who":
		return &Answer{Markdown: fmt.Sprintf("{%s %s %s}", who.Session, who.Thread, who.Call), Data: told{}}, nil
	}
	var words []string
	for range max(in.N, 1) {
		words = append(words, in.Word)
	}
	return &Answer{Markdown: strings.Join(words, "\n"), Data: told{Words: words, Raw: []byte(`{"any":[1,"x"]}`)}, Notes: []string{"a note"}}, nil
}

func echoServer() *Server {
	return &Server{Version: "1.2.3", Instructions: "say something", Tools: []Tool{NewTool[ask, told]("echo", "Echo", "says it again", echo)},
		Resources: []Resource{
			{URI: "aburn://one", Name: "one", MIME: "text/plain", Read: func(context.Context, *url.URL) (string, error) { return "the one", nil }},
			{URI: "aburn://many/{source}/{+id}{?from}", Name: "many", Read: func(_ context.Context, u *url.URL) (string, error) {
				switch u.Path {
				case "/a/none":
					return "", errors.New("there is none")
				case "/a/panic":
					panic("over")
				case "/a/long":
					return strings.Repeat("x", MaxResource+1), nil
				}
				return u.Path + " " + u.Query().Get("from"), nil
			}},
		}}
}

func call(t *testing.T, session *mcp.ClientSession, name string, arguments any, meta mcp.Meta) (*mcp.CallToolResult, string) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Meta: meta, Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%d parts of content", len(r.Content))
	}
	return r, r.Content[0].(*mcp.TextContent).Text
}

func TestAnswer(t *testing.T) {
	session := dial(t, echoServer())
	if is := session.InitializeResult(); is.Instructions != "say something" || is.ServerInfo.Name != "aburn" || is.ServerInfo.Version != "1.2.3" {
		t.Errorf("the server is %+v", is)
	}
	r, text := call(t, session, "echo", ask{Word: "hello", N: 2}, nil)
	if r.IsError || text != "hello\nhello" {
		t.Errorf("error %v: %q", r.IsError, text)
	}
	got, err := json.Marshal(r.StructuredContent)
	if want := `{"answer":{"raw":{"any":[1,"x"]},"words":["hello","hello"]},"markdown":"hello\nhello","notes":["a note"]}`; err != nil || string(got) != want {
		t.Errorf("%v: %s, want %s", err, got, want)
	}
}

// An answer that is none says so by the protocol's own sign, with the reason, and without data.
func TestNoAnswer(t *testing.T) {
	session := dial(t, echoServer())
	for arguments, want := range map[string]string{
		`{"word":"nothing"}`:       "there is nothing to tell\nnobody is here",
		`{"word":"error"}`:         "no such word",
		`{"word":"panic"}`:         "aburn failed: over",
		`{"word":"x","colour":""}`: `arguments of echo: unknown field "colour"` + "\nhint: it takes word, n",
		`{"word":1}`:               `arguments of echo: argument "word" must be a string, not a number` + "\nhint: it takes word, n",
		`{"word":["x"]}`:           `arguments of echo: argument "word" must be a string, not an array` + "\nhint: it takes word, n",
		`{"word":true}`:            `arguments of echo: argument "word" must be a string, not a boolean` + "\nhint: it takes word, n",
		`{"n":"2"}`:                `arguments of echo: argument "n" must be a whole number, not a string` + "\nhint: it takes word, n",
		`{"n":1.5}`:                `arguments of echo: argument "n" must be a whole number, not 1.5` + "\nhint: it takes word, n",
		`["x"]`:                    "arguments of echo: must be an object, not an array\nhint: it takes word, n",
	} {
		r, text := call(t, session, "echo", json.RawMessage(arguments), nil)
		if !r.IsError || text != want || r.StructuredContent != nil {
			t.Errorf("%s: error %v, %q, want %q, and data %v", arguments, r.IsError, text, want, r.StructuredContent)
		}
	}
	if _, text := call(t, session, "echo", ask{Word: "still here"}, nil); text != "still here" {
		t.Errorf("after a failure: %q", text)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "none"}); err == nil {
		t.Error("a tool that does not exist has answered")
	}
}

// An argument of an embedded struct is named like any other.
func TestEmbeddedArgument(t *testing.T) {
	var in struct {
		ask
		Loud bool `json:"loud"`
	}
	for arguments, want := range map[string]string{
		`{"word":1}`:     `argument "word" must be a string, not a number`,
		`{"loud":"yes"}`: `argument "loud" must be a boolean, not a string`,
	} {
		if err := decode(json.RawMessage(arguments), &in); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", arguments, err, want)
		}
	}
}

// Around is called before and after each question, also one that has no answer or makes the tool panic, and never twice at a time.
func TestAround(t *testing.T) {
	var said strings.Builder
	s := echoServer()
	s.Around = func() func() {
		said.WriteString("(")
		return func() { said.WriteString(")") }
	}
	session := dial(t, s)
	for _, word := range []string{"hello", "error", "panic", "nothing"} {
		call(t, session, "echo", ask{Word: word}, nil)
	}
	for _, uri := range []string{"aburn://one", "aburn://many/a/none", "aburn://many/a/panic"} {
		session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	}
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := said.String(), strings.Repeat("()", 7); got != want {
		t.Errorf("it was called %s, want %s", got, want)
	}
}

func TestWhoAsks(t *testing.T) {
	session := dial(t, echoServer())
	codex := mcp.Meta{"x-codex-turn-metadata": map[string]any{"session_id": "s", "thread_id": "t"}}
	if _, text := call(t, session, "echo", ask{Word: "who"}, codex); text != "{s t }" {
		t.Errorf("of Codex: %s", text)
	}
	if _, text := call(t, session, "echo", ask{Word: "who"}, mcp.Meta{"claudecode/toolUseId": "toolu_1"}); text != "{  toolu_1}" {
		t.Errorf("of Claude Code: %s", text)
	}
	odd := mcp.Meta{"x-codex-turn-metadata": "no object", "claudecode/toolUseId": 7}
	if _, text := call(t, session, "echo", ask{Word: "who"}, odd); text != "{  }" {
		t.Errorf("of somebody odd: %s", text)
	}
}

// What a tool says of itself: it reads only, and its answers are what its schema says.
func TestTools(t *testing.T) {
	session := dial(t, echoServer())
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 {
		t.Fatalf("%v: %d tools", err, len(list.Tools))
	}
	tool := list.Tools[0]
	if a := tool.Annotations; !a.ReadOnlyHint || *a.OpenWorldHint || *a.DestructiveHint || !a.IdempotentHint {
		t.Errorf("annotations: %+v", a)
	}
	writes := echoServer()
	writes.Tools[0] = writes.Tools[0].Writing()
	list, err = dial(t, writes).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := list.Tools[0].Annotations; a.ReadOnlyHint || !*a.OpenWorldHint || *a.DestructiveHint || a.IdempotentHint {
		t.Errorf("annotations of one that writes: %+v", a)
	}
	in, _ := json.Marshal(tool.InputSchema)
	if !bytes.Contains(in, []byte(`"what to say"`)) || !bytes.Contains(in, []byte(`"required":["word"]`)) {
		t.Errorf("input: %s", in)
	}
	output := schemaOf(t, tool)
	for _, word := range []string{"x", "who"} {
		r, _ := call(t, session, "echo", ask{Word: word}, nil)
		if err := output.Validate(r.StructuredContent); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
	r, _ := call(t, session, "echo", ask{Word: strings.Repeat("y", 100), N: 1000}, nil)
	if err := output.Validate(r.StructuredContent); err != nil {
		t.Errorf("shortened: %v", err)
	}
	for _, wrong := range []string{`{}`, `{"markdown":1}`, `{"markdown":"","answer":{"words":[1]}}`, `{"markdown":"","answer":[]}`} {
		var v any
		json.Unmarshal([]byte(wrong), &v)
		if output.Validate(v) == nil {
			t.Errorf("the schema takes %s", wrong)
		}
	}
}

func schemaOf(t *testing.T, tool *mcp.Tool) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(tool.OutputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func TestResources(t *testing.T) {
	session := dial(t, echoServer())
	list, err := session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "aburn://one" {
		t.Errorf("%v: %+v", err, list)
	}
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 {
		t.Errorf("%v: %+v", err, templates)
	}
	for uri, want := range map[string]string{
		"aburn://one": "the one", "aburn://many/claude/x": "/claude/x ", "aburn://many/claude/x/y?from=7": "/claude/x/y 7",
		"aburn://many/claude/x%2Fy": "/claude/x/y ",
	} {
		r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].Text != want || r.Contents[0].URI != uri {
			t.Errorf("%s: %v %+v", uri, err, r)
		}
	}
	for uri, want := range map[string]string{
		"aburn://many/a/none": "there is none", "aburn://many/a/panic": "aburn failed: over", "aburn://many/a/long": "a resource at most", "aburn://two": "not found",
		"file:///etc/passwd": "not found",
	} {
		if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

// TestInput: whatever comes in, the end of it is no error, and nothing is answered on out but by the protocol.
func TestInput(t *testing.T) {
	for _, in := range []string{"", "\n", "hello\n", "{}\n", `{"jsonrpc":"2.0","id":1,"meth`, `{"jsonrpc":"2.0","id":1,"method":"no/such"}` + "\n"} {
		var out bytes.Buffer
		if err := echoServer().Serve(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Errorf("%q: %v", in, err)
		}
		for line := range strings.Lines(out.String()) {
			var m struct{ JSONRPC string }
			if json.Unmarshal([]byte(line), &m) != nil || m.JSONRPC != "2.0" {
				t.Errorf("%q is answered with %q", in, line)
			}
		}
	}
}

// TestOpensNothing: the package itself has no way to a network or a file. What the SDK links for other transports is never called:
// cmd/aburn has a test of the process.
func TestOpensNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{join .Imports \"\\n\"}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for imported := range strings.Lines(string(out)) {
		switch strings.TrimSpace(imported) {
		case "net", "net/http", "os", "os/exec", "syscall", "plugin", "unsafe":
			t.Errorf("imports %s", imported)
		}
	}
}

// TestProgress: only a client that gives a token is told how far an answer is, and nothing any more once it is there.
func TestProgress(t *testing.T) {
	var tells []func(string)
	slow := NewTool[ask, told]("slow", "Slow", "takes long", func(_ context.Context, who Asker, in ask) (*Answer, error) {
		tells = append(tells, who.Tell)
		if who.Tell != nil {
			who.Tell(in.Word + " half\x1b[1m")
			who.Tell(in.Word + " nearly")
		}
		return &Answer{Markdown: "done", Data: told{}}, nil
	})
	got := make(chan *mcp.ProgressNotificationParams, 10)
	s := dial(t, &Server{Tools: []Tool{slow.Apart()}}, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		r *mcp.ProgressNotificationClientRequest) {
		got <- r.Params
	}})
	var words []string
	for i, token := range []any{nil, "a", "b"} {
		params := &mcp.CallToolParams{Name: "slow", Arguments: map[string]any{"word": fmt.Sprint(i)}}
		if token != nil {
			params.SetProgressToken(token)
		}
		if _, err := s.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		if token != nil {
			tells[i]("too late")
			for range 2 {
				p := <-got
				words = append(words, fmt.Sprint(p.ProgressToken, p.Progress, " ", p.Message))
			}
		}
	}
	if all := strings.Join(words, ", "); tells[0] != nil || all != "a1 1 half\ufffd[1m, a2 1 nearly, b1 2 half\ufffd[1m, b2 2 nearly" {
		t.Error(all)
	}
}
