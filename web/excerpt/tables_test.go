package excerpt

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// TestTables holds tables and strikethrough against goldmark's own, on drawn texts.
func TestTables(t *testing.T) {
	theirs := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)), extension.Strikethrough),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(harmless{}, 1))),
	)
	parts := []string{"a", "b c", "|", "|", "|", "\\|", "`x", "`", "`a|b`", "`a\\|b`", "-", "---", ":-", "-:", ":-:", " ", "  ", "    ", "\n", "\n", "\n\n", "~~",
		"~", "~~~", "*", "**b**", "> ", "- ", "\t",
		"| a | b |\n|---|:-:|\n", "| 1 |\n", "|-|\n", "<b>", "&amp;", "\\"}
	seed, tables, struck := rand.Uint64(), 0, 0
	r := rand.New(rand.NewPCG(seed, 1))
	for range 20000 {
		var b strings.Builder
		for range 1 + r.IntN(16) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		var got, want bytes.Buffer
		if err := writer().Convert([]byte(b.String()), &got); err != nil {
			t.Fatal(err)
		}
		if err := theirs.Convert([]byte(b.String()), &want); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("seed %d, %q:\n%s\n--- want\n%s", seed, b.String(), got.String(), want.String())
		}
		tables += strings.Count(got.String(), "<table>")
		struck += strings.Count(got.String(), "<del>")
	}
	if tables < 100 || struck < 100 {
		t.Errorf("%d tables, %d struck", tables, struck)
	}
}
