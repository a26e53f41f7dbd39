package web

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWrite(t *testing.T) {
	files := fstest.MapFS{
		"body.html": {Data: []byte("<h1>{{.}}</h1>")}, "a.js": {Data: []byte("const a = 1;")}, "b.js": {Data: []byte("const b = 2;")},
		"a.css": {Data: []byte(".mine {}")},
	}
	page := Page{Title: "a </title> b", Files: files, Body: "body.html", Styles: []string{"a.css"}, Scripts: []string{"a.js", "b.js"}, Values: "<b>text</b>",
		Data: []string{"</script><script>"}}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"<title>a &lt;/title&gt; b</title>", "<h1>&lt;b&gt;text&lt;/b&gt;</h1>", "const data = JSON.parse",
		"const a = 1;const b = 2;</script>", ".mine {}</style>", "default-src &#39;none&#39;"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d scripts, want the data and the script", n)
	}
	page.Scripts = []string{"missing.js"}
	if err := page.Write(&b); err == nil || !strings.Contains(err.Error(), "missing.js") {
		t.Errorf("without its script: %v", err)
	}
}
