package demo

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// visit is a time at which the recorded sessions are left once more: in a project, with other first prompts, and as large as a day's work.
type visit struct {
	hours                 int // ago
	project               string
	claude, codex, gemini string // first prompts; "" leaves the agent's session out
	scale                 int    // of the recorded tokens, in percent of a usual session
	crashes, forks        bool
}

// visits are two weeks of work on three projects. Only shop is recorded by hooks.
var visits = [...]visit{
	{hours: 1, project: shop, claude: "Why does checkout round twice?", codex: "Which orders have two invoices?", scale: 140},
	{hours: 5, project: "billing", claude: "Add VAT ids to invoices", codex: "Review the migration of invoices", scale: 120},
	{hours: 7, project: "mobile", gemini: "Rename the price column in the app", scale: 200},
	{hours: 22, project: shop, claude: "Fix the flaky cart test", scale: 90, crashes: true},
	{hours: 27, project: "mobile", claude: "Show the delivery date on the order page", scale: 210, forks: true},
	{hours: 30, project: shop, codex: "List the endpoints that still use offsets", scale: 110},
	{hours: 49, project: "billing", claude: "Retry webhooks that time out", gemini: "Write the changelog of 2.4", scale: 160},
	{hours: 53, project: shop, claude: "Index orders by customer", codex: "Which queries scan the whole table?", scale: 130},
	{hours: 71, project: shop, claude: "Move the price list to the database", scale: 240},
	{hours: 76, project: "mobile", codex: "Explain the crash in the log of build 812", scale: 70, crashes: true},
	{hours: 98, project: "billing", claude: "Split the invoice job into steps", scale: 180, crashes: true},
	{hours: 121, project: shop, claude: "Cache the category tree", gemini: "Translate the error texts", scale: 100},
	{hours: 143, project: "mobile", claude: "Upgrade to the new login", scale: 150, forks: true},
	{hours: 150, project: shop, codex: "Fix the lint warnings", scale: 80},
	{hours: 190, project: "billing", claude: "Export invoices as CSV", scale: 170},
	{hours: 215, project: shop, claude: "Make the search tolerate typos", codex: "Why is the search slow for two words?", scale: 190, crashes: true},
	{hours: 240, project: "mobile", claude: "Reduce the size of the images", scale: 60},
	{hours: 311, project: shop, claude: "Set up the staging database", scale: 110},
}

// shop is the project that goes on while somebody looks.
const shop = "shop"

// tokens are the recorded amounts, which are small, and by how much a usual session has more.
var (
	tokens = regexp.MustCompile(`"(\w*input_tokens|\w*output_tokens|total_tokens|input|output|cached|thoughts|total)":(\d+)`)
	more   = map[string]int{"input_tokens": 4, "cache_creation_input_tokens": 400, "cache_read_input_tokens": 130, "output_tokens": 90}
)

// evenly is the same for agents whose records have sums, which have to stay true.
const evenly = 250

// Parts of the recorded texts that a visit replaces.
const claudePrompt, codexPrompt, geminiPrompt = "fix the tests of the shop", "list the prices", "rename the price column"

// claudeFork is in the name of the session that is a fork, and afterTheEnd begins the prompt on which Claude Code's session crashes.
const (
	claudeFork  = "77d1a0e4"
	afterTheEnd = `{"type":"queue-operation","operation":"enqueue","timestamp":"2025-11-20T10:01:20`
)

// leaves reports whether a visit leaves a recorded file.
func (v *visit) leaves(name string) bool {
	switch {
	case strings.HasPrefix(name, ".claude/"):
		return v.claude != "" && (v.forks || !strings.Contains(name, claudeFork))
	case strings.HasPrefix(name, ".codex/"):
		return v.codex != ""
	}
	return v.gemini != ""
}

// text is a recorded file as the n-th visit leaves it. Its times are those of the recording.
func (v *visit) text(n int, name, text string, folder string) string {
	if strings.HasPrefix(name, ".claude/") && !v.crashes && !strings.Contains(name, claudeFork) && !strings.Contains(name, "/subagents/") {
		text, _, _ = strings.Cut(text, afterTheEnd)
	}
	text = tokens.ReplaceAllStringFunc(text, func(member string) string {
		part := tokens.FindStringSubmatch(member)
		by := evenly
		if strings.HasPrefix(name, ".claude/") {
			by = more[part[1]]
		}
		n, _ := strconv.Atoi(part[2])
		return fmt.Sprintf(`"%s":%d`, part[1], n*by*v.scale/100)
	})
	text = strings.NewReplacer(claudePrompt, v.claude, codexPrompt, v.codex, geminiPrompt, v.gemini).Replace(text)
	return strings.ReplaceAll(again(text, n), recordedFolder, filepath.ToSlash(folder))
}

// fileName is where the n-th visit leaves a recorded file.
func (v *visit) fileName(n int, name string) string {
	name = strings.NewReplacer("-home-user-shop", "-home-user-"+v.project, "tmp/shop/", path.Join("tmp", v.project)+"/").Replace(name)
	return again(name, n)
}

// Ids of sessions, records, answers and calls: a copy with the same ones would be a fork.
var ids = regexp.MustCompile(`5b0c|77d1a0e4|00c0de|9c605162|msg_|toolu_|call_|req_|gm_`)

// again is a text with ids of the n-th copy.
func again(text string, n int) string {
	return ids.ReplaceAllStringFunc(text, func(id string) string {
		switch id {
		case "5b0c":
			return fmt.Sprintf("%04x", 0x5b0c+n)
		case "77d1a0e4":
			return fmt.Sprintf("%08x", 0x77d1a0e4+n)
		case "00c0de":
			return fmt.Sprintf("%06x", 0xc0de+n)
		case "9c605162":
			return fmt.Sprintf("%08x", 0x9c605162+n)
		}
		return fmt.Sprintf("%s%d", id, n)
	})
}
