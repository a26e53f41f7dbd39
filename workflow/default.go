package workflow

import "time"

// Default is the workflow ideate → plan → build → ship with the phases RED → GREEN → REFACTOR.
func Default() Model {
	return Model{
		Commands: []Command{
			{Name: "ideate", Outputs: []string{"*.md"}},
			{Name: "plan", After: "ideate", Outputs: []string{"*.md"}},
			{Name: "build", After: "plan", Milestones: 1},
			{Name: "ship", After: "build"},
		},
		Phases: []Phase{
			{Name: "RED", Timeout: 10 * time.Minute, TestsOnly: true, FailingTest: true},
			{Name: "GREEN", Timeout: 5 * time.Minute},
			{Name: "REFACTOR", Timeout: 3 * time.Minute, Optional: true},
		},
		Timeout:      5 * time.Minute,
		Tests:        defaultTests(),
		Docs:         defaultDocs(),
		TestCommands: defaultTestCommands(),
		Limits:       DefaultLimits(),
	}
}

// defaultTests is what test runners and languages call tests, fixtures and their settings.
func defaultTests() []string {
	return []string{
		"test/", "tests/", "Test/", "Tests/", "spec/", "specs/", "e2e/", "__tests__/", "__mocks__/", "__snapshots__/", "__fixtures__/",
		"testdata/", "test-data/", "test_data/", "fixture/", "fixtures/", "testutil/", "testutils/", "testing/", "mocks/", "cypress/", "androidTest/", "features/",
		"*_test.*", "test_*.*", "*.test.*", "*.spec.*", "*_spec.*", "*-test.*", "*-spec.*", "*_tests.*", "tests.*", "test.*", "spec.*",
		"*Test.*", "*Tests.*", "*TestCase.*", "*Spec.*", "*IT.java", "*.feature", "*.snap", "*.golden", "*.cy.*", "*.e2e.*", "*_fixture.*", "*.fixture.*", "*_mock.*", "*.mock.*", "*.stories.*",
		"conftest.py", "pytest.ini", "tox.ini", "noxfile.py", "jest.config.*", "vitest.config.*", "playwright.config.*", "karma.conf.*", ".mocharc*", "phpunit.xml*", ".rspec", "spec_helper.rb", "test_helper.rb",
	}
}

// defaultDocs is what no program consists of: documents, and what configures tools and dependencies.
func defaultDocs() []string {
	return []string{
		"docs/", "doc/", ".*/", ".*",
		"*.md", "*.mdx", "*.markdown", "*.rst", "*.adoc", "*.txt", "*.org", "*.pdf", "*.png", "*.jpg", "*.jpeg", "*.gif", "*.svg", "*.drawio", "*.puml", "*.mmd",
		"LICENSE*", "NOTICE*", "AUTHORS*", "CHANGELOG*", "README*", "CONTRIBUTING*", "CODEOWNERS",
		"*.json", "*.jsonl", "*.yaml", "*.yml", "*.toml", "*.ini", "*.cfg", "*.conf", "*.properties", "*.lock", "*.log", "*.csv", "*.tsv",
		"go.mod", "go.sum", "go.work", "go.work.sum", "Gemfile", "Makefile", "Dockerfile*", "Justfile", "justfile", "pom.xml", "build.gradle*", "settings.gradle*", "*.csproj", "*.sln", "setup.py", "*.config.js", "*.config.ts", "*.config.mjs", "*.config.cjs",
	}
}

// defaultTestCommands is how the test runners of the common languages are called.
func defaultTestCommands() []string {
	return []string{
		"go test", "gotestsum", "ginkgo", "cargo test", "cargo nextest", "cargo t",
		"npm test", "npm t", "npm tst", "npm run test*", "npm run e2e*", "yarn test*", "yarn run test*", "pnpm test*", "pnpm t", "pnpm run test*", "bun test", "bun run test*", "deno test", "deno task test*",
		"jest", "vitest", "mocha", "ava", "tap", "jasmine", "karma start", "playwright test", "cypress run", "node --test", "tsx --test", "ng test", "nx test", "nx run-many --target=test", "turbo test*", "turbo run test*", "lerna run test*",
		"pytest", "py.test", "tox", "nox", "nose2", "nosetests", "python -m pytest", "python -m unittest", "python3 -m pytest", "python3 -m unittest", "python manage.py test", "python3 manage.py test", "python setup.py test", "manage.py test", "hatch test", "behave", "robot",
		"mvn test", "mvn verify", "mvnw test", "mvnw verify", "gradle test*", "gradle check", "gradlew test*", "gradlew check", "sbt test*", "lein test", "clojure -X:test",
		"dotnet test", "vstest.console", "rspec", "rake test*", "rake spec*", "rails test*", "rails spec", "cucumber", "phpunit", "pest", "composer test*", "artisan test",
		"mix test", "rebar3 eunit", "rebar3 ct", "swift test", "xcodebuild test", "flutter test", "dart test", "ctest", "meson test", "bazel test", "bazelisk test", "buck test", "buck2 test", "zig test", "zig build test", "stack test", "cabal test", "dune test", "dune runtest", "opam test", "nimble test", "crystal spec", "busted", "prove", "bats", "shellspec", "R CMD check",
		"make test*", "make check*", "make unit*", "make spec", "make e2e", "just test*", "task test*", "rtk test", "tests/run*", "test/run*", "run_tests*", "run-tests*", "runtests*", "test.sh",
	}
}
