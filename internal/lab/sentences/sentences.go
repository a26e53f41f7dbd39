package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// sentence is a text with its place.
type sentence struct {
	path string
	line int
	text string
}

// collect reads the Go files and templates of a folder, but for tests, test data and the workshop.
func collect(root string) (list []sentence, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		slashed := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if n := d.Name(); n == "testdata" || n == "node_modules" || n == "published" || strings.HasPrefix(n, ".") && n != "." && n != ".." ||
				strings.HasSuffix(slashed, "internal/lab") {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(path, "_test.go"):
			return nil
		case strings.HasSuffix(path, ".go"):
			found, err := ofGo(path)
			list = append(list, found...)
			return err
		case strings.HasSuffix(path, ".html"):
			found, err := ofTemplate(path)
			list = append(list, found...)
			return err
		}
		return nil
	})
	return list, err
}

// ofGo are the texts of a Go file. Parts that are joined by + are one text; what is no literal is "…" in it.
func ofGo(path string) (list []sentence, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BinaryExpr, *ast.BasicLit:
			text := joined(n.(ast.Expr))
			if reads(text) {
				list = append(list, sentence{filepath.ToSlash(path), files.Position(n.Pos()).Line, flat(text)})
			}
			if _, literal := n.(*ast.BasicLit); literal || text != "" {
				return false
			}
		}
		return true
	})
	return list, nil
}

// joined is the text of an expression, "" if it has no literal.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return ""
		}
		x, y := joined(e.X), joined(e.Y)
		switch {
		case x == "" && y == "":
			return ""
		case x == "":
			return "…" + y
		case y == "":
			return x + "…"
		}
		return x + y
	case *ast.ParenExpr:
		return joined(e.X)
	}
	return ""
}

var (
	action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	tag    = regexp.MustCompile(`(?s)<[^>]*>`)
	named  = regexp.MustCompile(`(?:title|placeholder|aria-label)="([^"{]*)"`)
)

// ofTemplate are the texts between the tags of a page template, and those of its attributes that people read.
func ofTemplate(path string) (list []sentence, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	keep := func(found string) string { return strings.Repeat("\n", strings.Count(found, "\n")) }
	text := action.ReplaceAllStringFunc(string(data), func(found string) string { return "…" + keep(found) })
	at, line := 0, 1
	add := func(text string) {
		if reads(text) {
			list = append(list, sentence{filepath.ToSlash(path), line + strings.Count(text[:len(text)-len(strings.TrimLeft(text, "\n"))], "\n"), flat(text)})
		}
	}
	for _, span := range append(tag.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		add(text[at:span[0]])
		line += strings.Count(text[at:span[0]], "\n")
		for _, m := range named.FindAllStringSubmatch(text[span[0]:span[1]], -1) {
			add(m[1])
		}
		line += strings.Count(text[span[0]:span[1]], "\n")
		at = span[1]
	}
	return list, nil
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

var words = regexp.MustCompile(`\pL[\pL'’-]+`)

// notRead are marks of texts that no person reads: patterns, statements of SQL, formats, scripts.
var notRead = regexp.MustCompile(`\(\?|\\[bdswpL]|^(?i:select|insert|update|delete|create|with|pragma|alter)\s|=>|\$\{|^\s*[{<]|</`)

// reads reports whether a text is one that people read: at least three words, and no code.
func reads(text string) bool {
	return len(words.FindAllString(text, 3)) == 3 && strings.Contains(strings.TrimSpace(text), " ") && !notRead.MatchString(text)
}

// odd are words that have a plainer one, which people read everywhere else.
var odd = regexp.MustCompile(`(?i)\bvouch\w*|API value|decisive error|ended calls|living sessions?|\bheard\b|\bmark of trust|that which|of which\b|of whom\b|` +
	`\bgave ?_?up\b|\bgo on with\b|go on\b|goes on\b|\bbeside\b|\btold\b|\bstands\b|look(ed)? after|looked at|looks at\b`)

func oddWord(text string) string { return odd.FindString(text) }
