package journal

import (
	"os"
	"testing"

	"aburn/logfmt"
)

// benchLog makes a log of about n bytes in a folder of its own.
func benchLog(b *testing.B, n int) *Journal {
	b.Helper()
	dir := b.TempDir()
	if err := os.WriteFile(dir+"/"+Name, logText(n), 0o600); err != nil {
		b.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { root.Close() })
	return New(root, Options{})
}

// BenchmarkForward replays 100 MB: lines only, then with their routing fields,
// then whole entries. Compare with wc -l of the same file.
func BenchmarkForward(b *testing.B) {
	const size = 100 << 20
	j := benchLog(b, size)
	run := func(name string, look func([]byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				for l, err := range j.Forward(Position{}) {
					if err != nil {
						b.Fatal(err)
					}
					look(l.JSON)
				}
			}
		})
	}
	run("lines", func([]byte) {})
	run("routing fields", func(line []byte) {
		if _, ok := logfmt.ParseHeader(line); !ok {
			b.Fatal("no entry")
		}
	})
	run("all fields", func(line []byte) {
		if _, err := logfmt.Parse(line); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkBackward finds the newest entry of logs of very different sizes.
func BenchmarkBackward(b *testing.B) {
	for name, size := range map[string]int{"1 MB": 1 << 20, "1 GB": 1 << 30} {
		j := benchLog(b, size)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range j.Backward(BackwardOptions{}) {
					if err != nil {
						b.Fatal(err)
					}
					if n++; n == 100 {
						break
					}
				}
			}
		})
	}
}

// BenchmarkRotate rotates a segment of the default size; what it reads it reads
// before it takes the lock.
func BenchmarkRotate(b *testing.B) {
	text := logText(16 << 20)
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		if err := os.WriteFile(dir+"/"+Name, text, 0o600); err != nil {
			b.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			b.Fatal(err)
		}
		j := New(root, Options{})
		b.StartTimer()
		if did, err := j.RotateIfDue(Hook); !did || err != nil {
			b.Fatal(did, err)
		}
		root.Close()
	}
}
