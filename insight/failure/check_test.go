package failure

import "testing"

func TestCheckWord(t *testing.T) {
	for command, want := range map[string]string{
		"cd x && go test ./... | tail": "go test",
		"bash -lc 'npm run lint'":      "npm run lint",
		"git commit -m 'go test'":      "",
		"cat pytest.ini":               "",
		"python -m pytest -q":          "pytest",
		"":                             "",
	} {
		if got := CheckWord(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}
