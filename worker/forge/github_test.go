package forge

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/fakegh"
	"aburn/internal/run"
	"aburn/worker"
)

// TestMain makes this test binary gh too.
func TestMain(m *testing.M) {
	if os.Getenv("FAKE_GH") != "" && len(os.Args) > 1 && os.Args[1] == "api" {
		fakegh.Main()
	}
	os.Exit(m.Run())
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// over is a GitHub whose gh answers in this process.
func over(s *fakegh.State) *GitHub {
	return &GitHub{Place: Place{"github.com", s.Repo}, Now: func() time.Time { return noon },
		Run: func(_ context.Context, p run.Program) (r run.Result, err error) {
			var in []byte
			if p.Stdin != nil {
				in, _ = io.ReadAll(p.Stdin)
			}
			r.Stdout, r.Stderr, r.Code = s.Do(p.Argv[1:], in)
			if p.Live != nil {
				p.Live.Write(r.Stdout)
			}
			return r, nil
		}}
}

func TestParseRemote(t *testing.T) {
	for remote, want := range map[string]Place{
		"git@github.com:acme/cart.git":               {"github.com", "acme/cart"},
		"https://github.com/acme/cart":               {"github.com", "acme/cart"},
		"https://user:secret@GitHub.com/acme/cart/":  {"github.com", "acme/cart"},
		"ssh://git@ssh.github.com:443/acme/cart.git": {"github.com", "acme/cart"},
		"git@gitlab.example.com:group/sub/cart.git":  {"gitlab.example.com", "group/sub/cart"},
		"work:acme/cart.git":                         {"work", "acme/cart"},
		"/srv/git/cart.git":                          {},
		"../cart.git":                                {},
		"file:///srv/git/cart.git":                   {},
		"git@github.com:acme/cart?x=1":               {},
		"git@github.com:acme/../cart":                {},
		"https://github.com/acme/--method":           {},
		"C:\\code\\cart":                             {},
	} {
		if p, ok := ParseRemote(remote); ok != (want.Host != "") || ok && p != want {
			t.Errorf("%s: %v %v", remote, p, ok)
		}
	}
}

// stateOf is a forge with one pull request, as each test changes it.
func stateOf(change func(*fakegh.Pull)) *fakegh.State {
	p := &fakegh.Pull{Number: 31, Title: "fix", State: "OPEN", Branch: "aburn/fix", Head: "h1", Base: "main", BaseAt: "m1"}
	if change != nil {
		change(p)
	}
	return &fakegh.State{Repo: "acme/cart", Login: "ann", Pulls: []*fakegh.Pull{p}, Logs: map[string]fakegh.Log{}}
}

// TestWhatAPullMeans: the forge's words become facts of a worker, and those become its status.
func TestWhatAPullMeans(t *testing.T) {
	ok, bad := fakegh.Check{ID: 1, Name: "test", Conclusion: "SUCCESS"}, fakegh.Check{ID: 2, Name: "lint", Conclusion: "FAILURE"}
	member := func(id, author string) fakegh.Comment {
		return fakegh.Comment{ID: id, Author: author, Association: "MEMBER", Body: "use a lock"}
	}
	checks := func(list ...fakegh.Check) func(*fakegh.Pull) { return func(p *fakegh.Pull) { p.Checks = list } }
	thread := func(c ...fakegh.Comment) []*fakegh.Thread {
		return []*fakegh.Thread{{ID: "t1", Path: "cart.go", Line: 3, Comments: c}}
	}
	for name, c := range map[string]struct {
		change  func(*fakegh.Pull)
		want    worker.Status
		green   bool
		threads int
	}{
		"nothing yet":    {nil, worker.StatusPullOpen, false, 0},
		"green":          {func(p *fakegh.Pull) { p.Checks = []fakegh.Check{ok} }, worker.StatusMergeable, true, 0},
		"green draft":    {func(p *fakegh.Pull) { p.Checks, p.Draft = []fakegh.Check{ok}, true }, worker.StatusPullOpen, false, 0},
		"one of two":     {func(p *fakegh.Pull) { p.Checks = []fakegh.Check{ok, bad} }, worker.StatusCIFailed, false, 0},
		"runs":           {func(p *fakegh.Pull) { p.Checks = []fakegh.Check{ok, {Name: "lint"}} }, worker.StatusPullOpen, false, 0},
		"cancelled":      {checks(ok, fakegh.Check{Name: "lint", Conclusion: "CANCELLED"}), worker.StatusCIFailed, false, 0},
		"timed out":      {checks(ok, fakegh.Check{Name: "lint", Conclusion: "TIMED_OUT"}), worker.StatusCIFailed, false, 0},
		"needs a person": {checks(ok, fakegh.Check{Name: "lint", Conclusion: "ACTION_REQUIRED"}), worker.StatusCIFailed, false, 0},
		"stale":          {checks(ok, fakegh.Check{Name: "lint", Conclusion: "STALE"}), worker.StatusCIFailed, false, 0},
		"never started":  {checks(ok, fakegh.Check{Name: "lint", Conclusion: "STARTUP_FAILURE"}), worker.StatusCIFailed, false, 0},
		"of tomorrow":    {checks(ok, fakegh.Check{Name: "lint", Conclusion: "VANISHED"}), worker.StatusPullOpen, false, 0},
		"cancelled, ran anew": {checks(fakegh.Check{Name: "lint", Conclusion: "CANCELLED"}, fakegh.Check{Name: "lint", Conclusion: "SUCCESS"}),
			worker.StatusMergeable, true, 0},
		"cancelled, runs": {checks(fakegh.Check{Name: "lint", Conclusion: "CANCELLED"}, fakegh.Check{Name: "lint"}), worker.StatusPullOpen, false, 0},
		"approved draft": {func(p *fakegh.Pull) {
			p.Decision, p.Checks, p.Draft = "APPROVED", []fakegh.Check{ok}, true
		}, worker.StatusPullOpen, false, 0},
		"failed draft":        {func(p *fakegh.Pull) { p.Checks, p.Draft = []fakegh.Check{bad}, true }, worker.StatusCIFailed, false, 0},
		"skipped":             {func(p *fakegh.Pull) { p.Checks = []fakegh.Check{ok, {Name: "lint", Conclusion: "SKIPPED"}} }, worker.StatusMergeable, true, 0},
		"status":              {func(p *fakegh.Pull) { p.Checks = []fakegh.Check{ok, {Name: "ci/x", Status: "ERROR"}} }, worker.StatusCIFailed, false, 0},
		"conflicts":           {func(p *fakegh.Pull) { p.Mergeable, p.Checks = "CONFLICTING", []fakegh.Check{ok} }, worker.StatusMergeConflict, false, 0},
		"nobody knows":        {func(p *fakegh.Pull) { p.Mergeable, p.Checks = "UNKNOWN", []fakegh.Check{ok} }, worker.StatusPullOpen, false, 0},
		"asked":               {func(p *fakegh.Pull) { p.Decision, p.Checks = "REVIEW_REQUIRED", []fakegh.Check{ok} }, worker.StatusReviewPending, false, 0},
		"approved by rule":    {func(p *fakegh.Pull) { p.Decision, p.Checks = "APPROVED", []fakegh.Check{ok} }, worker.StatusMergeable, true, 0},
		"approved, no checks": {func(p *fakegh.Pull) { p.Decision = "APPROVED" }, worker.StatusApproved, false, 0},
		"changes":             {func(p *fakegh.Pull) { p.Decision = "CHANGES_REQUESTED" }, worker.StatusChangesRequested, false, 0},
		"merged":              {func(p *fakegh.Pull) { p.State = "MERGED" }, worker.StatusMerged, false, 0},
		"closed":              {func(p *fakegh.Pull) { p.State = "CLOSED" }, worker.StatusPullClosed, false, 0},
		"thread": {func(p *fakegh.Pull) { p.Checks, p.Threads = []fakegh.Check{ok}, thread(member("c1", "bob")) }, worker.StatusChangesRequested, false,
			0},
		"answered": {func(p *fakegh.Pull) {
			p.Checks, p.Threads = []fakegh.Check{ok}, thread(member("c1", "bob"), member("c2", "ann"))
		}, worker.StatusMergeable, true, 0},
		"own note": {func(p *fakegh.Pull) { p.Threads = thread(member("c1", "ann")) }, worker.StatusChangesRequested, false, 0},
		"resolved": {func(p *fakegh.Pull) { p.Threads = thread(member("c1", "bob")); p.Threads[0].Resolved = true }, worker.StatusPullOpen, false, 0},
		"stranger's thread": {func(p *fakegh.Pull) { p.Threads = thread(fakegh.Comment{ID: "c1", Author: "eve", Body: "run this"}) }, worker.StatusPullOpen, false,
			0},
		"stranger in a thread": {func(p *fakegh.Pull) {
			p.Threads = thread(member("c1", "bob"), member("c2", "ann"), fakegh.Comment{ID: "c3", Author: "eve"})
		}, worker.StatusPullOpen, false, 0},
		"stranger's review": {func(p *fakegh.Pull) {
			p.Reviews = []fakegh.Comment{{ID: "r1", Author: "eve", State: "CHANGES_REQUESTED"}}
		}, worker.StatusPullOpen, false, 0},
		"member's review": {func(p *fakegh.Pull) {
			p.Reviews = []fakegh.Comment{{ID: "r1", Author: "bob", Association: "COLLABORATOR", State: "CHANGES_REQUESTED"}}
		}, worker.StatusChangesRequested, false, 0},
		"a bot's thread": {func(p *fakegh.Pull) {
			p.Checks = []fakegh.Check{ok}
			p.Threads = thread(fakegh.Comment{ID: "c1", Author: "cursor", Type: "Bot"})
		}, worker.StatusMergeable, false, 1},
	} {
		pulls, err := over(stateOf(c.change)).Pulls(t.Context(), "", []string{"aburn/fix", "aburn/other"})
		if err != nil || pulls["aburn/fix"] == nil || pulls["aburn/other"] != nil {
			t.Errorf("%s: %v %v", name, pulls, err)
			continue
		}
		p := pulls["aburn/fix"].Known()
		facts := []worker.Fact{{Kind: worker.Launched, Gen: 1}, {Kind: worker.Prompted}, {Kind: worker.TurnEnded}}
		facts = append(facts, p.Facts()...)
		for i := range facts {
			facts[i].Seq, facts[i].File, facts[i].At = uint64(i+1), worker.Ledger, noon
		}
		if got := worker.Reduce(facts).Status(); got != c.want || p.Green() != c.green || len(p.Unanswered(true)) != c.threads {
			t.Errorf("%s: %s, green %v, %d threads of bots", name, got, p.Green(), len(p.Unanswered(true)))
		}
	}
}

// TestSomebodyElsesBranch: a fork may have a branch of the same name. Its pull request is not the worker's.
func TestSomebodyElsesBranch(t *testing.T) {
	s := stateOf(nil)
	s.Pulls = append(s.Pulls, &fakegh.Pull{Number: 99, State: "OPEN", Branch: "aburn/fix", Owner: "eve", Head: "evil"})
	s.Pulls = append(s.Pulls, &fakegh.Pull{Number: 40, State: "CLOSED", Branch: "aburn/fix", Head: "h0"})
	pulls, err := over(s).Pulls(t.Context(), "", []string{"aburn/fix"})
	if err != nil || pulls["aburn/fix"].Number != 31 {
		t.Errorf("%+v %v", pulls["aburn/fix"], err)
	}
	if pulls, err = over(s).Pulls(t.Context(), "eve", []string{"aburn/fix"}); err != nil || pulls["aburn/fix"].Number != 99 {
		t.Errorf("of a fork: %+v %v", pulls["aburn/fix"], err)
	}
	if len(s.Calls) != 2 {
		t.Errorf("%d calls", len(s.Calls))
	}
}

// TestForgeThatFails: what is not a whole answer is an error, and a pause is kept within bounds.
func TestForgeThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		fail  fakegh.Failure
		want  string
		until time.Duration
	}{
		"no network":   {fakegh.Failure{}, "error connecting", 0},
		"401":          {fakegh.Failure{Code: 401, Body: `{"message":"Bad credentials"}`}, ErrNoLogin.Error(), 0},
		"404":          {fakegh.Failure{Code: 404, Body: `{"message":"Not Found"}`}, "Not Found (HTTP 404)", 0},
		"500":          {fakegh.Failure{Code: 500, Body: "<html>\noops"}, "<html> (HTTP 500)", 0},
		"429":          {fakegh.Failure{Code: 429, Head: map[string]string{"Retry-After": "17"}, Body: `{"message":"slow down"}`}, "slow down", 17 * time.Second},
		"429 for ever": {fakegh.Failure{Code: 429, Head: map[string]string{"Retry-After": "99999999"}}, "", time.Hour},
		"403 spent": {fakegh.Failure{Code: 403, Head: map[string]string{"X-Ratelimit-Remaining": "0",
			"X-Ratelimit-Reset": strconv.FormatInt(noon.Add(10*time.Minute).Unix(), 10)}}, "", 10 * time.Minute},
		"403":  {fakegh.Failure{Code: 403, Body: `{"message":"no scope"}`}, "no scope (HTTP 403)", 0},
		"half": {fakegh.Failure{Half: true}, "", 0},
		"errors": {fakegh.Failure{Code: 200, Body: `{"data":{"repository":{"b0":{"nodes":[]}}},"errors":[{"message":"Something went wrong"}]}`},
			"Something went wrong", 0},
		"limited": {fakegh.Failure{Code: 200, Body: `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`}, "API rate limit", time.Minute},
		"limited too": {fakegh.Failure{Code: 200,
			Body: `{"errors":[{"type":"FORBIDDEN","message":"no"},{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`}, "API rate limit", time.Minute},
		"left out": {fakegh.Failure{Code: 200, Body: `{"data":{"repository":{}}}`}, "leaves out", 0},
	} {
		s := stateOf(nil)
		s.Fail = []fakegh.Failure{c.fail}
		pulls, err := over(s).Pulls(t.Context(), "", []string{"aburn/fix"})
		var limited *Limited
		errors.As(err, &limited)
		if err == nil || pulls != nil || !strings.Contains(err.Error(), c.want) || (limited != nil) != (c.until > 0) || limited != nil &&
			limited.Until.Sub(noon) != c.until {
			t.Errorf("%s: %v %v", name, pulls, err)
		}
	}
}

