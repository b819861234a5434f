/** The flake, evaluated offline where there is a Nix. Building it needs a network, evaluating it does not. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

const root = new URL("..", import.meta.url).pathname

const nix = (args: ReadonlyArray<string>, cwd: string): string =>
  execFileSync("nix", ["--extra-experimental-features", "nix-command flakes", ...args], {
    cwd,
    encoding: "utf8",
    stdio: "pipe"
  })

const hasNix = (): boolean => {
  try {
    nix(["--version"], root)
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasNix())("the flake", () => {
  // A copy outside of git, so that files that are not committed yet count too.
  const folder = mkdtempSync(join(tmpdir(), "rackwire-flake-"))
  for (const file of ["flake.nix", "package.json", "test/flake/flake.nix"]) cpSync(join(root, file), join(folder, file))
  const stub = ["--offline", "--no-write-lock-file", "--override-input", "nixpkgs", `path:${folder}/test/flake`]

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("passes nix flake check", () => {
    expect(() => nix(["flake", "check", "--no-build", ...stub, `path:${folder}`], folder)).not.toThrow()
  })

  it("offers a shell with Node 24, Postgres 18 and Redis, and runs the service", { timeout: 60_000 }, () => {
    const system = process.arch === "arm64" ? "aarch64-linux" : "x86_64-linux"
    const evaluate = (attribute: string) => nix(["eval", "--raw", ...stub, `path:${folder}#${attribute}`], folder)
    const shell = JSON.parse(evaluate(`devShells.${system}.default.inputs`)) as {
      readonly packages: ReadonlyArray<string>
    }
    expect(shell.packages.map((path) => path.replace(/^.*-(?=nodejs|postgresql|redis)/, ""))).toEqual([
      "nodejs-24",
      "postgresql-18",
      "redis"
    ])
    const { text } = JSON.parse(evaluate(`packages.${system}.default.inputs`)) as { readonly text: string }
    expect(text).toContain("npm ci --omit=dev --omit=optional")
    expect(text).toMatch(/POSTGRES_BIN=.*postgresql-18\/bin/)
    expect(evaluate(`apps.${system}.default.program`)).toMatch(/rackwire\/bin\/rackwire$/)
  })
})
