package cost

// Price is what responses cost at these prices.
func (p *Prices) Price(responses ...Response) Sum {
	var s Sum
	for i := range responses {
		s.add(&responses[i], p.charge(&responses[i]))
	}
	return s
}

// charge is what one response costs.
type charge struct {
	amount             Amount
	row                *Row // nil if there is none
	unpriced           int64
	atLeast, uncertain bool
}

func (s *Sum) add(r *Response, c charge) {
	s.Responses++
	s.Tokens.Add(r.Tokens)
	s.Searches += r.Searches
	var ok bool
	if s.Amount, ok = s.Amount.plus(c.amount); !ok {
		s.AtLeast = true
	}
	s.AtLeast = s.AtLeast || c.atLeast
	s.Uncertain = s.Uncertain || c.uncertain
	s.unpriced(r.Model, c.unpriced)
	if c.row != nil && c.row != s.last {
		s.use(c.row.Name)
		s.last = c.row
	}
}

func (p *Prices) charge(r *Response) charge { return p.chargeBy(p.at(r.Model, r.Time), r) }

// chargeBy is charge by a row of the response's model and time, or by none.
func (p *Prices) chargeBy(row *Row, r *Response) (c charge) {
	if row == nil {
		return charge{unpriced: r.Tokens.Total()}
	}
	f, ok := row.factor(r, p)
	if !ok {
		return charge{unpriced: r.Tokens.Total()}
	}
	c.row, c.uncertain = row, row.doubtful() || f.uncertain
	c.tokens(r, f)
	c.searches(p, r)
	return c
}

// factor multiplies all rates of a request.
type factor struct {
	times     int64 // in thousandths
	uncertain bool
}

const oneTime = 1000 // the factor 1

// factor is what tier and place do to a request's rates. ok is false for a tier that the row does not name.
func (row *Row) factor(r *Response, p *Prices) (f factor, ok bool) {
	f.times = oneTime
	if r.Tier != Standard {
		if f.times, ok = row.tier(r.Tier, r.Time); !ok {
			return f, false
		}
	}
	if r.Geo != "us" {
		return f, true
	}
	if m := p.modifier(row.Vendor, inferenceGeo); m != nil {
		f.times = f.times * m.times / oneTime
		f.uncertain = len(m.Uncertain) > 0
	}
	return f, true
}

// tokens adds what the tokens of a response cost. A kind that the row does not name has no price.
func (c *charge) tokens(r *Response, f factor) {
	t := &r.Tokens
	rates := c.row.rates(t)
	add := func(n int64, kinds ...rateKind) {
		if n == 0 {
			return
		}
		if rate, ok := rates.lowest(kinds...); ok {
			c.add(rate, f.times, n)
		} else {
			c.unpriced += n
		}
	}
	add(t.Input, input)
	add(t.CacheRead, cacheRead)
	add(t.Write5m, write5m)
	add(t.Write1h, write1h)
	add(t.Output, output)
	if rates.known[write] {
		add(t.Write, write)
	} else {
		add(t.Write, write5m, write1h)
		c.atLeast = c.atLeast || t.Write > 0
	}
	if _, billed := rates.lowest(write, write5m, write1h); billed && r.WritesUnknown && t.Input > 0 {
		c.atLeast = true
	}
}

func (c *charge) searches(p *Prices, r *Response) {
	if r.Searches == 0 {
		return
	}
	m := p.modifier(c.row.Vendor, webSearches)
	if m == nil {
		c.atLeast = true
		return
	}
	c.uncertain = c.uncertain || len(m.Uncertain) > 0
	if product, ok := m.search.times(oneTime, r.Searches); ok {
		c.amount, ok = c.amount.plus(product)
		c.atLeast = c.atLeast || !ok
	} else {
		c.atLeast = true
	}
}

// add adds n times a rate, multiplied with a factor. What no Amount can hold has no price.
func (c *charge) add(rate Amount, times, n int64) {
	product, ok := rate.times(times, n)
	if !ok {
		c.unpriced += max(n, 0)
		return
	}
	if c.amount, ok = c.amount.plus(product); !ok {
		c.atLeast = true
	}
}
