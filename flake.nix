{
  description = "Rackwire: an infrastructure inventory whose webhooks can be relied on";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      linux = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      darwin = [
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach =
        systems: make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      packageOf = pkgs: pkgs.callPackage ./ops/nix/package.nix { };
    in
    {
      packages = forEach (linux ++ darwin) (pkgs: {
        default = packageOf pkgs;
      });

      # Without arguments it serves.
      apps = forEach (linux ++ darwin) (pkgs: {
        default = {
          type = "app";
          program = "${pkgs.writeShellScript "rackwire" ''exec ${packageOf pkgs}/bin/rackwire "''${@:-serve}"''}";
        };
      });

      devShells = forEach (linux ++ darwin) (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.nodejs_24
            pkgs.postgresql_18
            pkgs.redis
          ];
          POSTGRES_BIN = "${pkgs.postgresql_18}/bin";
        };
      });

      nixosModules.default = import ./ops/nix/module.nix self;

      checks = forEach linux (pkgs: {
        machine = pkgs.testers.runNixOSTest (import ./ops/nix/test.nix self);
      });
    };
}
