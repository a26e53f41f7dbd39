package bill

import (
	"context"
	"slices"

	"aburn/archive"
	"aburn/insight/cost"
	"aburn/internal/agentcli"
	"aburn/internal/workspace"
)

// SessionCosts is what each chosen session was billed for itself, by its key. A session that was billed for nothing is in
// no row.
func SessionCosts(ctx context.Context, c *workspace.Caller, arch *archive.Archive, chosen []archive.Session) (map[int64]*cost.Sum, error) {
	prices, err := PricesOf(c, "")
	if err != nil {
		return nil, err
	}
	agents, sums := make(map[int64]string, len(chosen)), make(map[int64]*cost.Sum, len(chosen))
	for i := range chosen {
		agents[chosen[i].Key] = chosen[i].Source
	}
	among := func(key int64) bool { return agents[key] != "" }
	return sums, arch.EachAnswers(ctx, among, func(key int64, list []archive.Answer) error {
		hides, sum := HidesCacheWrites(agents[key], list), &cost.Sum{}
		for i := range list {
			sum.Add(prices.Price(ResponseOf(&list[i], hides)))
		}
		sums[key] = sum
		return nil
	})
}

// ResponseOf is what the price of an archived answer depends on. hides says that its store does not count writes to a cache.
func ResponseOf(a *archive.Answer, hides bool) cost.Response {
	u := &a.Usage
	return cost.Response{Time: a.Time, Model: a.Model, Tier: cost.Tier(a.Tier), Geo: a.Geo, Searches: u.Searches, WritesUnknown: hides,
		Tokens: cost.Tokens{Input: u.Input, CacheRead: u.CacheRead, Write5m: u.CacheWrite5m, Write1h: u.CacheWrite1h,
			Write: u.CacheWrite - u.CacheWrite5m - u.CacheWrite1h, Output: u.Output}}
}

// HidesCacheWrites reports whether the agent's store does not count writes to a cache.
func HidesCacheWrites(agent string, list []archive.Answer) bool {
	return agentcli.Of(agent).Traits.HidesCacheWrites &&
		!slices.ContainsFunc(list, func(a archive.Answer) bool { return a.Usage.CacheWrite > 0 })
}

// Priced is what answers cost, as JSON says it.
type Priced struct {
	USD       string           `json:"usd"`
	AtLeast   bool             `json:"at_least"`
	Uncertain bool             `json:"uncertain"`
	Unpriced  map[string]int64 `json:"unpriced,omitempty"`
}

// PricedOf says a sum as JSON; nil if there is none.
func PricedOf(s *cost.Sum) *Priced {
	if s == nil {
		return nil
	}
	return &Priced{USD: s.Amount.Decimal(), AtLeast: s.Lower(), Uncertain: s.Uncertain, Unpriced: s.Unpriced}
}
