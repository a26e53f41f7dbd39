package archive

import (
	"fmt"
	"hash/crc32"
	"testing"
	"time"

	"aburn/trace"
)

// A form that changes needs another number of the schema: an archive of another schema is refused, not misread.
func TestFormsAreOfTheSchema(t *testing.T) {
	exit := -1
	calls := callCoder{}
	for _, r := range []CallRow{
		{Call: "toolu_1", Tool: "Bash", Type: trace.ShellTool, Index: 1, Seq: 7, Start: at(3), DurationMS: 1 << 40, Status: trace.StatusErrored, Failed: true,
			Denied:   "rule",
			ExitCode: &exit, Input: "0123456789abcdef", Path: "a/b", Head: "make", Length: 1 << 50, Spawned: "s/1", Results: 300},
		{Call: "toolu_2", Tool: "Read", Type: trace.ReadTool, Index: 2, Seq: 9},
	} {
		calls.call(&r)
	}
	known := listParts([]Known{
		{Store: 1, Reader: "claude", Path: "/home/u/a/1", Layout: "session", Size: 1 << 40, Modified: time.Unix(1_700_000_000, 1), Whole: true, Scrub: 3,
			Sessions: 200, Problem: "odd"},
		{Store: 300, Reader: "codex", Path: "/home/u/b/2", Modified: time.Unix(0, -1), Hot: true, Outdone: 1},
	})
	p, err := pack(story(t, "claude", "a", 1, "ask call done"))
	if err != nil {
		t.Fatal(err)
	}
	answers := answerCoder{}
	for _, r := range []Answer{
		{Time: at(3), Model: "m", Tier: "fast", Geo: "us", Branch: "main",
			Usage: trace.Usage{Input: 1, CacheRead: 2, CacheWrite: 12, CacheWrite5m: 4, CacheWrite1h: 5, Output: 6, Reasoning: 7, Searches: 8, CostUSD: 0.5}},
		{Time: at(5), Model: "m", Usage: trace.Usage{Output: 1 << 40}},
	} {
		answers.answer(&r)
	}
	got := fmt.Sprintf("%d %08x %08x %08x %08x", schema, crc32.ChecksumIEEE(answers.Written()), crc32.ChecksumIEEE(calls.Written()), crc32.ChecksumIEEE(known[0]),
		uint32(p.sum))
	if want := "11 f6a0689a dc28c646 521b6334 bfdfdb4d"; got != want {
		t.Errorf("the forms are %s, not %s: does the schema need another number?", got, want)
	}
}
