package claude

import (
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"aburn/hooks"
)

// status reads what Claude Code 2.1.329 gives a status line: D2r in its executable makes it. Limits are there for plans
// that have some, once a request was answered.
func status(p gjson.Result) (s hooks.Status) {
	p.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "session_id":
			s.Session = hooks.Session(v.Str)
		case "workspace":
			s.Dir = v.Get("project_dir").Str
		case "model":
			s.Model = v.Get("display_name").Str
		case "cost":
			if usd := v.Get("total_cost_usd"); usd.Type == gjson.Number && usd.Num >= 0 && usd.Num < 1e9 {
				s.Cost, s.Costs = usd.Num, true
			}
			if ms := v.Get("total_duration_ms"); ms.Type == gjson.Number && ms.Num > 0 && ms.Num < 1e11 {
				s.Lasted = time.Duration(ms.Num) * time.Millisecond
			}
		case "context_window":
			if used := v.Get("used_percentage"); used.Type == gjson.Number && used.Num >= 0 && used.Num < 1000 {
				s.Context = strconv.Itoa(int(used.Num)) + "%"
			}
		case "rate_limits":
			s.Windows = windows(v)
		}
		return true
	})
	return s
}

func windows(limits gjson.Result) (list []hooks.Window) {
	for _, w := range [...]struct {
		key    string
		length time.Duration
	}{{"five_hour", 5 * time.Hour}, {"seven_day", 7 * 24 * time.Hour}} {
		used, resets := limits.Get(w.key+".used_percentage"), limits.Get(w.key+".resets_at")
		if used.Type != gjson.Number || used.Num < 0 || used.Num > 1000 {
			continue
		}
		one := hooks.Window{Length: w.length, Used: used.Num}
		if resets.Num > 0 && resets.Num < 1e11 { // seconds since 1970
			one.Resets = time.Unix(int64(resets.Num), 0)
		}
		list = append(list, one)
	}
	return list
}
