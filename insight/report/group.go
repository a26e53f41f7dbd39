package report

import "slices"

// group gathers values by key.
type group[K comparable, V any] struct {
	at   map[K]*V
	list []*V // in the order of their first appearance
}

func newGroup[K comparable, V any]() *group[K, V] { return &group[K, V]{at: map[K]*V{}} }

// of is the value of a key, a new one if there is none yet.
func (g *group[K, V]) of(key K) *V {
	v := g.at[key]
	if v == nil {
		v = new(V)
		g.at[key] = v
		g.list = append(g.list, v)
	}
	return v
}

// sorted is the values in an order, and in that of their first appearance where it does not tell; never nil.
func (g *group[K, V]) sorted(order func(a, b *V) int) []V {
	slices.SortStableFunc(g.list, order)
	return g.values()
}

// values is all of them, in their order; never nil.
func (g *group[K, V]) values() []V {
	values := make([]V, len(g.list))
	for i, v := range g.list {
		values[i] = *v
	}
	return values
}
