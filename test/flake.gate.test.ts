/** The flake, evaluated offline where there is a Nix. Building it needs a network, evaluating it does not. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { roles } from "../src/Service.ts"
import { unknownOptions } from "./package/UnknownOptions.ts"
import { needs } from "./support/Ledger.ts"

const root = new URL("..", import.meta.url).pathname

const nix = (args: ReadonlyArray<string>, cwd: string): string =>
  execFileSync("nix", ["--extra-experimental-features", "nix-command flakes", ...args], {
    cwd,
    encoding: "utf8",
    stdio: "pipe"
  })

const hasNix = needs("nix", spawnSync("nix", ["--version"]).status === 0, "apt-get install nix-bin")

describe.skipIf(!hasNix)("the flake", () => {
  // A copy outside of git, so that files that are not committed yet count too.
  const folder = mkdtempSync(join(tmpdir(), "rackwire-flake-"))
  for (const file of ["flake.nix", "package.json", "package-lock.json", "ops/nix", "test/flake/flake.nix"])
    cpSync(join(root, file), join(folder, file), { recursive: true })
  const stub = ["--offline", "--no-write-lock-file", "--override-input", "nixpkgs", `path:${folder}/test/flake`]

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("passes nix flake check", () => {
    expect(() => nix(["flake", "check", "--no-build", ...stub, `path:${folder}`], folder)).not.toThrow()
  })

  const system = process.arch === "arm64" ? "aarch64-linux" : "x86_64-linux"
  /** Inputs of which the stub of nixpkgs made this attribute. */
  const inputsOf = (attribute: string): unknown =>
    JSON.parse(nix(["eval", "--raw", ...stub, `path:${folder}#${attribute}.inputs`], folder))
  const nameOf = (storePath: string) => storePath.replace(/^\/nix\/store\/\w{32}-/, "")

  it("offers a shell with Node 24, Postgres 18 and Redis", () => {
    const { packages } = inputsOf(`devShells.${system}.default`) as { readonly packages: ReadonlyArray<string> }
    expect(packages.map(nameOf)).toEqual(["nodejs-24", "postgresql-18", "redis"])
  })

  it("has a package whose program finds Postgres 18 and Redis, with files that exist", () => {
    const { installPhase, nodejs } = inputsOf(`packages.${system}.default`) as Readonly<Record<string, string>>
    expect(nameOf(nodejs!)).toBe("nodejs-24")
    expect(installPhase).toMatch(/PATH : \S+-redis\/bin/)
    expect(installPhase).toMatch(/POSTGRES_BIN \S+-postgresql-18\/bin/)
    const [, unit] = /(ops\/systemd\/\S+)/.exec(installPhase!) ?? []
    const [, replaced] = /--replace-fail (\S+)/.exec(installPhase!) ?? []
    expect(readFileSync(join(root, unit!), "utf8")).toContain(replaced)
  })

  it("has a NixOS module that starts every role with options of the service and a file of secrets", () => {
    const { machine } = inputsOf(`checks.${system}.machine`) as {
      readonly machine: {
        readonly systemd: {
          readonly packages: ReadonlyArray<string>
          readonly services: Readonly<
            Record<
              string,
              { readonly environment: object; readonly serviceConfig: { readonly EnvironmentFile: unknown } }
            >
          >
        }
      }
    }
    const { packages, services } = machine.systemd
    expect(packages.map(nameOf)).toEqual(["rackwire"])
    expect(Object.keys(services)).toEqual(roles.map((role) => `rackwire@${role}`))
    for (const { environment, serviceConfig } of Object.values(services)) {
      expect(unknownOptions(Object.keys(environment))).toEqual([])
      expect(serviceConfig.EnvironmentFile).toEqual(["", expect.stringContaining("/nix/store/")])
    }
  })

  it("has secrets in its virtual machine that are options of the service", () => {
    const test = readFileSync(join(root, "ops/nix/test.nix"), "utf8")
    const names = [...test.matchAll(/^ +([A-Z_]+)=/gm)].map(([, name]) => name!)
    expect(names).toEqual(["DATABASE_URL", "REDIS_URL", "SECRET_KEY"])
    expect(unknownOptions(names)).toEqual([])
  })
})
