package figures

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/insight/failure"
	"aburn/trace"
)

func TestNames(t *testing.T) {
	var n Names
	for dir, name := range map[string]string{"/w/shop": "shop", "/w/shop/inner": "inner", "/w/site/": "site"} {
		if err := n.Add(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	for key, want := range map[string]string{"/w/shop": "shop", "/w/shop/a/b": "shop", "/w/shop/inner/a": "inner", "/w/site": "site", "/w/shopping": "", "/w": "",
		"/": "", "": "", "shop": ""} {
		if got := n.Of(key); got != want {
			t.Errorf("%s is called %q, want %q", key, got, want)
		}
	}
	for _, wrong := range []string{"", "a/b", "/home", "-x", " x", "a\nb", "a\x1b[2Jb", strings.Repeat("x", 65), "a=b", `a\b`} {
		if n.Add("/w/x", wrong) == nil {
			t.Errorf("%q is a name", wrong)
		}
	}
	if n.Add("w", "w") == nil {
		t.Error("a relative folder is one")
	}
}

// TestMachine: a machine stays the same, and a damaged file is an error instead of another machine.
func TestMachine(t *testing.T) {
	dir := t.TempDir()
	first, err := Update(dir, func(m *Machine) { m.Agree("x") })
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadMachine(dir)
	if err != nil || again.ID != first.ID || !bytes.Equal(again.Key(), first.Key()) || !again.Agrees("x") || again.Agrees("y") {
		t.Errorf("%+v, %+v, %v", first, again, err)
	}
	for _, text := range []string{"", "{}", `{"v":2,"machine":"` + first.ID + `","secret":"` + first.Secret + `"}`,
		`{"v":1,"machine":"12","secret":"` + first.Secret + `"}`, "{"} {
		if err := os.WriteFile(filepath.Join(dir, MachineFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := ReadMachine(dir); err == nil {
			t.Errorf("%q is %+v", text, m)
		}
		if _, err := Update(dir, func(*Machine) {}); err == nil {
			t.Errorf("%q was overwritten", text)
		}
	}
}

func rowsOf(t *testing.T, in Input) *Rows {
	t.Helper()
	names := &Names{}
	if err := names.Add("/w/shop", "shop"); err != nil {
		t.Fatal(err)
	}
	m := Maker{Names: names, Zone: time.FixedZone("", -8*3600), Prices: cost.Shipped(), Key: []byte("key")}
	if in.Answers == nil {
		in.Answers = func(func(int64, []archive.Answer) error) error { return nil }
	}
	rows, err := m.Make(in)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestNothingUnknownIsSent: words that no list has become "other" or nothing, unknown times stay unknown, and projects without
// a name are left out.
func TestNothingUnknownIsSent(t *testing.T) {
	at := time.Date(2026, 10, 20, 3, 0, 0, 0, time.UTC)
	answers := map[int64][]archive.Answer{
		1: {{Time: at, Model: "/home/x.gguf", Tier: "tier of mine", Geo: "moon", Usage: trace.Usage{Input: 5}},
			{Model: "claude-opus-5-5-20260922", Tier: "fast", Geo: "us", Usage: trace.Usage{Output: 7}}},
		2: {{Time: at, Model: "claude-opus-5-5", Usage: trace.Usage{Input: 99}}},
	}
	rows := rowsOf(t, Input{
		Archived: map[int64]archive.Outline{1: {Key: 1, Source: "claude", Project: "/w/shop"}, 2: {Key: 2, Source: "claude", Project: "/w/secret"}},
		Answers: func(each func(int64, []archive.Answer) error) error {
			for _, key := range []int64{1, 2} {
				if err := each(key, answers[key]); err != nil {
					return err
				}
			}
			return nil
		},
		Sessions: []*insight.Digest{{Source: "an agent of mine", ID: "id", Project: trace.Project{Key: "/w/shop"}},
			{Source: "claude", ID: "x", Project: trace.Project{Key: "/w/secret"}}},
	})
	want := []Day{
		{Project: "shop", Agent: "claude", Model: "claude-opus-5-5", Tier: "fast", Geo: "us", Answers: 1, Tokens: cost.Tokens{Output: 7}},
		{Day: "2026-10-19", PriceDay: "2026-10-20", Project: "shop", Agent: "claude", Model: Other, Tier: Other, Answers: 1, Tokens: cost.Tokens{Input: 5}},
	}
	if len(rows.Days) != 2 || rows.Days[0] != want[0] || rows.Days[1] != want[1] {
		t.Errorf("%+v", rows.Days)
	}
	if len(rows.Sessions) != 1 || rows.Sessions[0].Agent != Other || rows.Sessions[0].Day != "" || rows.Sessions[0].Started != nil ||
		len(rows.Sessions[0].ID) != 32 || rows.LeftOut["/w/secret"] != 1 {
		t.Errorf("%+v, %v", rows.Sessions, rows.LeftOut)
	}
	if parts := rows.ByDay(); len(parts) != 2 || len(parts[""].Sessions) != 1 {
		t.Errorf("%v", parts)
	}
}

// TestFailures: errors that a digest's list leaves out count by class, without a group.
func TestFailures(t *testing.T) {
	d := &insight.Digest{Source: "codex", ID: "x", Project: trace.Project{Key: "/w/shop/a"}, End: time.Date(2026, 10, 20, 9, 0, 0, 0, time.UTC),
		Classes: []insight.ClassCount{{Class: failure.Network, Count: 5}, {Class: failure.Other, Count: 1}},
		Errors:  []insight.ErrorGroup{{Class: failure.Network, Hash: "h", Count: 3}, {Class: failure.Other, Hash: "i", Count: 1}}}
	got := rowsOf(t, Input{Sessions: []*insight.Digest{d, d}}).Failures
	want := map[string]int64{string(failure.Network) + " " + d.Errors[0].Key(): 6, string(failure.Network) + " ": 4,
		string(failure.Other) + " " + d.Errors[1].Key(): 2}
	if len(got) != len(want) {
		t.Errorf("%+v", got)
	}
	for _, f := range got {
		if f.Day != "2026-10-20" || f.Count != want[f.Class+" "+f.Group] {
			t.Errorf("%+v", f)
		}
	}
}
