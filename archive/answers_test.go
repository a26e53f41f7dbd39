package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"aburn/trace"
)

// Rows are read beside who sums them up: each gets all chosen ones in the order of their keys, an error of either ends both, and the
// connection is free afterwards.
func TestEachAnswers(t *testing.T) {
	a := create(t)
	if err := a.run("PRAGMA foreign_keys = off"); err != nil {
		t.Fatal(err)
	}
	want := map[int64][]Answer{}
	for key := int64(1); key <= 200; key++ {
		var w answerCoder
		for i := range 30 {
			r := Answer{Time: at(i), Model: fmt.Sprintf("model-%d-%d-%s", key, i, strings.Repeat("x", 40)), Branch: "main",
				Usage: trace.Usage{Input: key, Output: int64(i + 1)}}
			want[key] = append(want[key], r)
			w.answer(&r)
		}
		if err := a.run("INSERT INTO answers (session, rows) VALUES (?,?)", key, compress(w.Written())); err != nil {
			t.Fatal(err)
		}
	}
	odd := func(key int64) bool { return key%2 == 1 }
	read := func(ctx context.Context, until int64, end func() error) (keys []int64, err error) {
		err = a.EachAnswers(ctx, odd, func(key int64, list []Answer) error {
			if keys = append(keys, key); !slices.EqualFunc(list, want[key], func(a, b Answer) bool {
				return a.Time.Equal(b.Time) && a.Model == b.Model && a.Branch == b.Branch && a.Usage == b.Usage
			}) {
				t.Errorf("%d: %+v", key, list)
			}
			if key == until {
				return end()
			}
			return nil
		})
		return keys, err
	}
	if keys, err := read(t.Context(), 0, nil); err != nil || len(keys) != 100 || !slices.IsSorted(keys) {
		t.Errorf("%v, %v", keys, err)
	}
	enough := errors.New("enough")
	if keys, err := read(t.Context(), 9, func() error { return enough }); !errors.Is(err, enough) || !slices.Equal(keys, []int64{1, 3, 5, 7, 9}) {
		t.Errorf("%v, %v", keys, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if _, err := read(ctx, 9, func() error { stop(); return ctx.Err() }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := a.run("UPDATE answers SET rows = x'00112233445566' WHERE session = 151"); err != nil {
		t.Fatal(err)
	}
	if keys, err := read(t.Context(), 0, nil); err == nil || !strings.Contains(err.Error(), "the answers of session 151") || len(keys) > 75 {
		t.Errorf("%v, %v", keys, err)
	}
	if err := a.run("DELETE FROM answers"); err != nil { // no session has them
		t.Error(err)
	}
}
