# Stands in for nixpkgs: the few attributes that our flake uses, as derivations that can be evaluated but not built.
{
  outputs =
    { self }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      genAttrs =
        names: make:
        builtins.listToAttrs (
          map (name: {
            inherit name;
            value = make name;
          }) names
        );
      lib = {
        inherit genAttrs;
        importJSON = path: builtins.fromJSON (builtins.readFile path);
        licenses.asl20 = "Apache-2.0";
        mkOption = option: option;
        mkEnableOption = _: { default = false; };
        mkIf = condition: config: if condition then config else { };
        types = {
          package = null;
          path = null;
          str = null;
          enum = _: null;
          listOf = _: null;
          attrsOf = _: null;
        };
      };
      # The configuration that a machine gets of a module which it imports, by the defaults of the module's options.
      configOf =
        pkgs: node:
        let
          machine = node { inherit pkgs; };
          module = (builtins.head machine.imports) {
            inherit lib pkgs;
            config.services.rackwire =
              builtins.mapAttrs (_: option: option.default or null) module.options.services.rackwire
              // machine.services.rackwire;
          };
        in
        module.config;
      packages =
        system:
        let
          stub =
            name: inputs:
            derivation {
              inherit name system;
              builder = "/bin/sh";
              inputs = builtins.toJSON inputs;
            };
          pkgs = {
            stdenv.hostPlatform.system = system;
            nodejs_24 = stub "nodejs-24" { };
            postgresql_18 = stub "postgresql-18" { };
            redis = stub "redis" { };
            makeWrapper = stub "make-wrapper" { };
            mkShell = stub "shell";
            writeShellScript = stub;
            writeText = stub;
            buildNpmPackage = { pname, ... }@attributes: stub pname attributes;
            importNpmLock = {
              __functor = _: stub "npm-dependencies";
              npmConfigHook = stub "npm-config-hook" { };
            };
            callPackage =
              file: _:
              let
                make = import file;
              in
              make (builtins.intersectAttrs (builtins.functionArgs make) (pkgs // { inherit lib; }));
            testers.runNixOSTest =
              { name, nodes, testScript }:
              stub name {
                inherit testScript;
                machine = configOf pkgs nodes.machine;
              };
          };
        in
        pkgs;
    in
    {
      inherit lib;
      legacyPackages = genAttrs systems packages;
    };
}
