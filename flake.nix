{
  description = "Rackwire: an infrastructure inventory whose webhooks can be relied on";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      servers = pkgs: [
        pkgs.nodejs_24
        pkgs.postgresql_18
        pkgs.redis
      ];
      # The npm dependencies are installed once per version of this source into the user's cache: they are pinned by the
      # lock file, and none of them is a binary (Node, Postgres and Redis come from nixpkgs).
      rackwire =
        pkgs:
        pkgs.writeShellApplication {
          name = "rackwire";
          runtimeInputs = servers pkgs ++ [ pkgs.coreutils ];
          text = ''
            home="''${XDG_CACHE_HOME:-$HOME/.cache}/rackwire/$(basename ${self})"
            if [ ! -e "$home/installed" ]; then
              mkdir -p "$home"
              cp -r --no-preserve=mode ${self}/. "$home"
              (cd "$home" && npm ci --omit=dev --omit=optional --ignore-scripts >&2)
              touch "$home/installed"
            fi
            export POSTGRES_BIN="''${POSTGRES_BIN:-${pkgs.postgresql_18}/bin}"
            exec node "$home/bin/rackwire.mjs" "''${@:-serve}"
          '';
        };
    in
    {
      packages = forEach (pkgs: {
        default = rackwire pkgs;
      });

      apps = forEach (pkgs: {
        default = {
          type = "app";
          program = "${rackwire pkgs}/bin/rackwire";
        };
      });

      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = servers pkgs;
          POSTGRES_BIN = "${pkgs.postgresql_18}/bin";
        };
      });
    };
}
