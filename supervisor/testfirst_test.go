package supervisor

import "testing"

func TestPathsThatMayBeTests(t *testing.T) {
	for path, want := range map[string]string{
		"integration_test/app.dart": "test", "src/integrationTest/java/Foo.java": "test", "App.Tests/CartTests.cs": "test", "selftests/run.c": "test",
		"kernel/tools/testing/x.c": "test", "spec/models/cart.rb": "test", "t/01-basic.t": "test", "web/e2e/buy.ts": "test", "Tests/AppTests/Foo.swift": "test",
		"apps/web/test-utils/render.tsx": "test", "src/FooTest_bar/x.go": "test", "unittests/a.cpp": "test", "mocks_gen.go": "test", "pkg/testhelpers/db.go": "test",
		"features/steps/cart.py": "perhaps", "src/features/cart.ts": "perhaps", "lib/user_factory.rb": "perhaps", "src/it/App.java": "perhaps",
		"src/cart.ts": "", "latest.go": "", "contest/vote.py": "", "pkg/request.go": "", "lib/attest.rs": "", "special.go": "", "manifest.py": "",
		"app/testimonials.tsx": "",
		"src/item.go":          "", "aspect.go": "",
	} {
		got := ""
		switch {
		case likelyTest(path):
			got = "test"
		case perhapsTest(path):
			got = "perhaps"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
