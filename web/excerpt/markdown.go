package excerpt

import (
	"bytes"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"aburn/internal/plain"
)

// writer writes Markdown as HTML without raw HTML, links, images, or headings of the page's own outline.
var writer = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParserOptions(parser.WithParagraphTransformers(util.Prioritized(table{}, 200)), parser.WithInlineParsers(util.Prioritized(strike{}, 500))),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(harmless{}, 1), util.Prioritized(tableHTML{}, 1))),
	)
})

// markdown is the HTML of a text that was scrubbed. Entities can name hidden characters, so these are replaced in the result.
// Single quotes stand in it only as text, and are escaped as the pages' templates do.
func markdown(text string) template.HTML {
	var b bytes.Buffer
	if err := writer().Convert([]byte(text), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(strings.ReplaceAll(plain.Text(b.String()), "'", "&#39;"))
}

// harmless renders as text what could do more than be read.
type harmless struct{}

// RegisterFuncs is for goldmark.
func (h harmless) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, h.htmlBlock)
	r.Register(ast.KindRawHTML, h.rawHTML)
	r.Register(ast.KindLink, h.link)
	r.Register(ast.KindImage, h.image)
	r.Register(ast.KindAutoLink, h.autoLink)
	r.Register(ast.KindHeading, h.heading)
	r.Register(ast.KindFencedCodeBlock, h.code)
}

func escape(w util.BufWriter, text []byte) { template.HTMLEscape(w, text) }

func (harmless) htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.HTMLBlock)
	w.WriteString("<pre><code>")
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		escape(w, line.Value(source))
	}
	if n.HasClosure() {
		escape(w, n.ClosureLine.Value(source))
	}
	w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func (harmless) rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*ast.RawHTML)
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			escape(w, segment.Value(source))
		}
	}
	return ast.WalkSkipChildren, nil
}

// link shows the address behind the text, unless the text is the address.
func (harmless) link(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	return address(w, node.(*ast.Link).Destination, entering)
}

func (harmless) image(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("image: ")
	}
	return address(w, node.(*ast.Image).Destination, entering)
}

func address(w util.BufWriter, to []byte, entering bool) (ast.WalkStatus, error) {
	if !entering {
		w.WriteString(` <span class="dim">(`)
		escape(w, to)
		w.WriteString(")</span>")
	}
	return ast.WalkContinue, nil
}

func (harmless) autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		escape(w, node.(*ast.AutoLink).Label(source))
	}
	return ast.WalkContinue, nil
}

// heading is bold text: the page's headings are its own.
func (harmless) heading(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<p><strong>")
	} else {
		w.WriteString("</strong></p>\n")
	}
	return ast.WalkContinue, nil
}

// code is a block of code. Its classes are those of its pieces, and none is the text's own.
func (harmless) code(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<pre><code>")
		var text strings.Builder
		for i := range node.Lines().Len() {
			line := node.Lines().At(i)
			text.Write(line.Value(source))
		}
		for _, s := range spans(strings.ToLower(string(node.(*ast.FencedCodeBlock).Language(source))), text.String()) {
			if s.Class != "" {
				w.WriteString(`<span class="` + s.Class + `">`)
			}
			escape(w, []byte(s.Text))
			if s.Class != "" {
				w.WriteString("</span>")
			}
		}
		w.WriteString("</code></pre>\n")
	}
	return ast.WalkSkipChildren, nil
}
