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
        in
        {
          nodejs_24 = stub "nodejs-24" { };
          postgresql_18 = stub "postgresql-18" { };
          redis = stub "redis" { };
          coreutils = stub "coreutils" { };
          mkShell = attributes: stub "shell" attributes;
          writeShellApplication =
            {
              name,
              runtimeInputs,
              text,
            }:
            stub name { inherit runtimeInputs text; };
        };
    in
    {
      lib = { inherit genAttrs; };
      legacyPackages = genAttrs systems packages;
    };
}
