package coordinator

import (
	"context"
	"errors"
	"fmt"

	"aburn/instrument/prompt"
	"aburn/instrument/provider"
	"aburn/instrument/telemetry"
)

// budgetError says that a question was not asked, because it could be too much.
type budgetError struct{ msg string }

func (e *budgetError) Error() string { return e.msg }

// Why an answer is missing, as the journal has it.
const (
	whyAuth      = "auth"
	whyRefused   = "refused"
	whyTruncated = "truncated"
	whySchema    = "schema"
)

// ask gives the answer that the journal has, or pays for one within the budgets.
func (a *attempts) ask(ctx context.Context, n int, facts []string, focus string) (*Answer, error) {
	if n == 0 {
		if err := a.awaitAhead(ctx, a.scan.Path); err != nil {
			return nil, err
		}
		if out := a.ahead.out[a.scan.Path]; out != nil {
			a.told.Request = out.request
		}
	}
	if had := a.book.known(a.scan.Path, n, a.scan.Source); had != nil {
		return had, nil
	}
	q := prompt.Question{File: a.scan, Source: a.source, Facts: facts, Focus: focus}
	if a.mends(n) {
		q.Before = a.before
	} else if a.rewrites() && a.before != nil {
		q.Facts = nil // they speak of a file that the model does not see
	}
	request, estimate := a.question(q)
	if limit := a.o.Config.MaxTokensPerFile; limit > 0 && a.used+estimate > limit {
		return nil, &budgetError{fmt.Sprintf("maxTokensPerFile is %d: %d were used, and the next question could take %d", limit, a.used, estimate)}
	}
	if err := a.withinBudget(estimate); err != nil {
		return nil, err
	}
	if err := a.book.write(entry{Kind: kAsked, Path: a.scan.Path, Attempt: n}); err != nil {
		return nil, err
	}
	a.asks(a.scan.Path, n, estimate)
	a.told.Request = request
	response, err := a.patiently(ctx, request)
	if err != nil && (ctx.Err() != nil || isStop(err)) {
		return nil, err
	}
	a.ahead.paused.Store(false)
	answer := a.answerOf(a.scan, response, err)
	return answer, a.book.write(entry{Kind: kAnswer, Path: a.scan.Path, Attempt: n, Answer: answer})
}

// question is a request with how many tokens it can take.
func (r *runner) question(q prompt.Question) (request provider.Request, estimate int) {
	if r.now != nil {
		q.Now = r.now.Resolved
	}
	request = r.survey.contract.Request(q)
	request.Model, request.Effort = r.o.Config.AgentModel, r.o.Config.AgentEffort
	return request, prompt.Tokens(request) + request.MaxOutput
}

func (r *runner) asks(path string, n, tokens int) {
	if r.cb.OnAsk != nil {
		r.cb.OnAsk(path, n+1, tokens)
	}
}

// withinBudget stops the run where a question could take too much. Questions that are out
// are waited for before: mostly they take less than they could.
func (a *attempts) withinBudget(estimate int) error {
	limit := a.budget()
	used, reserved := a.book.spent()
	if used+reserved+estimate > limit && reserved > 0 {
		if err := a.drain(); err != nil {
			return err
		}
		used, _ = a.book.spent()
	}
	if used+estimate > limit {
		return &stop{fmt.Sprintf("the ceiling of %d tokens: %d were used, and the next question could take %d", limit, used, estimate)}
	}
	return nil
}

// answerOf is a response as the journal has it.
func (r *runner) answerOf(f *scanFile, response provider.Response, err error) *Answer {
	answer := &Answer{Source: f.Source, JSON: response.JSON, Usage: response.Usage, USD: response.CostUSD}
	if answer.USD == nil && r.o.Price != nil {
		answer.USD = r.o.Price(response.Usage)
	}
	if err != nil {
		answer.JSON, answer.Err, answer.Why = nil, err.Error(), whyOf(err)
	}
	return answer
}

// budget is how many tokens the run may take.
func (r *runner) budget() int {
	limit := r.book.state.Accepted.MaxTokens
	if own := r.o.Config.MaxTokensPerRun; own > 0 && own < limit {
		limit = own
	}
	return limit
}

func isStop(err error) bool {
	var s *stop
	return errors.As(err, &s)
}

func whyOf(err error) string {
	switch {
	case errors.Is(err, provider.ErrAuth):
		return whyAuth
	case errors.Is(err, provider.ErrRefused):
		return whyRefused
	case errors.Is(err, provider.ErrTruncated):
		return whyTruncated
	case errors.Is(err, provider.ErrSchema):
		return whySchema
	}
	return ""
}

// complete asks once, in a span of its own. Of an error it tells the kind.
func (r *runner) complete(ctx context.Context, request provider.Request) (provider.Response, error) {
	ctx, span := r.o.Trace.Start(ctx, telemetry.Plan)
	response, err := r.o.Provider.Complete(ctx, request)
	span.Model(r.o.Provider.Name(), request.Model, response.Usage.Input+response.Usage.CacheWrite+response.Usage.CacheRead, response.Usage.Output)
	if why := whyOf(err); why != "" {
		span.Text("aburn.instrument.answer", why)
	}
	span.End(err)
	return response, err
}

// rateWaits is how often a run waits for a provider that takes no more questions.
const rateWaits = 3

// patiently asks, and waits where the provider wants that. Then the run stops.
func (a *attempts) patiently(ctx context.Context, request provider.Request) (provider.Response, error) {
	for n := 0; ; n++ {
		response, err := a.complete(ctx, request)
		var rate *provider.RateError
		if !errors.As(err, &rate) {
			return response, err
		}
		if n == rateWaits || rate.After > maxWait {
			return response, &stop{rate.Error()}
		}
		if a.cb.OnWait != nil {
			a.cb.OnWait(rate.Error())
		}
		if err := a.o.Sleep(ctx, max(rate.After, minWait)); err != nil {
			return response, err
		}
	}
}
