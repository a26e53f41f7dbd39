package state

func (v *Checked) code(c *codec) {
	word(c, "kind", &v.Kind)
	c.ref("wt", &v.Wt)
	c.ref("input", &v.Input)
	c.mark("last", &v.Last)
	c.bool("passed", &v.Passed)
	c.uint32("result", &v.Result)
	c.uint32("base", &v.Base)
	c.mark("unsure", &v.Unsure)
}

func (v *Claim) code(c *codec) {
	c.mark("at", &v.Mark)
	word(c, "by", &v.By)
	c.ref("name", &v.Name)
	c.mark("from", &v.From)
	items(c, "lacks", &v.Lacks, maxLacks, object((*Lack).code))
	c.int("runs", &v.Runs)
}

func (l *Lack) code(c *codec) {
	word(c, "check", &l.Check)
	word(c, "why", &l.Why)
	c.ref("input", &l.Input)
	c.ref("wt", &l.Wt)
	c.mark("run", &l.Run)
	c.mark("edit", &l.Edit)
	c.ref("path", &l.Path)
	c.bool("before", &l.Before)
	c.bool("known", &l.Known)
}

// word is a name of a closed set.
func word[T ~string](c *codec, name string, v *T) {
	s := string(*v)
	c.ref(name, &s)
	*v = T(s)
}