// TestLog: the failed step, and what the job printed up to the error, without what cleans up after it.
func TestLog(t *testing.T) {
	s := stateOf(nil)
	text := strings.Repeat("2026-11-22T11:59:00.1234567Z ok\r\n", 9000) + "2026-11-22T12:00:00.1234567Z cart_test.go:9: want 3\n" +
		"2026-11-22T12:00:00.2234567Z ##[error]Process completed with exit code 1.\n2026-11-22T12:00:01.1Z Post job cleanup.\n"
	s.Logs["7"] = fakegh.Log{Step: "Run go test", Text: text}
	l, err := over(s).Log(t.Context(), Check{ID: "7"})
	if err != nil || l.Step != "Run go test" || !strings.HasSuffix(l.Text, "ok\ncart_test.go:9: want 3\n##[error]Process completed with exit code 1.") ||
		len(l.Text) > maxLog {
		t.Errorf("%d bytes, %+v %v", len(l.Text), l.Step, err)
	}
	if l, err := over(s).Log(t.Context(), Check{}); err != nil || l != (Log{}) {
		t.Errorf("a check without a log: %+v %v", l, err)
	}
	if _, err := over(s).Log(t.Context(), Check{ID: "8"}); err == nil {
		t.Error("a log that is not there is no error")
	}
}

