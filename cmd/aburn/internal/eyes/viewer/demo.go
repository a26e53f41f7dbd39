package viewer

import (
	"context"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
)

type demo struct{ app *kit.App }

func newDemo(context.Context, *kit.App) (*demo, error) { return nil, kit.BadNews("not yet") }
func (d *demo) clear()                                 {}
func (d *demo) caller(c *scope.Caller) *scope.Caller   { return c }
