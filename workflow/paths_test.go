package workflow

import (
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	m := Default()
	for _, c := range []struct {
		what  string
		paths string
	}{
		{"test", `
a_test.go
internal/x/y_test.go
tests/helper.py
src/__tests__/x.ts
pkg/testdata/a.json
test_parser.py
conftest.py
src/a.test.tsx
src/a.spec.ts
spec/models/user_spec.rb
src/test/java/org/x/FooTest.java
FooTests.cs
FooIT.java
test.js
cypress/e2e/login.cy.js
src/fixtures/user.yaml
__snapshots__/a.snap
jest.config.js
test/unit/../x.go
integration_test/login_flow.dart
src/integrationTest/java/org/x/Base.java
App.Tests/Startup.cs
AppUITests/Screen.swift
features/step_definitions/cart.rb
features/support/env.rb
t/00-load.t
tests-e2e/helpers.ts
test-support/src/lib.rs
infra/main.tftest.hcl
acceptance/checkout.rb
features/environment.py
base/cart_unittest.cc
ui/tst_dialog.cpp
`},
		{"doc", `
README.md
docs/guide/x.html
.github/workflows/ci.yml
.gitignore
package.json
go.mod
Cargo.lock
LICENSE
Makefile
notes.txt
vite.config.ts
`},
		{"production", `
src/factories/user.ts
locales/it/messages.go
attest/sign.go
contest/rank.go
latest.go
main.go
src/app.ts
internal/contest/latest.go
attest.go
src/testimonials.tsx
src/protest/x.py
src/features/login.ts
lib/inspector.rb
src/Latest.java
schema.sql
index.html
deploy.sh
cmd/tester/main.go
doc.go
../other/main.go
./main.go
`},
	} {
		for p := range strings.FieldsSeq(c.paths) {
			if test, doc := m.IsTestPath(p), m.IsDocPath(p); test != (c.what == "test") || !test && doc != (c.what == "doc") {
				t.Errorf("%s: test %v, doc %v, but it is %s", p, test, doc, c.what)
			}
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, yes, no string }{
		{"e2e/", "e2e/a a/e2e/b", "e2e a/e2e xe2e/a"},
		{"t*/", "tests/a x/t/a", "a/t"},
		{"web/e2e/", "web/e2e/a web/e2e/b/c", "x/web/e2e/a web/e2e"},
		{"*.e2e", "a.e2e x/y.e2e", "a.e2e/x"},
		{"web/*.go", "web/a.go", "a.go x/web/a.go web/x/a.go"},
		{"[", "", "[ a"},
		{"", "", "a"},
		{"/", "", "a/b"},
	} {
		m := Model{Tests: []string{c.pattern}}
		for p := range strings.FieldsSeq(c.yes) {
			if !m.IsTestPath(p) {
				t.Errorf("%s does not match %s", c.pattern, p)
			}
		}
		for p := range strings.FieldsSeq(c.no) {
			if m.IsTestPath(p) {
				t.Errorf("%s matches %s", c.pattern, p)
			}
		}
	}
}
