/** Another implementation as a child process: what it makes of a template is right by definition. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { createInterface } from "node:readline"

export interface Answer {
  readonly output?: string
  /** Name of the exception. */
  readonly error?: string
  readonly message?: string
}

/** Time for one answer, milliseconds: a child that is stuck does not hear its own alarm. */
const answerMillis = 4000

export class Oracle {
  private readonly command: readonly [program: string, ...args: ReadonlyArray<string>]
  private child: ChildProcessWithoutNullStreams | undefined
  private lines: AsyncIterator<string> | undefined

  constructor(...command: readonly [program: string, ...args: ReadonlyArray<string>]) {
    this.command = command
  }

  /** One JSON request a line in, one JSON answer a line out. */
  async answer(request: object): Promise<Answer> {
    const { child, lines } = this.start()
    child.stdin.write(`${JSON.stringify(request)}\n`)
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
      const [program, ...args] = this.command
      // Without an environment: a template that breaks out finds no secrets.
      this.child = spawn(program, args, { env: {} })
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
