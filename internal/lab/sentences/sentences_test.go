package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCollect(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\n\nimport \"a b c d\"\n\ntype t struct {\n\tx int `json:\"one two three\"`\n}\n\nfunc f(n string) string {\n" +
			"\tif n == \"two words\" {\n\t\treturn \"no session \" +\n\t\t\t\"has the id \" + n + \" here\"\n\t}\n\treturn `(?i)one two three`\n}\n",
		"a_test.go":             "package a\n\nvar x = \"a text that only a test has\"\n",
		"testdata/b.go":         "package b\n\nvar x = \"a text that only a test has\"\n",
		"internal/lab/c/c.go":   "package c\n\nvar x = \"a text of the workshop\"\n",
		"page.html":             "{{define \"x\"}}<p class=\"a b c\">Nothing waits\n\tfor you.</p>\n<a title=\"take this filter off\">{{.Text}}</a>{{end}}\n",
		"published/other.go":    "package d\n\nvar x = \"a text of somebody else's\"\n",
		"deep/folder/nested.go": "package n\n\nconst x = \"SELECT one two FROM three\"\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := collect(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprintf("%s:%d %s", strings.TrimPrefix(s.path, filepath.ToSlash(dir)+"/"), s.line, s.text))
	}
	want := "a.go:11 no session has the id … here|page.html:1 Nothing waits for you.|page.html:3 take this filter off"
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nnot %s", strings.Join(got, "|"), want)
	}
}

func TestOddWords(t *testing.T) {
	for text, want := range map[string]string{"you have vouched for it": "vouched", "API value today": "API value", "last event 5 min ago": "",
		"first decisive error": "decisive error", "it goes on": "goes on"} {
		if got := oddWord(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
