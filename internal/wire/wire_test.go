package wire

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// all has every kind of field.
type all struct {
	Int64         int64
	Int           int
	Amount64      int64
	Amount        int
	First, Second int64 // the second as what it is after the first
	Bool          bool
	Flag, Other   bool
	Float         float64
	Text          string
	Start, End    time.Time
	Missing       *int
	List          []entry
}

type entry struct {
	Name    string
	Numbers []int
}

// walk goes over all.
type walk struct {
	Coder
	entries Pool[entry]
	numbers Pool[int]
}

func (w *walk) all(a *all) {
	before := int64(0)
	w.Int64(&a.Int64)
	w.Int(&a.Int)
	w.Amount64(&a.Amount64)
	w.Amount(&a.Amount)
	w.After(&a.First, &before)
	w.After(&a.Second, &before)
	w.Bool(&a.Bool)
	w.Flags(&a.Flag, &a.Other)
	w.Float(&a.Float)
	w.Text(&a.Text)
	w.Time(&a.Start)
	w.Time(&a.End)
	Pointer(w, &a.Missing, &w.numbers, (*walk).Int)
	List(w, &a.List, &w.entries, 2, (*walk).entry)
}

func (w *walk) entry(e *entry) {
	w.Text(&e.Name)
	List(w, &e.Numbers, nil, 1, (*walk).Int)
}

func write(a *all) ([]byte, error) {
	w := &walk{Coder: Writer([]byte("before"))}
	w.all(a)
	return bytes.TrimPrefix(w.Written(), []byte("before")), w.Err()
}

func read(form []byte) (*all, error) {
	w, a := &walk{Coder: Reader(string(form))}, new(all)
	w.all(a)
	return a, w.End()
}

// draw is anything.
func draw(r *rand.Rand) *all {
	number := func() int64 {
		return []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, math.MaxInt64, math.MinInt64, r.Int64()}[r.IntN(12)]
	}
	amount := func() int64 { return []int64{0, 1, 127, 128, math.MaxInt64, r.Int64()}[r.IntN(6)] }
	moment := func() time.Time {
		return []time.Time{
			{}, time.UnixMilli(0).UTC(), time.UnixMilli(r.Int64N(1e13)).UTC(), time.Unix(r.Int64N(1e10), r.Int64N(1e9)).UTC(), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC),
		}[r.IntN(7)]
	}
	text := func() string { return []string{"", "a", "\x00\xff", "日本", strings.Repeat("long", 100)}[r.IntN(5)] }
	a := &all{
		Int64: number(), Int: int(number()), Amount64: amount(), Amount: int(amount()), First: number(), Second: number(), Bool: r.IntN(2) == 0,
		Flag: r.IntN(2) == 0, Other: r.IntN(2) == 0, Float: []float64{0, 0.1, -1e300, math.Inf(1)}[r.IntN(4)], Text: text(), Start: moment(), End: moment(),
	}
	if r.IntN(2) == 0 {
		a.Missing = new(int(number()))
	}
	for range r.IntN(4) {
		e := entry{Name: text()}
		for range r.IntN(3) {
			e.Numbers = append(e.Numbers, int(number()))
		}
		a.List = append(a.List, e)
	}
	return a
}

// What is written is read, whatever it is.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		want := draw(r)
		form, err := write(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read(form)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: got\n%+v\nwant\n%+v", err, got, want)
		}
	}
}

// Many may write one value at once: nothing is stored in it. The race detector looks.
func TestWritingStoresNothing(t *testing.T) {
	one := draw(rand.New(rand.NewPCG(3, 4)))
	one.Missing, one.List = new(1), []entry{{"a", []int{1}}}
	done := make(chan error, 2)
	for range cap(done) {
		go func() {
			_, err := write(one)
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// What was cut off, or has more behind it, is refused, with the place.
func TestRefused(t *testing.T) {
	form, err := write(&all{Text: "text", Missing: new(300), List: []entry{{"a", []int{1, 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range form {
		if _, err := read(form[:n]); err == nil || !strings.HasPrefix(err.Error(), "byte ") {
			t.Errorf("the first %d of %d bytes: %v", n, len(form), err)
		}
	}
	if _, err := read(append(form, 0)); err == nil {
		t.Error("a byte too many is read")
	}
	for what, step := range map[string]func(c *Coder){
		"a negative amount": func(c *Coder) { c.Amount64(new(int64(-1))) },
		"a flag too many":   func(c *Coder) { reading(c, func() { c.Flags(new(false)) }, func() { c.Put(2) }) },
		"a bool of 2":       func(c *Coder) { reading(c, func() { c.Bool(new(false)) }, func() { c.Put(2) }) },
		"a number of 65 bits": func(c *Coder) {
			reading(c, func() { c.Int(new(0)) }, func() { c.PutBytes(strings.Repeat("\xff", 9) + "\x02") })
		},
		"a number without end": func(c *Coder) {
			reading(c, func() { c.Int(new(0)) }, func() { c.PutBytes(strings.Repeat("\x80", 11)) })
		},
		"a text that is longer": func(c *Coder) { reading(c, func() { c.Text(new("")) }, func() { c.Put(math.MaxUint64) }) },
		"the year 10000": func(c *Coder) {
			reading(c, func() { c.Time(new(time.Time{})) }, func() { c.Put(zigzag(253402300800000)<<1 + 1) })
		},
	} {
		w := Writer(nil)
		step(&w)
		r := Reader(string(w.Written()))
		if step(&r); r.Err() == nil || r.Left() != 0 {
			t.Errorf("%s is read: %v", what, r.Err())
		}
	}
	w := Writer(nil)
	if w.Time(new(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))); w.Err() == nil {
		t.Error("the year 10000 is written")
	}
}

// reading does one of two things.
func reading(c *Coder, yes, no func()) {
	if c.Reading() {
		yes()
	} else {
		no()
	}
}

// bound is how much memory reading may take for each byte of a form, and for itself: an entry of 40 bytes for two, the first
// parts of pools, an error.
const perByte, atMost = 64, 64 << 10

// What anybody writes into a form neither panics nor takes more memory than the form can fill, and is the same when it is
// written again.
func FuzzRead(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		form, err := write(draw(r))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(form)
	}
	f.Add(append(make([]byte, 13), "\xff\xff\xff\xff\x7f"...))
	f.Fuzz(func(t *testing.T, form []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := read(form)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(perByte*len(form)+atMost) {
			t.Errorf("%d bytes took %d", len(form), n)
		}
		if err != nil {
			return
		}
		again, err := write(got)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := read(again); err != nil || !reflect.DeepEqual(second, got) && !math.IsNaN(got.Float) {
			t.Errorf("%v: %+v is written again as %+v", err, got, second)
		}
	})
}
