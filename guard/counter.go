package guard

// Counter counts the calls of a session as they come, in the log and in a trace alike. The calls of a sub-agent have a counter of
// their own.
type Counter struct {
	now   Counts
	equal map[string]*equal // of the turn
}

// equal is calls with the same tool and input.
type equal struct {
	result string
	times  int // in a row with that result
}

// Prompt begins a turn: a person or program asked something.
func (c *Counter) Prompt() {
	c.now.Turn, c.now.Agents, c.now.Failures, c.now.SecretRead = 0, 0, 0, false
	c.equal = nil
}

// Call counts a call, and returns the numbers at it. key names its tool and input; "" if it is unknown.
func (c *Counter) Call(key string, agent bool) Counts {
	c.now.Turn++
	c.now.Session++
	if agent {
		c.now.Agents++
		c.now.SessionAgents++
	}
	n := c.now
	n.Repeats = 1
	if e := c.equal[key]; e != nil && key != "" {
		n.Repeats += e.times
	}
	return n
}

// Result notes how a call ended. result names what it answered; "" if that is unknown.
func (c *Counter) Result(key, result string, failed bool) {
	if failed {
		c.now.Failures++
	} else {
		c.now.Failures = 0
	}
	if key == "" || result == "" {
		return
	}
	if c.equal == nil {
		c.equal = map[string]*equal{}
	}
	if e := c.equal[key]; e != nil && e.result == result {
		e.times++
		return
	}
	c.equal[key] = &equal{result, 1}
}

// Secret notes that the turn has read a secret.
func (c *Counter) Secret() { c.now.SecretRead = true }

// readsSecret is the rule by which a turn has read a secret.
var readsSecret = []Rule{{Name: "secret", Do: Note, When: []Condition{{Reads: []string{"secret"}}}}}

// ReadsSecret reports whether a call reads a file that holds secrets.
func ReadsSecret(call *Call, place Place, facts Facts) bool {
	return len(Judge(readsSecret, call, place, facts).Hits) > 0
}
