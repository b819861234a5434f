/** A shell in an empty folder, into which a reader pastes one block after the other. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "../support/Eventually.ts"
import { program } from "../support/Process.ts"

export interface Shell {
  readonly folder: string
  /** Runs a block and returns what it prints. Rejects when one of its commands fails. */
  readonly run: (script: string) => Promise<string>
  /** Ends the shell and everything that it has left running. */
  readonly close: () => void
}

/** Longest time for a block. */
const blockMillis = 60_000

/** The first command that fails ends the shell, a request that the service refuses included. */
const prelude = `set -e; exec 2>&1; curl() { command curl --fail-with-body "$@"; }\n`

export const openShell = (environment: Readonly<Record<string, string>>): Shell => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-document-"))
  // In a clone, and where the package is installed, npx finds the command here.
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true })
  symlinkSync(program, join(folder, "node_modules/.bin/rackwire"))
  const { PATH = "", HOME = "" } = process.env
  const shell = spawn("bash", [], { cwd: folder, detached: true, env: { PATH, HOME, ...environment } })
  let output = ""
  shell.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  shell.stdin.write(prelude)
  return {
    folder,
    run: async (script) => {
      const end = randomBytes(8).toString("hex")
      output = ""
      writeFileSync(join(folder, "block.sh"), script)
      shell.stdin.write(`. ./block.sh </dev/null; printf '\\n%s\\n' ${end}\n`)
      await eventually(
        `the end of\n${script}\n`,
        () => {
          if (shell.exitCode !== null) throw new Error(`failed:\n${script}\n${output}`)
          return output.includes(end)
        },
        { millis: blockMillis }
      )
      return output.slice(0, output.indexOf(end))
    },
    close: () => {
      // It leads a process group of its own, which may be gone.
      try {
        process.kill(-shell.pid!, "SIGKILL")
      } catch {}
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
