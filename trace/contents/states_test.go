package contents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/trace/draft"
)

// stored writes three records to a file, and returns what a reader would want of them.
func stored(t *testing.T) (path string, wants []contents.Want) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.jsonl")
	var all bytes.Buffer
	for i, text := range []string{"the first", "the \"second\"\nof them", "the third"} {
		wants = append(wants, contents.Want{Ref: trace.Ref{Line: int64(i + 1), Offset: int64(all.Len())}, Record: fmt.Sprint("id-", i),
			Digest: draft.Digest([]byte(text))})
		fmt.Fprintf(&all, "{\"id\":\"id-%d\",\"content\":[{\"type\":\"text\",\"text\":%q}]}\n", i, text)
	}
	if err := os.WriteFile(path, all.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, wants
}

func digest(text string) trace.Digest { return draft.Digest([]byte(text)) }

func read(t *testing.T, from contents.From, wants []contents.Want) (states string) {
	t.Helper()
	got, err := contents.Read(t.Context(), from, wants)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for i, c := range got {
		word := []string{"proved", "changed", "gone", "unreadable"}[c.State]
		if c.State == contents.Proved && draft.Digest(c.Text) != wants[i].Digest {
			t.Errorf("want %d is %q", i, c.Text)
		}
		if c.Kept {
			word += " kept"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// change rewrites a file.
func change(t *testing.T, path string, how func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, how(data), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func compressed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err == nil {
		_, err = z.Write(data)
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What can become of a file between its reading and its showing.
func TestFileHasChangedSince(t *testing.T) {
	for _, c := range []struct {
		what string
		do   func(t *testing.T, path string) contents.From
		want string
	}{
		{"it is as it was", func(*testing.T, string) contents.From { return contents.From{} }, "proved, proved, proved"},
		{"it has grown", func(t *testing.T, path string) contents.From {
			change(t, path, func(b []byte) []byte { return append(b, "{\"id\":\"id-9\"}\n{\"id\":"...) })
			return contents.From{}
		}, "proved, proved, proved"},
		{"a record was rewritten", func(t *testing.T, path string) contents.From {
			change(t, path, func(b []byte) []byte { return bytes.Replace(b, []byte("the first"), []byte("the other"), 1) })
			return contents.From{}
		}, "changed, proved, proved"},
		{"everything was moved within it", func(t *testing.T, path string) contents.From {
			change(t, path, func(b []byte) []byte { return append([]byte("{}\n"), b...) })
			return contents.From{}
		}, "changed, changed, changed"},
		{"it was cut off", func(t *testing.T, path string) contents.From {
			change(t, path, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] })
			return contents.From{}
		}, "proved, changed, changed"},
		{"it is gone", func(t *testing.T, path string) contents.From { os.Remove(path); return contents.From{} }, "gone, gone, gone"},
		{"it was moved", func(t *testing.T, path string) contents.From {
			if err := os.Rename(path, path+".moved"); err != nil {
				t.Fatal(err)
			}
			return contents.From{Moved: path + ".moved"}
		}, "proved, proved, proved"},
		{"its agent compressed it", func(t *testing.T, path string) contents.From {
			change(t, path, func(b []byte) []byte { return compressed(t, b) })
			if err := os.Rename(path, path+contents.Compressed); err != nil {
				t.Fatal(err)
			}
			return contents.From{}
		}, "proved, proved, proved"},
		{"it is a folder now", func(t *testing.T, path string) contents.From {
			os.Remove(path)
			os.Mkdir(path, 0o700)
			return contents.From{}
		}, "unreadable, unreadable, unreadable"},
		{"a later record of the same id has the text", func(t *testing.T, path string) contents.From {
			change(t, path, func(b []byte) []byte {
				return append(bytes.Replace(b, []byte("the first"), []byte("the draft"), 1), "{\"id\":\"id-0\",\"content\":\"the first\"}\n"...)
			})
			return contents.From{}
		}, "proved, proved, proved"},
		{"it is gone, and a copy was kept of it", func(t *testing.T, path string) contents.From {
			copied := path + ".copy"
			if err := os.Rename(path, copied); err != nil {
				t.Fatal(err)
			}
			return contents.From{Kept: func(ctx context.Context, _ int, refs []trace.Ref, each func(int, []byte, error)) error {
				f, err := os.Open(copied)
				if err != nil {
					return err
				}
				defer f.Close()
				return contents.Lines(ctx, f, false, refs, each)
			}}
		}, "proved kept, proved kept, proved kept"},
	} {
		path, wants := stored(t)
		from := c.do(t, path)
		from.Sources = []trace.File{{Path: path}}
		if got := read(t, from, wants); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// A line of 100 MB in the place of a record is passed over, and what stands behind it is read.
func TestLineOf100MB(t *testing.T) {
	world.Slow(t)
	path, wants := stored(t)
	long := `{"id":"long","content":"` + strings.Repeat("x", 100<<20) + `"}` + "\n"
	var first int64
	change(t, path, func(b []byte) []byte {
		first = int64(bytes.IndexByte(b, '\n') + 1)
		return bytes.Join([][]byte{b[:first], []byte(long), b[first:]}, nil)
	})
	for i := 1; i < len(wants); i++ {
		wants[i].Ref.Offset += int64(len(long))
	}
	wants = append(wants, contents.Want{Ref: trace.Ref{Offset: first}, Record: "long", Digest: trace.Digest{Length: 100 << 20, Hash: "0123456789abcdef"}})
	if got := read(t, contents.From{Sources: []trace.File{{Path: path}}}, wants); got != "proved, proved, proved, unreadable" {
		t.Error(got)
	}
}
