package scrub

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"aburn/internal/lab/world"
)

func TestMarkersFit(t *testing.T) {
	for _, id := range ruleIDs() {
		if m := marker(id); len(m) > MaxMarker || markerLen(m+"x") != len(m) {
			t.Errorf("%s is not a marker", m)
		}
	}
}

func TestTextCountsAndNames(t *testing.T) {
	pat := "gh" + "p_" + strings.Repeat("a1B2c3", 6)
	for _, c := range []struct {
		text, want string
		n          int
	}{
		{"a " + pat + " b " + pat, "a [redacted:github] b [redacted:github]", 2},
		{"token=" + pat, "token=[redacted:github]", 1}, // the closer rule names it
		{"https://x:" + pat + "@github.com/a", "https://x:[redacted:github]@github.com/a", 1},
		{pat + pat, "[redacted:github]", 1},
		{"password=hunter2 user=bob", "password=[redacted:password] user=bob", 1},
		{"mail bob:hunter2", "mail bob:hunter2", 0},
		{"curl -u bob:hunter2 https://x", "curl -u bob:[redacted:argument] https://x", 1},
		{"x [redacted:github] y", "x [redacted:github] y", 0},
		{"password=[redacted:password]", "password=[redacted:password]", 0},
		{"password=[redacted:password]" + pat, "password=[redacted:password][redacted:github]", 1},
		{"https://[redacted:url-password]@x/", "https://[redacted:url-password]@x/", 0},
	} {
		if got, n := Text(c.text); got != c.want || n != c.n {
			t.Errorf("Text(%q) = %q, %d, want %q, %d", c.text, got, n, c.want, c.n)
		}
	}
}

// A value is followed only so far, and then cut between characters.
func TestLongValues(t *testing.T) {
	for shift := range 4 {
		out, n := Text("password='" + strings.Repeat("x", shift) + strings.Repeat("日", maxValue) + "'")
		if n == 0 || !utf8.ValidString(out) {
			t.Errorf("%d: %d redactions, %.80q", shift, n, out)
		}
	}
}

// slowUnits are pieces of which a text is made that takes long to search.
var slowUnits = map[string]string{
	"jwt starts":       "-ey" + "Jabcdefgh",
	"begin lines":      "-----BEGIN RSA PRIVATE " + "KEY-----\nABCDEFGHIJKLMNOPQRST\n",
	"urls":             "a://b:",
	"names":            "password=",
	"name=name":        "token_secret_key_",
	"quotes":           `password="`,
	"commands":         "curl -u a ",
	"calls":            "f(password=",
	"escapes":          `\u005cu005cu005c`,
	"percents":         "%2525",
	"slack":            "xoxb-",
	"kind":             "kind: Secret data: ",
	"vendor":           "twitter=",
	"tail of a shape":  "0123456789abcdef-us",
	"terraform":        "abcdefghijklmn.atlasv1.",
	"header":           "Authorization: ",
	"cookie":           "Cookie: a=",
	"markers":          "[redacted:x]",
	"half markers":     "[redacted:",
	"names in lines":   "password\n",
	"cells":            "password | ",
	"columns":          "password,",
	"logins":           "login a/b ",
	"typing":           "send-keys a ",
	"other languages":  "пароль ",
	"files":            "echo a > password ",
	"quoted names":     "f('password', ",
	"fields":           "<input type=password ",
	"base64":           "YWFhYWFh",
	"pieces of base64": "YWFhYWFhYWFhYWFhYWFhYWFhYWFh ",
	"hex":              "6161",
	"pipes":            "echo a b c | sudo -S x ",
	"one pipe":         "sudo -S ",
	"sentences":        "password for x y z ",
	"phrases":          "mnemonic abcd efgh ",
	"pgpass":           ":5432:a:b:",
	"hashes":           "$6$a$b$",
	"sends":            `assword send "`,
	"identified":       "user x identified by ",
	"secure strings":   "ssm put-parameter --value x ",
	"tuples":           `auth("a","`,
	"known values":     "password=kX9abcQw7zu5 kX9abcQw7zu5 token=kX9abdQw7zu5 ",
	"secrets adjacent": "sk-ant-a1b2c3d4e5f6g7h8i9j0",
}

