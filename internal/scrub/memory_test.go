package scrub

import (
	"strings"
	"testing"
)

// A value that is secret beside its name is secret elsewhere in the text, before and after it.
func TestValueIsRedactedEverywhereInAText(t *testing.T) {
	v := "hunter" + "Z4mbler"
	for _, c := range []struct{ text, want string }{
		{"try " + v + ", then export TOKEN=" + v, "try [redacted:secret], then export TOKEN=[redacted:secret]"},
		{"my password is " + v + ". curl -u bob:" + v + " x; echo " + v,
			"my password is [redacted:password]. curl -u bob:[redacted:argument] x; echo [redacted:password]"},
		{"password=" + v + " and " + v + "s or x" + v, "password=[redacted:password] and " + v + "s or x" + v}, // other words
	} {
		if got, _ := Text(c.text); got != c.want {
			t.Errorf("%s\n became %s\n want   %s", c.text, got, c.want)
		}
		if got := Head(c.text, 200); got != c.want {
			t.Errorf("the head of %s\n is   %s\n want %s", c.text, got, c.want)
		}
	}
}

// A redacted value that is also an ordinary word, number, path, branch or name stays readable elsewhere.
func TestOrdinaryValuesAreNotRemembered(t *testing.T) {
	for _, v := range []string{
		"true", "1234", "swordfish", "production", "staging-db-2", "build2024", "hunter2", "20251120", "2025-11-20T10:03:11Z", "/etc/shop2/key.pem",
		"feature/login2", "fix/LOGIN-1234", "claude-sonnet-4-20250514", "gpt-4o-2024", "sha256sum", "base64url", "v1.22.333", "main.go2",
		"db2.internal", "10.0.0.127",
		"correct horse battery 1", "argon2id", "us-east-1", "3.14159265",
	} {
		var m Memory
		m.Learn("password='" + v + "' mysql -p" + v + " TOKEN=" + v)
		m.Learn("vault kv put secret/x k=" + v)
		text := "this is " + v + " in a sentence"
		if got, n := m.Text(text); got != text || n > 0 {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var m Memory
	value := func(i int) string {
		return "kX9" + strings.Repeat(string(rune('a'+i%26)), 3) + "Qw7" + string(rune('a'+i/26)) + "zu5"
	}
	for i := range 200 {
		m.Learn("password=" + value(i))
	}
	if len(m.known) != maxKnown {
		t.Fatalf("%d values", len(m.known))
	}
	if got := m.Hide("x " + value(199) + " " + value(0)); got != "x [redacted:password] "+value(0) {
		t.Errorf("the newest count: %s", got)
	}
}

// From text to text, as an entry or a session has them.
func TestMemoryGoesFromTextToText(t *testing.T) {
	var m Memory
	v := "hunter" + "Z4mbler"
	if got := m.Head("export TOKEN="+v, 100); got != "export TOKEN=[redacted:secret]" {
		t.Error(got)
	}
	if got := m.Head("invalid token ("+v+")", 100); got != "invalid token ([redacted:secret])" {
		t.Error(got)
	}
	cut := m.Head(strings.Repeat("word ", 17)+v, 90) // at the cut
	if leak(cut, v) != "" {
		t.Error(cut)
	}
	var none Memory
	if got := none.Hide(v); got != v || !none.Empty() || m.Empty() {
		t.Error(got)
	}
}
