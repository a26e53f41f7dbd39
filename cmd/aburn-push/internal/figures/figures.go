// Package figures makes the rows that leave a machine out of its archive: numbers, days, and names from lists. No row holds a
// text of a session, a path, or a session's own id.
package figures

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"aburn/archive"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/insight/failure"
	"aburn/internal/agentcli"
	"aburn/trace"
)

// Other stands for a model that no price table names, or a tier that this build does not know.
const Other = "other"

// Day counts the answers of one local day that are alike in all that a price depends on.
type Day struct {
	Day      string `json:"day"`       // local, as 2026-11-22; empty if unknown
	PriceDay string `json:"price_day"` // in UTC, by which prices are dated
	Project  string `json:"project"`   // the name that the user gave it
	Agent    string `json:"agent"`
	Model    string `json:"model"` // as the price table names it
	Tier     string `json:"tier"`
	Geo      string `json:"geo"` // "us" where that changes the price
	// LongPrompt says that the prompts are longer than the model's price allows for at its base rate.
	LongPrompt bool `json:"long_prompt"`
	// WritesUnknown says that the agent does not count the tokens that were written to a cache.
	WritesUnknown bool `json:"writes_unknown"`

	Answers int64 `json:"answers"`
	cost.Tokens
	Searches int64 `json:"web_searches"`
}

// Session counts what one session, or one sub-agent's part of it, did.
type Session struct {
	Day       string     `json:"day"` // local, of its end
	ID        string     `json:"id"`  // a code that only this machine can make
	Project   string     `json:"project"`
	Agent     string     `json:"agent"`
	Subagent  bool       `json:"subagent"`
	Started   *time.Time `json:"started"`
	Ended     *time.Time `json:"ended"`
	ActiveMS  int64      `json:"active_ms"`
	Outcome   string     `json:"outcome"`
	Prompts   int64      `json:"prompts"`
	Responses int64      `json:"responses"`
	Calls     int64      `json:"calls"`
	Failed    int64      `json:"failed"`
	Denied    int64      `json:"denied"`
}

// Failure counts equal errors of the sessions that ended on one day.
type Failure struct {
	Day     string `json:"day"`
	Project string `json:"project"`
	Agent   string `json:"agent"`
	Class   string `json:"class"`
	Group   string `json:"group"` // the error's key, e1-…; empty for errors beyond those that a digest lists
	Count   int64  `json:"count"`
}

// Rows are all that a machine has to say.
type Rows struct {
	Days     []Day     `json:"days"`
	Sessions []Session `json:"sessions"`
	Failures []Failure `json:"failures"`
	// LeftOut counts the sessions of each project that the user gave no name, by its key.
	LeftOut map[string]int `json:"-"`
}

// Input is what rows are made from.
type Input struct {
	Sessions []*insight.Digest
	// Archived are the sessions that were billed, by the key that Answers names.
	Archived map[int64]archive.Outline
	Answers  func(each func(key int64, list []archive.Answer) error) error
}

// Maker makes rows.
type Maker struct {
	Names  *Names
	Zone   *time.Location
	Prices *cost.Prices
	Key    []byte // with which a session's code is made
}

// Make makes the rows, in an order that depends on nothing but them.
func (m *Maker) Make(in Input) (*Rows, error) {
	rows := &Rows{LeftOut: map[string]int{}}
	failures := map[Failure]int64{}
	for _, d := range in.Sessions {
		name := m.Names.Of(d.Project.Key)
		if name == "" {
			rows.LeftOut[d.Project.Key]++
			continue
		}
		rows.Sessions = append(rows.Sessions, m.session(d, name))
		m.failures(d, name, failures)
	}
	for f, n := range failures {
		f.Count = n
		rows.Failures = append(rows.Failures, f)
	}
	days := map[Day]*Day{}
	err := in.Answers(func(key int64, list []archive.Answer) error {
		s := in.Archived[key]
		if name := m.Names.Of(s.Project); name != "" {
			m.answers(s.Source, name, list, days)
		}
		return nil
	})
	for _, d := range slices.Collect(maps.Values(days)) {
		rows.Days = append(rows.Days, *d)
	}
	rows.sort()
	return rows, err
}

// sort orders rows by all that tells them apart.
func (r *Rows) sort() {
	boolean := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case b:
			return -1
		}
		return 1
	}
	slices.SortFunc(r.Days, func(a, b Day) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.PriceDay, b.PriceDay), cmp.Compare(a.Project, b.Project), cmp.Compare(a.Agent, b.Agent),
			cmp.Compare(a.Model, b.Model), cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Geo, b.Geo), boolean(a.LongPrompt, b.LongPrompt),
			boolean(a.WritesUnknown, b.WritesUnknown))
	})
	slices.SortFunc(r.Sessions, func(a, b Session) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(r.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Project, b.Project), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Class, b.Class),
			cmp.Compare(a.Group, b.Group))
	})
}

func (m *Maker) day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(m.Zone).Format(time.DateOnly)
}

