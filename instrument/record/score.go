package record

import (
	"fmt"
	"time"
)

// Score is the Instrumentation Score of the recorded spans, as far as they tell. It
// follows github.com/instrumentation-score/spec at e6ee222 (draft 0.1) and has no
// rule of its own.
type Score struct {
	Value    float64     `json:"value"`    // 0 to 100; 0 where nothing was judged
	Category string      `json:"category"` // the specification's word for the value; "" where nothing was judged
	Judged   int         `json:"judged"`   // rules
	Of       int         `json:"of"`
	Rules    []ScoreRule `json:"rules"` // that were judged
	Says     []string    `json:"says"`  // what limits it
}

// ScoreRule is a judged rule of the score.
type ScoreRule struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Passed bool   `json:"passed"`
	Says   string `json:"says"`
}

// scoreRules is how many rules the specification has at e6ee222.
const scoreRules = 19

var weights = map[string]float64{"Critical": 40, "Important": 30, "Normal": 20, "Low": 10}

// Limits of the rules, and when a trace is long enough for its short spans to say
// something: in a unit test nearly every span is short.
const (
	maxInternal   = 10
	maxShort      = 20
	shortSpan     = 5 * time.Millisecond
	realisticSpan = 50 * time.Millisecond
)

// Rate gives the score.
func Rate(r *Recording) Score {
	s := Score{Of: scoreRules, Rules: []ScoreRule{}, Says: []string{}}
	if len(r.Spans) == 0 {
		s.Says = append(s.Says, "no span arrived")
		return s
	}
	traces := map[string][]*Span{}
	for i := range r.Spans {
		if span := &r.Spans[i]; span.Ended { // others are never sent
			traces[span.Trace] = append(traces[span.Trace], span)
		}
	}
	s.traces(traces)
	s.resources(r)
	s.total()
	if s.Judged < s.Of {
		s.Says = append(s.Says, fmt.Sprintf("%d of %d rules could be judged, so it is not complete", s.Judged, s.Of))
	}
	return s
}

func (s *Score) rule(id, impact string, failed, of int, what string) {
	s.Rules = append(s.Rules, ScoreRule{id, impact, failed == 0, fmt.Sprintf("%d of %s %s", failed, countOf(of, "trace"), what)})
}

func (s *Score) traces(traces map[string][]*Span) {
	var internal, orphans, clients, short, judged int
	for _, spans := range traces {
		ids := map[string]bool{}
		for _, span := range spans {
			ids[span.ID] = true
		}
		count, brief := 0, 0
		orphan, client, long := false, false, false
		for _, span := range spans {
			if span.Kind == "internal" {
				count++
			}
			if d := span.End.Sub(span.Start); d < shortSpan {
				brief++
			} else if d >= realisticSpan {
				long = true
			}
			orphan = orphan || span.Parent != "" && !ids[span.Parent]
			client = client || span.Parent == "" && span.Kind == "client"
		}
		internal += one(count > maxInternal)
		orphans += one(orphan)
		clients += one(client)
		if long {
			judged++
			short += one(brief > maxShort)
		}
	}
	if len(traces) == 0 {
		return
	}
	s.rule("SPA-001", "Normal", internal, len(traces), fmt.Sprintf("with more than %d INTERNAL spans of a service", maxInternal))
	s.rule("SPA-002", "Normal", orphans, len(traces), "with a span whose parent is missing")
	s.rule("SPA-004", "Important", clients, len(traces), "with a CLIENT span as root")
	if judged > 0 {
		s.rule("SPA-005", "Important", short, judged, fmt.Sprintf("with more than %d spans under %v", maxShort, shortSpan))
	} else {
		s.Says = append(s.Says, fmt.Sprintf("SPA-005 was not judged: no trace has a span of %v or more, and in tests short spans say nothing", realisticSpan))
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// resources judges what only an SDK sets.
func (s *Score) resources(r *Recording) {
	if r.Mode == Recorder {
		s.Says = append(s.Says, "rules on resources and SDKs need --record tap or otlp: the recorder stands in for the SDK")
		return
	}
	var spans, nameless, instanceless int
	for i := range r.Spans {
		if !r.Spans[i].Ended {
			continue
		}
		name, instance := false, false
		for _, a := range r.Spans[i].Resource {
			name = name || a.Key == "service.name" && a.Kind == "string" && a.Value != ""
			instance = instance || a.Key == "service.instance.id"
		}
		spans++
		nameless += one(!name)
		instanceless += one(!instance)
	}
	if spans == 0 {
		return
	}
	s.Rules = append(s.Rules,
		ScoreRule{"RES-001", "Normal", instanceless == 0, fmt.Sprintf("%d of %s without service.instance.id", instanceless, countOf(spans, "span"))},
		ScoreRule{"RES-005", "Critical", nameless == 0, fmt.Sprintf("%d of %s without service.name", nameless, countOf(spans, "span"))})
}

func (s *Score) total() {
	var passed, all float64
	for _, r := range s.Rules {
		all += weights[r.Impact]
		if r.Passed {
			passed += weights[r.Impact]
		}
	}
	if s.Judged = len(s.Rules); s.Judged == 0 {
		return
	}
	s.Value = passed / all * 100
	switch {
	case s.Value >= 90:
		s.Category = "excellent"
	case s.Value >= 75:
		s.Category = "good"
	case s.Value >= 50:
		s.Category = "needs improvement"
	default:
		s.Category = "poor"
	}
}
