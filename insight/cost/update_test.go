package cost

import (
	"strings"
	"testing"
	"time"
)

const lite = `{
 "sample_spec": {"input_cost_per_token": 0, "output_cost_per_token": 0, "mode": "chat"},
 "acme-large": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 2e-06, "output_cost_per_token": 1e-05,
  "cache_creation_input_token_cost": 2.5e-06, "cache_creation_input_token_cost_above_1hr": 4e-06,
  "input_cost_per_token_above_200k_tokens": 4e-06, "output_cost_per_token_above_200k_tokens": 1.5e-05, "input_cost_per_token_batches": 1e-06},
 "acme-free": {"mode": "chat", "input_cost_per_token": 0, "output_cost_per_token": 0},
 "acme-fine": {"mode": "chat", "input_cost_per_token": 1.0000001e-06, "output_cost_per_token": 1e-05},
 "acme-image": {"mode": "image_generation", "input_cost_per_token": 1e-06},
 "other": {"mode": "chat", "input_cost_per_token": 1e-06}
}`

func acme(model string) bool { return strings.HasPrefix(model, "acme") }

func plan(t *testing.T, own, text string, today Day) *Update {
	t.Helper()
	u, err := PlanUpdate([]byte(own), []byte(text), today, acme)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func priceOn(t *testing.T, own []byte, day string, r Response) string {
	t.Helper()
	p, err := Read(own)
	if err != nil {
		t.Fatalf("%v\n%s", err, own)
	}
	r.Time, _ = time.Parse(time.DateOnly, day)
	s := Shipped().With(p).Price(r)
	text := s.Amount.Decimal()
	if s.Uncertain {
		text = "≈ " + text
	}
	if len(s.Unpriced) > 0 {
		text += " and tokens without a price"
	}
	return text
}

// LiteLLM states no day: its rows hold from today, and what they leave open is not guessed.
func TestLiteLLM(t *testing.T) {
	u := plan(t, "", lite, "2026-11-22")
	if len(u.Changes) != 1 || u.Unwanted != 1 || u.Same != 0 || len(u.LeftOut) != 2 {
		t.Fatalf("%+v", u)
	}
	million := Response{Model: "acme-large", Tokens: Tokens{Input: 100_000, Write5m: 10_000, Write1h: 10_000, Output: 1000}}
	long := Response{Model: "acme-large", Tokens: Tokens{Input: 1_000_000, Output: 1000}}
	for _, c := range []struct {
		day  string
		of   Response
		want string
	}{
		{"2026-11-22", million, "≈ 0.275"}, {"2026-11-22", long, "≈ 4.015"},
		{"2026-11-21", million, "0 and tokens without a price"},
	} {
		if got := priceOn(t, u.Text, c.day, c.of); got != c.want {
			t.Errorf("on %s: %s, want %s", c.day, got, c.want)
		}
	}
	again := plan(t, string(u.Text), lite, "2026-12-01")
	if len(again.Changes) != 0 || again.Same != 1 {
		t.Errorf("the same file again: %+v", again)
	}
	raised := plan(t, string(u.Text), strings.Replace(lite, "2e-06", "3e-06", 1), "2026-12-01")
	if len(raised.Changes) != 1 || raised.Changes[0].Before == nil {
		t.Fatalf("%+v", raised)
	}
	for day, want := range map[string]string{"2026-11-30": "≈ 0.275", "2026-12-01": "≈ 0.375"} {
		if got := priceOn(t, raised.Text, day, million); got != want {
			t.Errorf("after the rise, on %s: %s, want %s", day, got, want)
		}
	}
	twice := plan(t, string(raised.Text), strings.Replace(lite, "2e-06", "3.5e-06", 1), "2026-12-01")
	if got := priceOn(t, twice.Text, "2026-12-01", million); got != "≈ 0.425" {
		t.Errorf("two updates on a day: %s", got)
	}
}

// A row that is known to hold later ends an imported one.
func TestLiteLLMBeforeAKnownChange(t *testing.T) {
	own := `{"v":1,"currency":"USD","rows":[{"models":["acme-large"],"from":"2027-01-01","per_mtok":{"input":9}}]}`
	u := plan(t, own, lite, "2026-11-22")
	r := Response{Model: "acme-large", Tokens: Tokens{Input: 1_000_000}}
	for day, want := range map[string]string{"2026-12-31": "≈ 4", "2027-01-01": "9"} {
		if got := priceOn(t, u.Text, day, r); got != want {
			t.Errorf("on %s: %s, want %s", day, got, want)
		}
	}
}

// An own row keeps its other models, and the days before.
func TestOwnRowsGiveWay(t *testing.T) {
	own := `{"v":1,"currency":"USD","rows":[{"models":["acme-large","acme-small"],"from":"2026-01-01","per_mtok":{"input":1}}]}`
	u := plan(t, own, lite, "2026-11-22")
	for _, c := range []struct{ day, model, want string }{
		{"2026-11-21", "acme-large", "1"}, {"2026-11-22", "acme-large", "≈ 4"}, {"2026-11-22", "acme-small", "1"},
	} {
		if got := priceOn(t, u.Text, c.day, Response{Model: c.model, Tokens: Tokens{Input: 1_000_000}}); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.model, c.day, got, c.want)
		}
	}
}

func TestBrokenUpdates(t *testing.T) {
	for text, want := range map[string]string{
		"{\"acme\":{\n\"mode\":\"chat\",\n\"input_cost_per_token\":-1e-6}}":                "line 3: acme: input_cost_per_token: -1e-6 is negative",
		"{\"acme\":{\n\"input_cost_per_token\":1e999}}":                                    "line 2: acme: input_cost_per_token: 1e999 is not a price",
		"{\"acme\":{\n\"input_cost_per_token\":\"1\"}}":                                    `line 2: acme: input_cost_per_token: "1" is no number`,
		"{\"acme\":{\n\"input_cost_per_token\":NaN}}":                                      "line 2: invalid character 'N' looking for beginning of value",
		"{\"acme\":{\n\"input_cost_per_token\":1e-6,\n\"output_cost_per_token_flex\":-1}}": "line 3: acme: output_cost_per_token_flex: -1 is negative",
		"{}":                                 "line 1: this is no price file of LiteLLM",
		`{"v":1,"currency":"USD","rows":[]}`: "line 1: this is no price file of LiteLLM",
		"[]":                                 "line 1: no JSON object",
		"":                                   "line 1: the file ends too early",
		"{\"acme\":[\n\"input_cost_per_token\"]}": "line 1: acme is no JSON object",
	} {
		if _, err := PlanUpdate(nil, []byte(text), "2026-11-22", acme); err == nil || err.Error() != want {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}
