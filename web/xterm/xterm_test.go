package xterm

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// published are the SHA-256 of the files in the tarballs of the registry, whose integrity is
//
//	@xterm/xterm@6.0.0       sha512-TQwDdQGtwwDt+2cgKDLn0IRaSxYu1tSUjgKarSDkUM0ZNiSRXFpjxEsvc/Zgc5kq5omJ+V0a8/kIM2WD3sMOYg==
//	@xterm/addon-fit@0.11.0  sha512-jYcgT6xtVYhnhgxh3QgYDnnNMYTcf8ElbxxFzX0IZo+vabQqSPAjC3c1wJrKB5E19VwQei89QCiZZP86DCPF7g==
var published = map[string]string{
	"xterm/xterm.js":         "14903579ff54664cd72f8e8699e6961a6272c21863ec1c3b118cdc8af5d4a972",
	"xterm/xterm.css":        "854a7c0fb70e8b1a083c16797ab827299fb18744f5ad34f227b48337e33293c6",
	"xterm/LICENSE":          "b569f629d00f2626a8100df2a1798210535621e42164dfd426a6fe5aac7b0ccd",
	"addon-fit/addon-fit.js": "ba3ea256ce0620a0992a197d6c9baea64823fc93d8da07a9e366ca9943c18527",
	"addon-fit/LICENSE":      "e256f01188af527e4d06d21d06fbf785ae9c50d4b328bf03cbe0ba7f0aa4228f",
}

// Each file is what was published, and no other file lies beside it.
func TestFilesAreThoseThatWerePublished(t *testing.T) {
	found := 0
	err := filepath.WalkDir("published", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		name := filepath.ToSlash(strings.TrimPrefix(path, "published"+string(filepath.Separator)))
		if got := hex.EncodeToString(sum[:]); got != published[name] {
			t.Errorf("%s has the SHA-256 %s, published was %q", name, got, published[name])
		}
		found++
		return nil
	})
	if err != nil || found != len(published) {
		t.Errorf("%d files, want %d: %v", found, len(published), err)
	}
	for path, f := range Files() {
		if f[0] == "" || len(f[1]) < 500 {
			t.Errorf("%s is %q with %d bytes", path, f[0], len(f[1]))
		}
	}
}
