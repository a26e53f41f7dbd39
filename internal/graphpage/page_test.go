package graphpage

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var keep = flag.String("keep", "", "write the pages of the tests into this folder, to look at them")

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.HTML(&b); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if *keep != "" {
		dir = *keep
	}
	path := filepath.Join(dir, fmt.Sprintf("page-%d.html", len(p.Nodes)))
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The page in a real browser: no error, no refusal by the page's own policy, and the numbers that went in.
func TestPageInABrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	for _, n := range []int{1, 3, 60, 1000} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			p := drawn(n)
			path := written(t, p)
			if browser == "" {
				t.Skip("no chromium on the PATH: nothing here runs the page's script")
			}
			page, said := visit(t, browser, "file://"+path)
			if strings.Contains(said, "CONSOLE") || strings.Contains(said, "Refused to") {
				t.Errorf("the browser says\n%s", said)
			}
			calls, failed := 0, 0
			for _, list := range p.Calls {
				calls += len(list)
				for _, c := range list {
					if c.Failed {
						failed++
					}
				}
			}
			for name, want := range map[string]int{"nodes": n, "calls": calls, "failed": failed} {
				if got := attribute(page, "data-"+name); got != strconv.Itoa(want) {
					t.Errorf("%s: the script counts %q, and there are %d", name, got, want)
				}
			}
			if root := p.Nodes[0].Whole; root.Calls != calls || root.Failed != failed {
				t.Errorf("the root adds up to %d calls, %d failed, the calls to %d and %d", root.Calls, root.Failed, calls, failed)
			}
			shown := strings.Count(page, `role="treeitem"`)
			if shown < min(n, 20) || shown > 100 {
				t.Errorf("the picture begins with %d nodes", shown)
			}
			if !strings.Contains(page, `class="call `) {
				t.Error("no call is on the timeline")
			}
		})
	}
}

// visit opens a page and returns the document after its script ran, and what the browser said.
func visit(t *testing.T, browser, url string) (page, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--virtual-time-budget=3000", "--window-size=1280,1600", "--dump-dom", url)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

// attribute is the value of an attribute of the document's first element.
func attribute(page, name string) string {
	m := regexp.MustCompile(`<html[^>]* ` + name + `="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return m[1]
}

// Texts stay texts, nothing is loaded, and only the page's own script may run.
func TestPageIsItsOwn(t *testing.T) {
	var b bytes.Buffer
	p := drawn(12)
	p.Title = `</title><script>alert(1)</script>` + "\u202e"
	p.Nodes[1].AgentType, p.Nodes[1].Description = `"><img src=x onerror=alert(1)>`, "javascript:alert(1)"
	if err := p.HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script>alert", "<img", "<b>the", "</script><script>alert", "\u202e", "http:", "https:", "@import", "url("} {
		if strings.Contains(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src &#39;none&#39;") || strings.Contains(policy[1], "unsafe") {
		t.Errorf("policy %q", policy)
	}
}

func TestAPageOfNothing(t *testing.T) {
	if err := (&Page{Title: "nothing"}).HTML(&bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
}
