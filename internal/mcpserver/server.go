// Package mcpserver answers one agent's questions over the Model Context Protocol. It uses only
// the streams that it is given. It knows the protocol, the form of an answer and its bounds, but
// not what is asked, and opens nothing itself.
//
// The real clients' handling of answers was tried (docs/reference/mcp.md): if a tool returns
// structured content, Claude Code 2.1.329 and Codex 0.169.0 give the model that and nothing else.
// So it contains the Markdown too.
package mcpserver

import (
	"bufio"
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server holds the tools and resources on offer.
type Server struct {
	Version string // aburn's version
	// Instructions tell the model about the server, through the client.
	Instructions string
	Tools        []Tool
	Resources    []Resource
	// Around, if set, is called before a question is handled. The function it returns, if any, is
	// called when the answer is ready to be written.
	Around func() (after func())

	turn sync.Mutex // one question at a time
}

// Serve answers on in and out until in ends, which is no error. It writes nothing but the
// protocol to out.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "aburn", Title: "aburn", Version: s.Version}, &mcp.ServerOptions{
		Instructions: s.Instructions,
		// The lists never change, so they need no notifications; and the client gets no log.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
	})
	server.AddReceivingMiddleware(s.lazily(server))
	to := &writer{to: out}
	return server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(&lines{in: bufio.NewReader(in), out: to}), Writer: to})
}

// around starts a question and returns the function that ends it.
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

// lazily adds tools and resources when they are first needed. Making their schemas takes longer
// than everything else before the first answer, for which a starting client waits.
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
