// Receiver is the OTLP receiver of the OpenTelemetry Collector by itself: it listens on the loopback address in its first
// argument and prints what it takes, one request a line, in OTLP's JSON. It is a module of its own, so that aburn's has
// none of the collector's dependencies.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	given := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": address}}})
	if err := given.Unmarshal(config); err != nil {
		return err
	}
	print, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		data, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err == nil {
			_, err = os.Stdout.Write(append(data, '\n'))
		}
		return err
	})
	if err != nil {
		return err
	}
	settings := receiver.Settings{ID: component.NewID(factory.Type()), TelemetrySettings: componenttest.NewNopTelemetrySettings()}
	traces, err := factory.CreateTraces(ctx, settings, config, print)
	if err != nil {
		return err
	}
	if err := traces.Start(ctx, componenttest.NewNopHost()); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "ready")
	<-ctx.Done()
	return traces.Shutdown(context.Background())
}
