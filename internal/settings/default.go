package settings

// Default is the project's settings file as `aburn init` writes it: every data key with its default.
func Default() []byte { return []byte(initial) }

const initial = `{
  "//": "Settings of this project for aburn. Data only: what agents are given is set in your own ~/.config/aburn/settings.json, which also goes before this file.",
  "log": {
    "//": "rotate the log at this size, keep this much of it, and sync none, durable (ends of commands and phases) or all entries",
    "rotate": "16MiB",
    "keep": "512MiB",
    "sync": "durable"
  },
  "timeouts": {
    "//": "how long a phase may take before it counts as stuck",
    "RED": "10m",
    "GREEN": "5m",
    "REFACTOR": "3m",
    "default": "5m"
  }
}
`