func (m *Maker) session(d *insight.Digest, project string) Session {
	code := hmac.New(sha256.New, m.Key)
	code.Write([]byte(d.Source + "/" + d.ID))
	end := d.End
	if end.IsZero() {
		end = d.Start
	}
	c := &d.Counts
	return Session{
		Day: m.day(end), ID: hex.EncodeToString(code.Sum(nil)[:16]), Project: project, Agent: agentName(d.Source), Subagent: d.Relation == trace.Subagent,
		Started: moment(d.Start), Ended: moment(d.End), ActiveMS: d.ActiveMS, Outcome: string(d.Outcome()), Prompts: int64(c.Prompts),
		Responses: int64(c.Responses), Calls: int64(c.Calls), Failed: int64(c.Failed), Denied: int64(c.Denied),
	}
}

// moment is a time to the second, in UTC; nil if it is unknown.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC().Truncate(time.Second))
}

// failures counts a session's errors. What a digest's list leaves out is counted by class, without a group.
func (m *Maker) failures(d *insight.Digest, project string, into map[Failure]int64) {
	f := Failure{Day: m.session(d, project).Day, Project: project, Agent: agentName(d.Source)}
	left := map[failure.Class]int{}
	for _, c := range d.Classes {
		left[c.Class] += c.Count
	}
	for i := range d.Errors {
		e := &d.Errors[i]
		f.Class, f.Group = string(e.Class), e.Key()
		into[f] += int64(e.Count)
		left[e.Class] -= e.Count
	}
	for class, n := range left {
		if n > 0 {
			f.Class, f.Group = string(class), ""
			into[f] += int64(n)
		}
	}
}

func (m *Maker) answers(agent, project string, list []archive.Answer, days map[Day]*Day) {
	hides := agentcli.Of(agent).Traits.HidesCacheWrites && !slices.ContainsFunc(list, func(a archive.Answer) bool { return a.Usage.CacheWrite > 0 })
	for i := range list {
		a := &list[i]
		key := m.kind(a, hides)
		key.Project, key.Agent = project, agentName(agent)
		d := days[key]
		if d == nil {
			d = new(key)
			days[key] = d
		}
		d.Answers++
		d.Tokens.Add(tokensOf(a))
		d.Searches += a.Usage.Searches
	}
}

// kind is a Day without numbers: what an answer's price depends on.
func (m *Maker) kind(a *archive.Answer, hides bool) Day {
	r := cost.Response{Time: a.Time, Model: a.Model, Tokens: tokensOf(a)}
	d := Day{Day: m.day(a.Time), Tier: Other, WritesUnknown: hides}
	if !a.Time.IsZero() {
		d.PriceDay = a.Time.UTC().Format(time.DateOnly)
	}
	if d.Model, d.LongPrompt = m.Prices.Class(&r); d.Model == "" {
		d.Model = Other
	}
	if tier := cost.Tier(a.Tier); slices.Contains([]cost.Tier{cost.Standard, cost.Fast, cost.Batch, cost.Ultrafast}, tier) {
		d.Tier = a.Tier
	}
	if slices.Contains(cost.Geos, a.Geo) {
		d.Geo = a.Geo
	}
	return d
}

func tokensOf(a *archive.Answer) cost.Tokens {
	u := &a.Usage
	return cost.Tokens{Input: u.Input, CacheRead: u.CacheRead, Write5m: u.CacheWrite5m, Write1h: u.CacheWrite1h,
		Write: u.CacheWrite - u.CacheWrite5m - u.CacheWrite1h, Output: u.Output}
}

// agentName is an agent that aburn knows: the archive's word is not trusted to be one.
func agentName(source string) string {
	if agentcli.Of(source).Name == source {
		return source
	}
	return Other
}

// DaysFrom drops the rows of days before this one, and those of no known day, but not those of days to keep. An empty day drops
// none.
func (r *Rows) DaysFrom(day string, keep ...string) {
	early := func(of string) bool { return of < day && !slices.Contains(keep, of) }
	r.Days = slices.DeleteFunc(r.Days, func(d Day) bool { return early(d.Day) })
	r.Sessions = slices.DeleteFunc(r.Sessions, func(s Session) bool { return early(s.Day) })
	r.Failures = slices.DeleteFunc(r.Failures, func(f Failure) bool { return early(f.Day) })
}

// form is the number of this package's rows: another one makes every day be sent again.
const form = 1

// ByDay parts the rows by their day, and gives each part a hash.
func (r *Rows) ByDay() map[string]*Part {
	parts := map[string]*Part{}
	of := func(day string) *Rows {
		if parts[day] == nil {
			parts[day] = &Part{Rows: &Rows{}}
		}
		return parts[day].Rows
	}
	for _, d := range r.Days {
		p := of(d.Day)
		p.Days = append(p.Days, d)
	}
	for _, s := range r.Sessions {
		p := of(s.Day)
		p.Sessions = append(p.Sessions, s)
	}
	for _, f := range r.Failures {
		p := of(f.Day)
		p.Failures = append(p.Failures, f)
	}
	for _, p := range parts {
		text, err := json.Marshal([]any{form, p.Rows})
		if err != nil {
			panic(err) // numbers and words
		}
		sum := sha256.Sum256(text)
		p.Hash = sum[:16]
	}
	return parts
}

// Part is the rows of one day. Equal hashes mean equal rows.
type Part struct {
	*Rows
	Hash []byte
}
