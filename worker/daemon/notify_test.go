package daemon

import (
	"strings"
	"testing"

	"aburn/worker/round"
)

// TestNoticesKeepSecrets: what an agent asks may hold a key, and a web service does not learn where a project lies.
func TestNoticesKeepSecrets(t *testing.T) {
	key := "ghp_" + strings.Repeat("aB3dE6gH", 4) + "Zz99"
	n, err := noticeOf(round.Notice{Worker: "w", Key: round.KeyNeeds, Subject: "1", Title: "w needs you", Text: "it asks: curl -H token=" + key + "\x1b[2J",
		Hint: "aburn attach w"}, "/home/ann/shop")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{n.Title, n.Text, string(n.JSON), string(n.Away)} {
		if strings.Contains(text, key) || strings.Contains(text, "\x1b") {
			t.Error(text)
		}
	}
	if !strings.Contains(string(n.JSON), "/home/ann/shop") || strings.Contains(string(n.Away), "ann") || !strings.Contains(string(n.Away), `"project":"shop"`) ||
		n.Title != "w needs you · shop" {
		t.Errorf("%s %s %s", n.JSON, n.Away, n.Title)
	}
}
