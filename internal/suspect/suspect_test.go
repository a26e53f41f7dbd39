package suspect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCall(t *testing.T) {
	words := Words{{Sets: [][]string{{"git"}, {"push", "pull"}}}, {Files: true, Sets: [][]string{{".env", "*cert*"}}}, {Sets: [][]string{{"pip*"}, {">"}}}}
	text := strings.TrimPrefix(string(words.Bytes()), head+"\n")
	for _, c := range []struct {
		input string
		shell bool
		extra string
		want  bool
	}{
		{`{"command":"git push"}`, true, "", true},
		{`{"command":"GIT pull"}`, true, "", true},
		{`{"command":"git status"}`, true, "", false},
		{`{"command":"digit push"}`, true, "", false},
		{`{"command":"g\"i\"t pu''sh"}`, true, "", true},
		{`{"command":"g\\it pu\\\nsh"}`, true, "", true},
		{`{"command":"a\ngit\tpush"}`, true, "", true},
		{`{"command":"\u0067it push"}`, true, "", true},
		{`{"command":"x=push; y $x"}`, true, "", true},
		{`{"command":"a{b,c}"}`, true, "", true},
		{`{"command":"pip3 list > a"}`, true, "", true},
		{`{"command":"pip3 list 2>&1"}`, true, "", false},
		{`{"file_path":"a/.env.local"}`, false, "", true},
		{`{"file_path":"a"}`, false, "/h/mycerts", true},
		{`{"file_path":"a"}`, false, "/h/x", false},
		{`{"command":"cat .env"}`, true, "", false},
		{``, true, "", false},
	} {
		if got := Call(text, c.input, c.shell, c.extra); got != c.want {
			t.Errorf("%s: suspect %v, want %v", c.input, got, c.want)
		}
	}
	if Call("", `{"command":"git push"}`, true, "") || !Call("a\n", `{"command":"ls"}`, true, "") {
		t.Error("no clause hits, or a clause without sets does not")
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	if _, ok, err := Read(path); ok || err != nil {
		t.Errorf("no file: %v, %v", ok, err)
	}
	for text, want := range map[string]error{string(Words{}.Bytes()): nil, "aburn guard words 2\na\n": ErrVersion, "x": ErrVersion} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := Read(path); ok != (want == nil) || !errors.Is(err, want) {
			t.Errorf("%q: %v, %v", text, ok, err)
		}
	}
	if err := os.WriteFile(path, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := Read(path); ok || err == nil {
		t.Error("a large file is read")
	}
}
