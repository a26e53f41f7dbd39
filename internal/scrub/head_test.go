package scrub

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"aburn/internal/lab/world"
)

func TestHead(t *testing.T) {
	setHome := func(dir string) {
		t.Setenv("HOME", dir)
		t.Setenv("USERPROFILE", dir) // Windows' name of it
	}
	setHome("/home/jane")
	key := "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"go test ./...", 40, "go test ./..."},
		{"", 40, ""},
		{"12345678", 8, "12345678"},
		{"123456789", 8, "12345…"},
		{"größer", 7, "grö…"},
		{"größer", 6, "gr…"},
		{"日本語テキスト", 10, "日本…"},
		{"a\nb\r\n\tc  d", 40, "a b c d"},
		{"  \n ", 40, ""},
		{"a\x00b\x1b[31mred\x1b[0m\x07", 40, "abred"},
		{"10%\r20%\r", 40, "10% 20%"},
		{"user\u202egnp.exe\u2066x\u200b\ufeff", 40, "usergnp.exex"},
		{"broken \xff\xfe utf-8", 40, "broken \ufffd\ufffd utf-8"},
		{"ls /home/jane/src /home/janet /mnt/home/jane", 80, "ls ~/src /home/janet /mnt/home/jane"},
		{"cd /home/jane && ls", 80, "cd ~ && ls"},
		{`{"file":"/home/jane/a"}`, 80, `{"file":"~/a"}`},
		{"curl -H 'Authorization: Bearer " + key + "' x", 80, "curl -H 'Authorization: Bearer [redacted:github]' x"},
		{"token " + key + " rest", 80, "token [redacted:github] rest"},
		{"0123456789 " + key, 20, "0123456789…"}, // no part of a marker
		{"gh\u200bp_" + key[4:], 80, "[redacted:github]"},
		{"gh\x1b[1mp_" + key[4:], 80, "[redacted:github]"},
		{"gh\x00p_" + key[4:], 80, "[redacted:github]"},
		{"x", 3, ""},
		{"password:\n    hunter2\n", 80, "password: [redacted:password]"},
		{"password                    = 'hunter2'", 80, "password = '[redacted:password]'"},
	} {
		if got := Head(c.text, c.max); got != c.want {
			t.Errorf("Head(%q, %d) = %q, want %q", c.text, c.max, got, c.want)
		}
	}
	setHome("/")
	if got := Head("ls /etc", 40); got != "ls /etc" {
		t.Errorf("with HOME=/: %s", got)
	}
}

// Wherever the cut falls, or the end of what is searched, no part of a secret stays. The head is what cutting the whole
// text after scrubbing gives.
func TestHeadCutsNoSecret(t *testing.T) {
	world.Slow(t)
	rnd := rand.New(rand.NewPCG(11, 12))
	const max = 60
	for _, s := range wellKnown() {
		d := draw(rnd, s.expr)
		if len(d.text) > reach/2 {
			continue
		}
		for _, edge := range []int{max, 4 * max, 4*max + reach} {
			for shift := -len(d.text) - 2; shift <= 2; shift += 1 + rnd.IntN(30) {
				if edge+shift < 0 {
					continue
				}
				text := strings.Repeat("word ", edge)[:edge+shift] + " " + d.text + " " + strings.Repeat(" more", 800)
				got := Head(text, max)
				checkHead(t, got, max)
				if left := leak(got, d.secret); left != "" {
					t.Fatalf("%s at %d of %d: %q stays in %q", s.name, edge+shift, edge, left, got)
				}
				whole, _ := Text(clean(text))
				if want, _ := Text(squeeze(tilde(whole, home()))); !strings.HasPrefix(want, strings.TrimSuffix(got, ellipsis)) {
					t.Fatalf("%s at %d of %d: %q is no start of %q", s.name, edge+shift, edge, got, want)
				}
			}
		}
	}
}

// When redactions have made room in the head, what comes after them moves in, but nothing whose end was not searched.
func TestHeadBehindRedactions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	const max = 120
	for _, s := range wellKnown() {
		d := draw(rnd, s.expr)
		for n := 4*max - len(d.text) - 10; n < 4*max; n += 1 + rnd.IntN(20) {
			if n < 80 {
				continue
			}
			long := draw(rnd, "e[y]JhbGciOiJIUzI1NiJ9\\.e[y]JzdWIiOiIxMjM0NTY3ODkwIn0\\.[a-zA-Z0-9_-]{500}").text
			got := Head(long[:n-1]+" "+d.text, max)
			checkHead(t, got, max)
			if left := leak(got, d.secret); left != "" {
				t.Fatalf("%s at %d: %q stays in %q", s.name, n, left, got)
			}
		}
	}
}

func checkHead(t *testing.T, got string, max int) {
	t.Helper()
	if len(got) > max || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return invisible(r) || r == '\n' || r == '\t' }) {
		t.Fatalf("head of at most %d bytes: %q", max, got)
	}
}

// A secret that goes on behind what is searched is found by its start.
func TestHeadOfEndlessSecrets(t *testing.T) {
	random := func(n int) string {
		rnd := rand.New(rand.NewPCG(13, 14))
		b := make([]byte, n)
		for i := range b {
			b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[rnd.IntN(62)]
		}
		return string(b)
	}
	for name, start := range map[string]string{
		"jwt":         "ey" + "J" + random(30) + ".ey" + "J",
		"private-key": "-----BEGIN RSA PRIVATE " + "KEY-----\n",
		"password":    "password='",
		"secret":      "client_secret=",
	} {
		got := Head("run "+start+random(10_000), 100)
		if want := "[redacted:" + name + "]…"; !strings.HasSuffix(got, want) || len(got) > 60 {
			t.Errorf("%s: %q, want …%s", name, got, want)
		}
	}
}
