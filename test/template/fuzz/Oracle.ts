/** Debian's python3-jinja2 as a child process: what it makes of a template is right by definition. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Options } from "./Statements.ts"

export interface Answer {
  readonly output?: string
  /** Name of Python's exception. */
  readonly error?: string
  readonly message?: string
}

/** Time for one answer, milliseconds; a Python that is stuck in native code does not hear its own alarm. */
const answerMillis = 4000

/** Debian's own interpreter: another one on the PATH may lack its packages. */
const python = "/usr/bin/python3"

export class Oracle {
  private child: ChildProcessWithoutNullStreams | undefined
  private lines: AsyncIterator<string> | undefined

  async render(template: string, context: string, env: Options): Promise<Answer> {
    const { child, lines } = this.start()
    child.stdin.write(`${JSON.stringify({ template, context, env })}\n`)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), answerMillis)
    })
    const line = await Promise.race([lines.next(), late])
    clearTimeout(timer)
    if (line !== undefined && line.done !== true) return JSON.parse(line.value) as Answer
    this.stop()
    return { error: "Late", message: "" }
  }

  private start(): { readonly child: ChildProcessWithoutNullStreams; readonly lines: AsyncIterator<string> } {
    if (this.child === undefined || this.lines === undefined) {
      this.child = spawn(python, [fileURLToPath(new URL("oracle.py", import.meta.url))])
      this.child.stderr.pipe(process.stderr)
      this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
    }
    return { child: this.child, lines: this.lines }
  }

  stop(): void {
    this.child?.kill("SIGKILL")
    this.child = undefined
    this.lines = undefined
  }
}
