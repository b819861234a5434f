# The module in a virtual machine, with Postgres and Redis beside it: the service becomes ready and answers.
self: {
  name = "rackwire";
  nodes.machine =
    { pkgs, ... }:
    {
      imports = [ self.nixosModules.default ];
      services.postgresql = {
        enable = true;
        package = pkgs.postgresql_18;
        settings.wal_level = "logical";
        initialScript = pkgs.writeText "roles.sql" ''
          create role rackwire login replication password 'rackwire';
          create database rackwire owner rackwire;
        '';
      };
      services.redis.servers.rackwire = {
        enable = true;
        port = 6379;
        appendOnly = true;
        settings.maxmemory-policy = "noeviction";
      };
      services.rackwire = {
        enable = true;
        settings.BASE_URL = "http://machine:8000";
        environmentFile = pkgs.writeText "secrets" ''
          DATABASE_URL=postgresql://rackwire:rackwire@127.0.0.1/rackwire
          REDIS_URL=redis://127.0.0.1:6379/0
          SECRET_KEY=a key for the virtual machine, of some length
        '';
      };
    };
  testScript = ''
    machine.wait_for_unit("rackwire@api.service")
    machine.wait_until_succeeds("curl --fail http://127.0.0.1:8000/health/ready")
    for role in ["capture", "deliver"]:
        machine.wait_until_succeeds(f"journalctl -u rackwire@{role} | grep --word-regexp ready")
    machine.wait_until_succeeds("curl --fail http://127.0.0.1:8000/login/")
  '';
}
