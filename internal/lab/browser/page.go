package browser

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var keep = flag.String("keep", "", "write pages and pictures of the tests into this folder, to look at them")

// Folder is the folder of a test's pages and pictures: a temporary one, or the one that -keep names.
func Folder(t *testing.T) string {
	if *keep != "" {
		return *keep
	}
	return t.TempDir()
}

// Keeping reports whether -keep is set: a picture that nobody looks at need not be made.
func Keeping() bool { return *keep != "" }

// Written writes a page into a file and returns its address.
func Written(t *testing.T, name string, html func(io.Writer) error) (url string) {
	t.Helper()
	path := filepath.Join(Folder(t), name+".html")
	if err := os.WriteFile(path, []byte(text(t, html)), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// local is what is no address of another computer: the name of SVG, and links to aburn web on the reader's own.
var local = regexp.MustCompile(`http://www\.w3\.org/2000/svg|href="http://(aburn\.localhost|127\.0\.0\.1):4780/s/`)

// Own fails the test if a page loads anything, if it has another number of scripts or allows others, or if it contains a
// character that changes the direction of text.
func Own(t *testing.T, html func(io.Writer) error, scripts int) {
	t.Helper()
	page := text(t, html)
	for _, no := range []string{"<script>alert", "<img", "<b>", "\u202e", "http:", "https:", "@import", "url("} {
		if strings.Contains(local.ReplaceAllString(page, ""), no) {
			t.Errorf("the page holds %q", no)
		}
	}
	if n := strings.Count(page, "<script"); n != scripts {
		t.Errorf("%d scripts", n)
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src &#39;none&#39;") || strings.Contains(policy[1], "unsafe") {
		t.Errorf("policy %q", policy)
	}
}

func text(t *testing.T, html func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := html(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
