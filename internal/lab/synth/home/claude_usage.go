package home

// billing is what the cost of a transcript's answers depends on. It is drawn from a stream of its own.
type billing struct {
	draw    *random
	branch  string
	model   string
	unsplit bool // writes to the cache are told without their lives, as by older versions
}

// claudeModels are the models and how often each answers, in percent. Nobody knows a price of the last one.
var claudeModels = []struct {
	id   string
	used int
}{{"claude-opus-5-5", 45}, {"claude-sonnet-5-5", 20}, {"claude-haiku-5-5", 12}, {"claude-haiku-4-5-20251001", 8}, {"claude-sonnet-4-5", 6},
	{"claude-opus-5[1m]", 5}, {"qwen3-coder", 4}}

func claudeModel(r *random) string {
	draw, i := r.below(100), 0
	for draw >= claudeModels[i].used {
		draw -= claudeModels[i].used
		i++
	}
	return claudeModels[i].id
}

// bills begins the billing of a session.
func (t *transcript) bills() {
	r := t.r.fork(0xb111)
	t.billing = billing{draw: r, branch: pick(r, branchNames), model: claudeModel(r), unsplit: r.percent(6)}
	if r.percent(6) {
		t.branch = "" // no repository
	}
	if r.percent(8) {
		t.cache += int64(r.from(70_000, 190_000)) // near the length above which some models cost more
	}
}

// billsLike begins the billing of a transcript that comes from another one.
func (t *transcript) billsLike(o *transcript) {
	t.billing = o.billing
	t.draw = t.r.fork(0xb111)
	if t.agentID != "" && t.draw.percent(40) {
		t.model = claudeModel(t.draw)
	}
}

// switches changes what a user changes between turns.
func (t *transcript) switches() {
	if t.branch != "" && t.draw.percent(12) {
		t.branch = pick(t.draw, branchNames)
	}
	if t.draw.percent(12) {
		t.model = claudeModel(t.draw)
	}
}

// usage is the tokens of one answer in Claude Code's form, and how it was served.
type usage struct {
	in, read, write5m, write1h, write, out, thought, searches int64
	speed, tier, geo                                          string
}

// usage writes the usage of an answer: as every record of the answer repeats it.
func (t *transcript) usage(u usage) {
	t.s(`"usage":{"input_tokens":`).n(u.in).s(`,"cache_creation_input_tokens":`).n(u.write5m+u.write1h+
		u.write).s(`,"cache_read_input_tokens":`).n(u.read).s(`,"output_tokens":`).n(u.out).
		s(`,"output_tokens_details":{"thinking_tokens":`).n(u.thought).s(`},"server_tool_use":{"web_search_requests":`).n(u.searches).s(`,"web_fetch_requests":0},"service_tier":"`, orStandard(u.tier), `"`)
	if u.write == 0 {
		t.s(`,"cache_creation":{"ephemeral_1h_input_tokens":`).n(u.write1h).s(`,"ephemeral_5m_input_tokens":`).n(u.write5m).s(`}`)
	}
	t.s(`,"inference_geo":"`, u.geo, `","iterations":[],"speed":"`, orStandard(u.speed), `","fallback_credit":null}`)
}

func orStandard(word string) string {
	if word == "" {
		return "standard"
	}
	return word
}

// spend draws the usage of an answer.
func (t *transcript) spend(thinks bool) usage {
	u := usage{in: int64(t.r.from(1, 60)), read: t.cache}
	written := int64(t.r.from(100, 4000))
	u.out = int64(t.r.from(20, 1800))
	if thinks {
		u.thought = u.out / 2
	}
	t.cache += written
	switch lives := t.draw.below(3); {
	case t.unsplit:
		u.write = written
	case lives == 0:
		u.write1h = written
	case lives == 1:
		u.write5m = written
	default:
		u.write1h = written / 2
		u.write5m = written - u.write1h
	}
	t.served(&u)
	return u
}

// served draws how an answer was served.
func (t *transcript) served(u *usage) {
	switch draw := t.draw.below(100); {
	case draw < 4:
		u.speed = "fast"
	case draw < 6:
		u.tier = "batch"
	case draw < 7:
		u.tier = "priority" // a tier without a price
	}
	if t.draw.percent(3) {
		u.geo = "us"
	}
	if t.draw.percent(3) {
		u.searches = int64(t.draw.from(1, 4))
	}
}

// billed notes what an answer is billed for, at the time of its first record.
func (t *transcript) billed(a *answered) {
	u := &a.usage
	tier := u.tier
	if u.speed != "" {
		tier = u.speed
	}
	t.m.answered(t.t, Answer{Time: t.now, Root: t.session, Project: t.cwd, Branch: t.branch, Model: a.model, Tier: tier, Geo: u.geo,
		Input: u.in, CacheRead: u.read, Write5m: u.write5m, Write1h: u.write1h, Write: u.write, Output: u.out, Reasoning: u.thought, Searches: u.searches})
}
