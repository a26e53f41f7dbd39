// Package mcpserver answers the questions of one agent over the Model Context Protocol, on the streams that it is given and
// nowhere else: it knows the protocol, the form of an answer and its bounds, and nothing of what is asked.
//
// What the clients make of an answer was tried with the real ones (docs/guide/mcp.md): where a tool gives structured content, Claude
// Code 2.1.329 and Codex 0.169.0 hand the model that and nothing else. So the Markdown is in it too.
package mcpserver

import (
	"bufio"
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is what can be asked for.
type Server struct {
	Version string // aburn's own
	// Instructions are what the client tells the model about the server.
	Instructions string
	Tools        []Tool
	Resources    []Resource
	// Around is called before a question is worked out, and what it returns when the answer is ready to be written; nil for nothing.
	Around func() (after func())

	turn sync.Mutex // one question is answered at a time
}

// Serve answers on in and out until in ends, which is no error. Nothing but the protocol is written to out.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "aburn", Title: "aburn", Version: s.Version}, &mcp.ServerOptions{
		Instructions: s.Instructions,
		// The lists never change, so nobody needs to be told when they do; nor is there a log for the client.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
	})
	server.AddReceivingMiddleware(s.lazily(server))
	to := &writer{to: out}
	return server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(&lines{in: bufio.NewReader(in), out: to}), Writer: to})
}

// around begins to answer a question, and returns what ends that.
func (s *Server) around() func() {
	s.turn.Lock()
	after := func() {}
	if s.Around != nil {
		after = s.Around()
	}
	return func() {
		after()
		s.turn.Unlock()
	}
}

// lazily adds tools and resources when they are first asked about: their schemas take longer to make than everything else
// until the first answer, for which the client waits at its own start.
func (s *Server) lazily(server *mcp.Server) mcp.Middleware {
	tools := sync.OnceValue(func() error { return s.addTools(server) })
	resources := sync.OnceFunc(func() { s.addResources(server) })
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch method {
			case "tools/list", "tools/call":
				if err := tools(); err != nil {
					return nil, err
				}
			case "resources/list", "resources/templates/list", "resources/read":
				resources()
			}
			return next(ctx, method, req)
		}
	}
}
