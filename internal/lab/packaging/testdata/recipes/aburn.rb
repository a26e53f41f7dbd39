# Made from checksums.txt by internal/lab/packaging.
class Aburn < Formula
  desc "Flight recorder and supervisor of coding agents"
  homepage "https://example.invalid/aburn"
  version "1.2.3"
  license "MIT"

  on_macos do
    on_arm do
      url "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_darwin_arm64.tar.gz"
      sha256 "7272727272727272727272727272727272727272727272727272727272727272"
    end
    on_intel do
      url "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_darwin_amd64.tar.gz"
      sha256 "7171717171717171717171717171717171717171717171717171717171717171"
    end
  end

  on_linux do
    on_arm do
      url "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_linux_arm64.tar.gz"
      sha256 "7474747474747474747474747474747474747474747474747474747474747474"
    end
    on_intel do
      url "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_linux_amd64.tar.gz"
      sha256 "7373737373737373737373737373737373737373737373737373737373737373"
    end
  end

  def install
    bin.install "aburn", "aburn-hook"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/aburn.bash" => "aburn"
    zsh_completion.install "completions/_aburn"
    fish_completion.install "completions/aburn.fish"
  end

  def caveats
    <<~EOS
      Nothing is recorded before you run:
        aburn install-hooks
      Run this before you uninstall aburn. It gives your agents' settings back:
        aburn uninstall-hooks
    EOS
  end

  test do
    assert_match "v#{version} ", shell_output("#{bin}/aburn version")
  end
end
