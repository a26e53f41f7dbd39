package cost

// price adds what one response costs.
func (s *Sum) price(p *Prices, r *Response) {
	s.Responses++
	s.Tokens.Add(r.Tokens)
	s.Searches += r.Searches
	row := p.at(r.Model, r.Time)
	if row == nil {
		s.unpriced(r.Model, r.Tokens.Total())
		return
	}
	f, ok := row.factor(r, p)
	if !ok {
		s.unpriced(r.Model, r.Tokens.Total())
		return
	}
	s.use(row.Name)
	s.Uncertain = s.Uncertain || row.doubtful() || f.uncertain
	s.tokens(row, r, f)
	s.searches(p, row, r)
}

// Price is what responses cost at these prices.
func (p *Prices) Price(responses ...Response) Sum {
	var s Sum
	for i := range responses {
		s.price(p, &responses[i])
	}
	return s
}

// factor multiplies all rates of a request. 1 is oneTime.
type factor struct {
	times     int64 // in thousandths
	uncertain bool
}

const oneTime = 1000

// factor is what tier and place do to a request's rates. ok is false for a tier that the row does not name.
func (row *Row) factor(r *Response, p *Prices) (f factor, ok bool) {
	f.times = oneTime
	switch r.Tier {
	case Standard:
	default:
		if f.times, ok = row.tier(r.Tier, r.Time); !ok {
			return f, false
		}
	}
	if m := p.modifier(row.Vendor, inferenceGeo); m != nil && r.Geo == "us" {
		f.times = f.times * m.times / oneTime
		f.uncertain = len(m.Uncertain) > 0
	}
	return f, true
}

// tokens adds what the tokens of a response cost. A kind that the row does not name has no price.
func (s *Sum) tokens(row *Row, r *Response, f factor) {
	t := &r.Tokens
	rates := row.rates(t)
	add := func(n int64, kinds ...rateKind) {
		if n == 0 {
			return
		}
		rate, ok := rates.lowest(kinds...)
		if !ok {
			s.unpriced(r.Model, n)
			return
		}
		s.add(rate, f.times, n, r.Model)
	}
	add(t.Input, input)
	add(t.CacheRead, cacheRead)
	add(t.Write5m, write5m)
	add(t.Write1h, write1h)
	add(t.Output, output)
	if _, one := rates[write]; one {
		add(t.Write, write)
	} else {
		add(t.Write, write5m, write1h)
		s.AtLeast = s.AtLeast || t.Write > 0
	}
	if _, billed := rates.lowest(write, write5m, write1h); billed && r.WritesUnknown && t.Input > 0 {
		s.AtLeast = true
	}
}

func (s *Sum) searches(p *Prices, row *Row, r *Response) {
	if r.Searches == 0 {
		return
	}
	m := p.modifier(row.Vendor, webSearches)
	if m == nil {
		s.AtLeast = true
		return
	}
	s.add(m.search, oneTime, r.Searches, r.Model)
	s.Uncertain = s.Uncertain || len(m.Uncertain) > 0
}

// add adds n times a rate, multiplied with a factor. What no Amount can hold has no price.
func (s *Sum) add(rate Amount, times, n int64, model string) {
	product, ok := rate.times(times, n)
	if !ok {
		s.unpriced(model, max(n, 0))
		return
	}
	if s.Amount, ok = s.Amount.plus(product); !ok {
		s.AtLeast = true
	}
}
