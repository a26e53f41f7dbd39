package cost_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/insight/cost"
)

// table is a price file with the given rows; the first stands on line 4.
func table(t *testing.T, rows ...string) *cost.Prices {
	t.Helper()
	p, err := cost.Read(file(rows...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func file(rows ...string) []byte {
	return fmt.Appendf(nil, `{"v":1,"made":"2026-11-22","currency":"USD","unit":"per 1,000,000 tokens",
"modifiers":[{"vendor":"a","when":"usage.inference_geo is us","times":1.1},{"vendor":"a","when":"server_tool_use.web_search_requests","usd_per_1000":10}],
"rows":[
%s
]}`, strings.Join(rows, ",\n"))
}

const (
	split = `{"vendor":"a","models":["m-1"],"from":"2026-10-01","until":"2026-11-01","per_mtok":{"input":4,"cache_write_5m":5,"cache_write_1h":8,` +
		`"cache_read":0.2,"output":20},"fast":2,"batch":0.5,"seen":"vendor"}`
	later = `{"vendor":"a","models":["m-1"],"from":"2026-11-01","per_mtok":{"input":2,"cache_write_5m":2.5,"cache_write_1h":4,"cache_read":0.1,"output":10},` +
		`"seen":"others"}`
	one = `{"vendor":"o","models":["one"],"from":"2026-10-01","per_mtok":{"input":2,"cache_read":0.1,"output":10,"cache_write":2.5},"long":{"above":1000,` +
		`"counts":"input + cache_read","whole_request":true,"times":{"input":2,"cache_read":2,"output":1.5}},"ultrafast":[{"times":3,"until":"2026-11-01"},` +
		`{"times":6,"from":"2026-11-01"}],"seen":"vendor"}`
)

func october() time.Time { return time.Date(2026, 10, 31, 23, 59, 59, 999, time.UTC) }

func TestPrice(t *testing.T) {
	p := table(t, split, later, one)
	november := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		r    cost.Response
		want string // amount, then "≥", "≈", tokens without a price
	}{
		{"kinds", cost.Response{Time: october(), Model: "m-1", Tokens: cost.Tokens{Input: 1e6, CacheRead: 1e6, Write5m: 1e6, Write1h: 1e6, Output: 1e6}}, "37.2"},
		{"one token", cost.Response{Time: october(), Model: "m-1", Tokens: cost.Tokens{CacheRead: 1}}, "0.0000002"},
		{"the first instant of another price", cost.Response{Time: november, Model: "m-1", Tokens: cost.Tokens{Input: 1e6}}, "2 ≈"},
		{"a zone does not move the day", cost.Response{Time: november.In(time.FixedZone("", -8*3600)), Model: "m-1", Tokens: cost.Tokens{Input: 1e6}}, "2 ≈"},
		{"a date behind the model", cost.Response{Time: october(), Model: "m-1-20261001", Tokens: cost.Tokens{Input: 1e6}}, "4"},
		{"a date with hyphens", cost.Response{Time: october(), Model: "m-1-2026-10-01", Tokens: cost.Tokens{Input: 1e6}}, "4"},
		{"a suffix in brackets", cost.Response{Time: october(), Model: "m-1[1m]", Tokens: cost.Tokens{Input: 1e6}}, "4"},
		{"never by prefix", cost.Response{Time: october(), Model: "m-1-mini", Tokens: cost.Tokens{Input: 7, Output: 1}}, "0 ≥ m-1-mini:8"},
		{"before the first day", cost.Response{Time: time.Date(2026, 9, 30, 23, 0, 0, 0, time.UTC), Model: "m-1", Tokens: cost.Tokens{Input: 7}}, "0 ≥ m-1:7"},
		{"no time", cost.Response{Model: "m-1", Tokens: cost.Tokens{Input: 7}}, "0 ≥ m-1:7"},
		{"writes of unknown life", cost.Response{Time: october(), Model: "m-1", Tokens: cost.Tokens{Write: 1e6}}, "5 ≥"},
		{"writes to a cache with one time", cost.Response{Time: october(), Model: "one", Tokens: cost.Tokens{Write: 1e6}}, "2.5"},
		{"writes that nobody counts", cost.Response{Time: october(), Model: "one", Tokens: cost.Tokens{Input: 100}, WritesUnknown: true}, "0.0002 ≥"},
		{"writes that nobody counts, of no input", cost.Response{Time: october(), Model: "one", Tokens: cost.Tokens{Output: 100}, WritesUnknown: true}, "0.001"},
		{"a kind without a price", cost.Response{Time: october(), Model: "one", Tokens: cost.Tokens{Input: 1000, Write5m: 9}}, "0.002 ≥ one:9"},
		{"fast", cost.Response{Time: october(), Model: "m-1", Tier: cost.Fast, Tokens: cost.Tokens{Input: 1e6}}, "8"},
		{"batch", cost.Response{Time: october(), Model: "m-1", Tier: cost.Batch, Tokens: cost.Tokens{Input: 1e6}}, "2"},
		{"a tier without a price", cost.Response{Time: november, Model: "m-1", Tier: cost.Fast, Tokens: cost.Tokens{Input: 7}}, "0 ≥ m-1:7"},
		{"a tier that no row names", cost.Response{Time: october(), Model: "m-1", Tier: "flex", Tokens: cost.Tokens{Input: 7}}, "0 ≥ m-1:7"},
		{"a factor with days", cost.Response{Time: october(), Model: "one", Tier: cost.Ultrafast, Tokens: cost.Tokens{Input: 1000}}, "0.006"},
		{"and after them", cost.Response{Time: november, Model: "one", Tier: cost.Ultrafast, Tokens: cost.Tokens{Input: 1000}}, "0.012"},
		{"at the limit of a long prompt", cost.Response{Time: october(), Model: "one", Tokens: cost.Tokens{Input: 600, CacheRead: 400, Output: 100}}, "0.00224"},
		{"a long prompt, all of it", cost.Response{Time: october(), Model: "one", Tokens: cost.Tokens{Input: 601, CacheRead: 400, Output: 100}}, "0.003984"},
		{"a long prompt has no price for writes", cost.Response{Time: october(), Model: "one", Tokens: cost.Tokens{Input: 1001, Write: 5}}, "0.004004 ≥ one:5"},
		{"served in the US", cost.Response{Time: october(), Model: "m-1", Geo: "us", Tokens: cost.Tokens{CacheRead: 1}}, "0.00000022"},
		{"served elsewhere", cost.Response{Time: october(), Model: "m-1", Geo: "eu", Tokens: cost.Tokens{Input: 1e6}}, "4"},
		{"searches", cost.Response{Time: october(), Model: "m-1", Searches: 3}, "0.03"},
		{"searches at a vendor without a price for them", cost.Response{Time: october(), Model: "one", Searches: 3}, "0 ≥"},
		{"more than an amount can hold", cost.Response{Time: october(), Model: "m-1", Tokens: cost.Tokens{Output: 1e15}}, "0 ≥ m-1:1000000000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(p.Price(c.r)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func show(s cost.Sum) string {
	text := s.Amount.Decimal()
	if s.Lower() {
		text += " ≥"
	}
	if s.Uncertain {
		text += " ≈"
	}
	for _, m := range s.UnpricedModels() {
		text += fmt.Sprintf(" %s:%d", m, s.Unpriced[m])
	}
	return text
}

// TestSumsInAnyOrder: shuffled, and summed in parts, responses cost the same.
func TestSumsInAnyOrder(t *testing.T) {
	p := cost.Shipped()
	random := rand.New(rand.NewPCG(1, 2))
	responses := drawn(random, 5000)
	want := p.Price(responses...)
	for range 10 {
		random.Shuffle(len(responses), func(i, j int) { responses[i], responses[j] = responses[j], responses[i] })
		var got cost.Sum
		for part := range slices.Chunk(responses, 1+random.IntN(700)) {
			got.Add(p.Price(part...))
		}
		if show(got) != show(want) || got.Tokens != want.Tokens || got.Responses != want.Responses || len(got.Rows) != len(want.Rows) {
			t.Fatalf("got %s, want %s", show(got), show(want))
		}
	}
}

func TestASumThatIsTooLarge(t *testing.T) {
	p := table(t, split)
	r := cost.Response{Time: october(), Model: "m-1", Tokens: cost.Tokens{Output: 3e11}} // 6 million dollars
	if s := p.Price(r, r); !s.AtLeast || s.Amount.Decimal() != "9223372.036854775807" {
		t.Errorf("%+v", s)
	}
}

func TestOwnPricesWin(t *testing.T) {
	own := table(t, `{"vendor":"me","models":["m-1","local"],"from":"2026-10-15","until":"2026-11-15","per_mtok":{"input":1,"output":1}}`)
	p := table(t, split, later).With(own)
	at := func(day int, model string) string {
		return show(p.Price(cost.Response{Time: time.Date(2026, 10, day, 0, 0, 0, 0, time.UTC), Model: model, Tokens: cost.Tokens{Input: 1e6}}))
	}
	for day, want := range map[int]string{14: "4", 15: "1", 31 + 14: "1", 31 + 15: "2 ≈"} {
		if got := at(day, "m-1"); got != want {
			t.Errorf("October %d: %s, want %s", day, got, want)
		}
	}
	if got := at(20, "local"); got != "1" {
		t.Errorf("local: %s", got)
	}
}

func TestRefusedFiles(t *testing.T) {
	with := func(old, new string) []byte { return file(one, strings.Replace(split, old, new, 1)) }
	for name, c := range map[string]struct {
		text []byte
		line int
		says string
	}{
		"negative":           {with(`"input":4`, `"input":-4`), 5, "negative"},
		"not finite":         {with(`"input":4`, `"input":1e999`), 5, "1e999"},
		"a word":             {with(`"input":4`, `"input":"cheap"`), 5, "cheap"},
		"too fine":           {with(`"input":4`, `"input":0.0000001`), 5, "decimal places"},
		"an unknown member":  {with(`"fast":2`, `"fats":2`), 5, `"fats"`},
		"an unknown kind":    {with(`"input":4`, `"inputs":4`), 5, "kind"},
		"no price":           {with(`"input":4,"cache_write_5m":5,"cache_write_1h":8,"cache_read":0.2,"output":20`, ``), 5, "without a price"},
		"no model":           {with(`"m-1"`, ``), 5, "without a model"},
		"no day":             {with(`2026-10-01`, `2026-13-01`), 5, "2026-13-01"},
		"days backward":      {with(`2026-11-01`, `2026-09-01`), 5, "not after"},
		"days twice":         {file(one, split, strings.Replace(later, "2026-11-01", "2026-10-31", 1)), 6, "holds on days of"},
		"an unknown source":  {with(`"seen"`, `"sources":["X"],"seen"`), 5, `"X"`},
		"a missing factor":   {file(strings.Replace(one, `"times":3,`, ``, 1)), 4, "missing"},
		"half a long prompt": {file(strings.Replace(one, `"whole_request":true`, `"whole_request":false`, 1)), 4, "whole_request"},
		"another version":    {[]byte(`{"v":2,"currency":"USD"}`), 1, `"v" is 2`},
		"another currency":   {[]byte(`{"v":1,"currency":"EUR"}`), 1, "EUR"},
		"cut off":            {file(one)[:300], 4, "ends too early"},
		"not JSON":           {[]byte("{\n\"v\":1,\n}"), 3, "invalid character"},
		"more behind":        {append(file(one), "{}"...), 5, "behind"},
		"empty":              {nil, 1, "ends too early"},
		"an unknown modifier": {[]byte(strings.Replace(string(file(one)), "usage.inference_geo is us", "the moon is full", 1)), 2,
			"the moon is full"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cost.Read(c.text)
			var refused *cost.FileError
			if !errors.As(err, &refused) {
				t.Fatalf("%v", err)
			}
			if refused.Line != c.line || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want line %d with %q", err, c.line, c.says)
			}
		})
	}
}

// TestShipped: each row says where it was seen, and each source is used.
func TestShipped(t *testing.T) {
	p := cost.Shipped()
	used := map[string]bool{}
	for _, row := range p.Rows() {
		if len(row.Sources) == 0 || row.From == "" || row.Seen == "" {
			t.Errorf("%s: %q, seen %q", row.Name, row.Sources, row.Seen)
		}
		vendor := false
		for _, id := range row.Sources {
			used[id] = true
			vendor = vendor || p.Sources[id].Kind == "vendor"
		}
		if row.Seen == "vendor" && !vendor {
			t.Errorf("%s claims its vendor without a source of its vendor's", row.Name)
		}
	}
	for _, m := range p.Modifiers() {
		for _, id := range m.Sources {
			used[id] = true
		}
	}
	for id := range p.Sources {
		if !used[id] {
			t.Errorf("nobody uses source %s", id)
		}
	}
}

func TestDecimals(t *testing.T) {
	for a, want := range map[cost.Amount][2]any{
		0:                     {"0", int64(0)},
		1:                     {"0.000000000001", int64(0)},
		-1_500_000_000_000:    {"-1.5", int64(-150)},
		4_995_000_000_000:     {"4.995", int64(500)},
		4_994_999_999_999:     {"4.994999999999", int64(499)},
		9_223_372036854775807: {"9223372.036854775807", int64(922337204)},
	} {
		if got := [2]any{a.Decimal(), a.Cents()}; got != want {
			t.Errorf("%d: %v, want %v", a, got, want)
		}
	}
}
