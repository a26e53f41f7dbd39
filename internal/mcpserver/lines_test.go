package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// What is no message has an answer, and the next question has one too.
func TestLines(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, c := range []struct {
		name, line, id string
		code           float64
	}{
		{"no JSON", "not json", "null", -32700},
		{"half", `{"jsonrpc":"2.0","id":5,"me`, "null", -32700},
		{"zero bytes", "\x00\xff", "null", -32700},
		{"more behind it", `{"jsonrpc":"2.0","id":5,"method":"ping"} x`, "null", -32700},
		{"list", `[{"jsonrpc":"2.0","id":5,"method":"ping"}]`, "null", -32600},
		{"number", "5", "null", -32600},
		{"other version", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, "5", -32600},
		{"odd id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		{"deep", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":` + deep + `}}`, `"a"`, -32600},
		{"long", `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("x", 3<<20) + `"}}`, "null", -32600},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
				"\r\n\n" +
				c.line + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"
			fromClient, toServer := io.Pipe()
			fromServer, toClient := io.Pipe()
			served := make(chan error, 1)
			go func() { served <- (&Server{}).Serve(context.Background(), fromClient, toClient) }()
			go io.WriteString(toServer, in)
			answers := bufio.NewReader(fromServer)
			ids := map[string]string{}
			for range 3 {
				line, err := answers.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				var m struct {
					ID    json.RawMessage
					Error struct {
						Code    float64
						Message string
					}
				}
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				ids[string(m.ID)] = m.Error.Message
				if m.Error.Code != 0 && (m.Error.Code != c.code || m.Error.Message == "" || string(m.ID) != c.id) {
					t.Errorf("it answers %s", line)
				}
			}
			io.WriteString(toServer, `{"jsonrpc":"2.0","id":3,"meth`)
			toServer.Close()
			if err := <-served; err != nil {
				t.Error(err)
			}
			if _, ok := ids[c.id]; len(ids) != 3 || !ok || ids["2"] != "" {
				t.Errorf("answers: %v", ids)
			}
		})
	}
}