// Texts made to be slow are searched in bounded time: what cannot be searched is redacted as a whole.
func TestSlowTexts(t *testing.T) {
	world.Slow(t)
	const size = 100 << 10
	for name, unit := range slowUnits {
		text := strings.Repeat(unit, size/len(unit))
		done := make(chan int, 1)
		go func() {
			out, _ := Text(text)
			done <- len(out) + len(Head(text, 200))
		}()
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: no end after 2 min", name)
		}
	}
}

func FuzzText(f *testing.F) {
	rnd := rand.New(rand.NewPCG(15, 16))
	lines := innocents(f)
	for range 60 {
		f.Add(generated(rnd, lines))
	}
	for _, s := range wellKnown() {
		f.Add(draw(rnd, s.expr).text)
	}
	f.Add("password=[redacted:" + "\\u0067hp_")
	f.Fuzz(func(t *testing.T, s string) {
		out, n := Text(s)
		if len(out) > len(s)+n*MaxMarker {
			t.Errorf("%d bytes with %d markers became %d", len(s), n, len(out))
		}
		if utf8.ValidString(s) && !utf8.ValidString(out) {
			t.Errorf("%q became %q, which is no UTF-8", s, out)
		}
		if (n == 0) != (out == s) {
			t.Errorf("%d redactions made %q of %q", n, out, s)
		}
		if again, m := Text(out); again != out {
			t.Errorf("%q became %q, and that %q (%d)", s, out, again, m)
		}
		const max = 80
		h := Head(s, max)
		checkHead(t, h, max)
		if _, m := Text(h); m != 0 && !strings.HasSuffix(h, ellipsis) { // a cut can give a harmless text the length of a token
			t.Errorf("the head %q of %q has a secret", h, s)
		}
	})
}

func BenchmarkHead(b *testing.B) {
	plain := "go test ./internal/journal -run TestAppend -count=1 2>&1 | tail -n 40 && git -C /src/main status --short && "
	secret := `curl -sS -H "Authorization: Bearer ` + "gh" + "p_" + strings.Repeat("a1B2c3", 6) + `" https://api.github.com/user | jq .login && `
	source, err := os.ReadFile("value.go")
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"100B":        plain[:100],
		"1KB":         strings.Repeat(plain, 10)[:1000],
		"1KB_secrets": strings.Repeat(secret, 10)[:1000],
		"100KB":       strings.Repeat(plain, 1000)[:100_000],
		"1KB_json":    strings.Repeat(strings.ReplaceAll(secret, `"`, `\"`), 10)[:1000],
		"source":      string(source),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Head(text, 200)
			}
		})
	}
	whole := strings.Repeat(string(source), 1+100_000/len(source))[:100_000]
	b.Run("Text_100KB_source", func(b *testing.B) {
		b.SetBytes(int64(len(whole)))
		for b.Loop() {
			Text(whole)
		}
	})
}

// A header's value is drawn, also if it passes for an identifier. A question mark behind a signature is not of it, nor the + of a patch
// of the token behind it.
func TestEdgesOfValues(t *testing.T) {
	rnd, through := rand.New(rand.NewPCG(41, 1)), 0
	for range 2000 {
		if _, n := Text("X-Api-Key: " + draw(rnd, `[A-Za-z0-9]{32}`).text); n == 0 {
			through++
		}
	}
	if through > 10 {
		t.Errorf("%d of 2,000 get through", through)
	}
	url := "https://photos.example.com/f.png?sp=r&sig=" + draw(rnd, `[A-Za-z0-9]{43}`).text
	if out, n := Text("May I use " + url + "%3D?"); n != 1 {
		t.Error(out)
	}
	token := "hv" + "s." + draw(rnd, `[A-Za-z0-9]{28}`).text
	if out, n := Text("@@ -0,0 +1 @@\n+" + token + "\n"); n != 1 || !strings.Contains(out, "\n+[redacted:") {
		t.Errorf("an added line: %s", out)
	}
	for _, s := range []string{"secret-key: getX509Cert", "x-auth-token: clientTokenName", "api-key: mySecretKeyName"} {
		if out, n := Text(s); n != 0 {
			t.Errorf("%s became %s", s, out)
		}
	}
}
