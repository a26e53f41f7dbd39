# Made from checksums.txt by internal/lab/packaging. Use: pkgs.callPackage ./aburn.nix { }
{ lib, stdenvNoCC, fetchurl, installShellFiles }:

let
  archives = {
    aarch64-darwin = {
      url = "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_darwin_arm64.tar.gz";
      hash = "sha256-cnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnI=";
    };
    x86_64-darwin = {
      url = "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_darwin_amd64.tar.gz";
      hash = "sha256-cXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXE=";
    };
    aarch64-linux = {
      url = "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_linux_arm64.tar.gz";
      hash = "sha256-dHR0dHR0dHR0dHR0dHR0dHR0dHR0dHR0dHR0dHR0dHQ=";
    };
    x86_64-linux = {
      url = "https://example.invalid/aburn/releases/download/v1.2.3/aburn_1.2.3_linux_amd64.tar.gz";
      hash = "sha256-c3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3M=";
    };
  };
in
stdenvNoCC.mkDerivation {
  pname = "aburn";
  version = "1.2.3";
  src = fetchurl (archives.${stdenvNoCC.hostPlatform.system} or (throw "there is no aburn for ${stdenvNoCC.hostPlatform.system}"));
  nativeBuildInputs = [ installShellFiles ];
  dontConfigure = true;
  dontBuild = true;
  dontStrip = true;
  installPhase = ''
    install -Dm755 -t $out/bin aburn aburn-hook
    installManPage man/*.1
    installShellCompletion --bash --name aburn completions/aburn.bash
    installShellCompletion --zsh completions/_aburn
    installShellCompletion --fish completions/aburn.fish
  '';
  meta = {
    description = "Flight recorder and supervisor of coding agents";
    homepage = "https://example.invalid/aburn";
    license = lib.licenses.mit;
    mainProgram = "aburn";
    platforms = builtins.attrNames archives;
  };
}
