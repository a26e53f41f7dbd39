package commands

import (
	"context"
	"time"

	"aburn/cmd/internal/kit"
	"aburn/instrument/telemetry"
	"aburn/internal/plain"
	"aburn/internal/settings"
)

// tracer makes spans of aburn's own work where the user's settings say so; nil elsewhere. A project's files have no say.
func tracer(a *kit.App) *telemetry.Tracer {
	to := settings.Load(nil, a.Getenv).Instrument.Telemetry
	t, err := telemetry.New(to, time.Now)
	if err != nil {
		a.Warn("instrument.telemetry: " + plain.Line(err.Error()))
	}
	return t
}

// send sends the spans. What cannot be sent is a warning.
func send(ctx context.Context, a *kit.App, t *telemetry.Tracer) {
	if err := t.Close(ctx); err != nil {
		a.Warn("spans of aburn's own work were not sent: " + plain.Line(err.Error()))
	}
}
