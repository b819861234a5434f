# The compiled service with Node, and with the Postgres and the Redis that it runs if no address is configured.
{
  lib,
  buildNpmPackage,
  importNpmLock,
  makeWrapper,
  nodejs_24,
  postgresql_18,
  redis,
}:
let
  manifest = lib.importJSON ../../package.json;
  lock = lib.importJSON ../../package-lock.json;
  # The lock file has no addresses of packages: they follow from their names.
  addressed =
    path: module:
    let
      name = builtins.head (builtins.match ".*node_modules/(.+)" path);
    in
    if path == "" then
      module
    else
      module
      // {
        resolved = "https://registry.npmjs.org/${name}/-/${baseNameOf name}-${module.version}.tgz";
      };
in
buildNpmPackage {
  pname = manifest.name;
  inherit (manifest) version;
  src = ../..;
  nodejs = nodejs_24;
  npmDeps = importNpmLock {
    package = manifest;
    packageLock = lock // {
      packages = builtins.mapAttrs addressed lock.packages;
    };
  };
  npmConfigHook = importNpmLock.npmConfigHook;
  npmFlags = [ "--ignore-scripts" ];
  nativeBuildInputs = [ makeWrapper ];
  installPhase = ''
    npm prune --no-save --omit=dev --omit=optional --ignore-scripts
    mkdir -p $out/lib/rackwire
    cp -r package.json bin dist node_modules $out/lib/rackwire
    makeWrapper ${nodejs_24}/bin/node $out/bin/rackwire \
      --add-flags $out/lib/rackwire/bin/rackwire.mjs \
      --prefix PATH : ${redis}/bin \
      --set-default POSTGRES_BIN ${postgresql_18}/bin
    install -Dm644 -t $out/lib/systemd/system ops/systemd/rackwire@.service
    substituteInPlace $out/lib/systemd/system/rackwire@.service \
      --replace-fail /opt/rackwire/node_modules/.bin/rackwire $out/bin/rackwire
  '';
  meta = {
    inherit (manifest) description;
    license = lib.licenses.asl20;
    mainProgram = "rackwire";
  };
}
