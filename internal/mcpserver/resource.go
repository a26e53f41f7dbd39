package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/plain"
)

// MaxResource is the most bytes of a resource. Reading functions stay below it and cut at a
// sensible place.
const MaxResource = 60000

type Resource struct {
	// URI is the resource's name, or a template (RFC 6570) for many names.
	URI, Name, Title, Description, MIME string
	// Read returns the resource's text. Its error says why there is none.
	Read func(context.Context, *url.URL) (string, error)
}

func (s *Server) addResources(server *mcp.Server) {
	for _, r := range s.Resources {
		if strings.Contains(r.URI, "{") {
			t := &mcp.ResourceTemplate{URITemplate: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIME}
			server.AddResourceTemplate(t, s.reader(r))
			continue
		}
		server.AddResource(&mcp.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIME}, s.reader(r))
	}
}

// notFound is the protocol's error code for a missing resource.
const notFound = -32002

func (s *Server) reader(r Resource) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (_ *mcp.ReadResourceResult, err error) {
		defer s.around()()
		defer func() {
			if p := recover(); p != nil {
				err = errors.New(plain.ModelText(fmt.Sprintf("aburn failed: %v", p)))
			}
		}()
		uri, err := url.Parse(req.Params.URI)
		if err != nil {
			return nil, &jsonrpc.Error{Code: notFound, Message: plain.ModelText(err.Error())}
		}
		text, err := r.Read(ctx, uri)
		switch {
		case err != nil:
			return nil, &jsonrpc.Error{Code: notFound, Message: plain.ModelText(err.Error())}
		case len(text) > MaxResource:
			return nil, fmt.Errorf("%s has %d bytes, and a resource at most %d", plain.ModelLine(req.Params.URI), len(text), MaxResource)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: r.MIME, Text: string(clean([]byte(text)))}}}, nil
	}
}

// JSON returns v as the text of a resource. If it is too long, its longest lists are shortened
// and named.
func JSON(v any) (string, error) {
	const room = 2000 // for the names
	data, cuts, err := bounded(v, MaxResource-room)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(struct {
		Data json.RawMessage `json:"data"`
		Cut  []Cut           `json:"cut,omitempty"`
	}{data, cuts})
	return string(text), err
}
