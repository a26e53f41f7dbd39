package contents_test

import (
	"fmt"
	"strings"
	"testing"

	"aburn/trace/contents"
)

// Images are counted in the forms of the clients, and nothing else is.
func TestImages(t *testing.T) {
	data := strings.Repeat("iVBORw0KGgo", 400)
	for record, want := range map[string]string{
		`{"message":{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data +
			`"}},{"type":"text","text":"look"}]}}`: "[{png 3300}]",
		`{"content":[{"type":"input_image","image_url":"data:image/jpeg;base64,` + data + `"}]}`:              "[{jpeg 3300}]",
		`{"parts":[{"inlineData":{"mimeType":"image/webp","data":"` + data + `"}}]}`:                          "[{webp 3300}]",
		`{"content":[{"inlineData":{"mimeType":"application/pdf","data":"` + data + `"}}],"text":"an image"}`: "[]",
		`{"path":"/src/image.png"}`: "[]",
	} {
		if got := fmt.Sprint(contents.Images([]byte(record))); got != want {
			t.Errorf("%.80s: %s, want %s", record, got, want)
		}
	}
}
