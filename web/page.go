// Package web writes a self-contained HTML page: one file that loads nothing, and in which no script and no style can run but
// its own, by their hashes.
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

// Page is what makes one page different from another. All pages share a look (common/page.css) and the small functions that
// their scripts use (common/page.js).
type Page struct {
	Title string
	// Files holds Body, the template of what stands in the page's body, and Styles and Scripts, which come behind the common ones.
	Files           fs.FS
	Body            string
	Styles, Scripts []string
	Funcs           template.FuncMap
	// Values is what the template gets, Data what the scripts find as data.
	Values, Data any
}

//go:embed common
var common embed.FS

// Write writes the page.
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
		"Title": plain.Line(p.Title), "Policy": policy(script, style), "Style": template.CSS(style), "Script": template.JS(script), "Data": p.Data, "Values": p.Values,
	})
}

// together is a common file and the page's own behind it.
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

func policy(script, style string) string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; script-src " + hash(script) + "; style-src " + hash(style)
}
