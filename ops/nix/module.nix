# services.rackwire: one process per role, by the unit of ops/systemd with its hardening.
self:
{
  config,
  lib,
  pkgs,
  ...
}:
let
  inherit (lib) mkOption types;
  options = config.services.rackwire;
in
{
  options.services.rackwire = {
    enable = lib.mkEnableOption "Rackwire";
    package = mkOption {
      type = types.package;
      default = self.packages.${pkgs.stdenv.hostPlatform.system}.default;
      description = "The package of the service.";
    };
    roles = mkOption {
      type = types.listOf (
        types.enum [
          "api"
          "capture"
          "deliver"
        ]
      );
      default = [
        "api"
        "capture"
        "deliver"
      ];
      description = "The roles that run on this machine, each in a process of its own.";
    };
    settings = mkOption {
      type = types.attrsOf types.str;
      default = { };
      example = {
        BASE_URL = "https://rackwire.example.org";
      };
      description = "Options by their environment variables. Everybody can read them: secrets belong into environmentFile.";
    };
    environmentFile = mkOption {
      type = types.path;
      example = "/run/secrets/rackwire";
      description = "A file with lines like SECRET_KEY=…, readable for root: at least DATABASE_URL, REDIS_URL and SECRET_KEY.";
    };
  };

  config = lib.mkIf options.enable {
    environment.systemPackages = [ options.package ];
    systemd.packages = [ options.package ];
    systemd.services = builtins.listToAttrs (
      map (role: {
        name = "rackwire@${role}";
        value = {
          overrideStrategy = "asDropin";
          wantedBy = [ "multi-user.target" ];
          environment = options.settings;
          # The empty line removes the file that the unit names.
          serviceConfig.EnvironmentFile = [
            ""
            options.environmentFile
          ];
        };
      }) options.roles
    );
  };
}
