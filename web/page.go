package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"aburn/internal/plain"
)

// Page is what distinguishes one page from another. All pages share their look (common/page.css)
// and the helper functions of their scripts (common/page.js).
type Page struct {
	Title string
	// Files contains Body, the template of the page's body, and Styles and Scripts, which follow
	// the common ones.
	Files           fs.FS
	Body            string
	Styles, Scripts []string
	Funcs           template.FuncMap
	// Values is the template's input, Data what the scripts read.
	Values, Data any
}

//go:embed common
var common embed.FS

// Style is the look that all pages share.
func Style() string {
	text, err := together(common, "common/page.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return text
}

func (p *Page) Write(w io.Writer) error {
	style, err := p.together("common/page.css", p.Styles)
	if err != nil {
		return err
	}
	script, err := p.together("common/page.js", p.Scripts)
	if err != nil {
		return err
	}
	frame, err := together(common, "common/page.html")
	if err != nil {
		return err
	}
	body, err := together(p.Files, p.Body)
	if err != nil {
		return err
	}
	t, err := template.New("page").Funcs(p.Funcs).Parse(frame)
	if err != nil {
		return err
	}
	if _, err := t.New("body").Parse(body); err != nil {
		return err
	}
	return t.Execute(w, map[string]any{
		"Title": plain.Line(p.Title), "Policy": Policy(script, style), "Style": template.CSS(style), "Script": template.JS(script), "Data": p.Data,
		"Values": p.Values,
	})
}

// together is a common file followed by the page's own files.
func (p *Page) together(first string, own []string) (string, error) {
	text, err := together(common, first)
	if err != nil {
		return "", err
	}
	rest, err := together(p.Files, own...)
	return text + rest, err
}

func together(files fs.FS, names ...string) (string, error) {
	var b strings.Builder
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
}

// Policy is the content security policy of a page with this script and this style: nothing else runs, and nothing is loaded.
func Policy(script, style string) string {
	hash := func(s string) string {
		if s == "" {
			return "'none'"
		}
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; script-src " + hash(script) + "; style-src " + hash(style)
}