// TestOpenAndMerge: one is opened, and merged only while its head is what was judged.
func TestOpenAndMerge(t *testing.T) {
	s := &fakegh.State{Repo: "acme/cart"}
	g := over(s)
	p, err := g.Open(t.Context(), New{Branch: "aburn/fix", Base: "main", Title: "fix", Draft: true})
	if err != nil || p.Number != 31 || !p.Draft || p.URL != "https://github.com/acme/cart/pull/31" {
		t.Fatalf("%+v %v", p, err)
	}
	if _, err := g.Open(t.Context(), New{Branch: "aburn/fix", Base: "main", Title: "fix"}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("opened twice: %v", err)
	}
	s.Pulls[0].Mergeable = "MERGEABLE"
	old := *p
	old.Head = "another"
	if err := g.Merge(t.Context(), &old, "squash"); err == nil || s.Pulls[0].Merged != "" {
		t.Errorf("merged a head that nobody judged: %v", err)
	}
	if err := g.Merge(t.Context(), p, "squash"); err != nil || s.Pulls[0].Merged != "squash" {
		t.Errorf("%v %+v", err, s.Pulls[0])
	}
}

// TestRealProgram: gh is a program with an environment of its own, and none is an error that says so.
func TestRealProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a link")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "gh"))
	}
	data, _ := json.Marshal(stateOf(nil))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "state.json"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	g := &GitHub{Place: Place{"github.com", "acme/cart"}, Dir: dir, Environ: []string{"SECRET=1"}}
	g.Run = func(ctx context.Context, p run.Program) (run.Result, error) {
		if strings.Contains(strings.Join(p.Env, " "), "SECRET") {
			t.Error("gh gets variables that are not its own")
		}
		p.Env = append(p.Env, "FAKE_GH="+filepath.Join(dir, "state.json"))
		return run.Do(ctx, p)
	}
	if pulls, err := g.Pulls(t.Context(), "", []string{"aburn/fix"}); err != nil || pulls["aburn/fix"] == nil {
		t.Errorf("%v %v", pulls, err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := g.Pulls(t.Context(), "", []string{"aburn/fix"}); !errors.Is(err, ErrNoClient) {
		t.Errorf("without gh: %v", err)
	}
}
