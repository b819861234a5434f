/** Problems that keep processes from their work, in words, and advice about them. */
import { Effect } from "effect"
import { type Unhealthy, unhealthySentence, unhealthyWebhooks } from "../health/Unhealthy.ts"
import { type SeenProcess, told } from "./Processes.ts"

/** Advice by the sentence of a problem or an alarm. The first that fits counts. */
const advice: ReadonlyArray<readonly [problem: RegExp, what: string]> = [
  [/^SECRET_KEY/, "Restart the process with the SECRET_KEY of the others, or with it in SECRET_KEY_FALLBACKS."],
  [/^webhooks? .* cannot be used/, "Take the step that the sentence names: the deliveries are sent then."],
  [/\bgaps?\b/, "See System > Capture: replay the gap, then acknowledge it."],
  [
    /^\d+ webhooks? (?:is failing|are failing|needs? attention)\b/,
    "See the webhooks: each shows why its deliveries wait, and can be probed."
  ],
  [/^a loop/, "Find the deliveries that failed with the reason Loop, and narrow the conditions of their webhooks."],
  [/redis/i, "Check that Redis runs, has memory and space, and takes writes. Deliveries wait meanwhile."],
  [/^the database|takes no writes/, "Check that Postgres runs and takes writes, and DATABASE_URL."],
  [/\b(disk|space)\b/i, "Free space on the disk: the service continues by itself."],
  [/^capture/, "See System > Capture, and run rackwire check."],
  [/could not be read/, "Check that Redis runs and answers in time."],
  [/^no sweep has/, "Check that Postgres and Redis answer in time."],
  [/\blog\b|written/, "Check that Postgres takes writes. A delivery whose outcome is not written is sent again."]
]

export interface Problem {
  readonly problem: string
  /** Advice to the operator. */
  readonly advice: string
  /** The processes that report it. */
  readonly processes: ReadonlyArray<string>
}

const adviceOf = (problem: string): string =>
  advice.find(([pattern]) => pattern.test(problem))?.[1] ?? "The log of the process says more."

/** The webhooks that need attention as a problem; none if all are well. */
const webhookProblems = (unhealthy: ReadonlyArray<Unhealthy>): ReadonlyArray<Problem> => {
  const problem = unhealthySentence(unhealthy)
  return problem === undefined ? [] : [{ problem, advice: adviceOf(problem), processes: [] }]
}

/** The problems and alarms of the service: of its processes, and of the webhooks that the reader may view. */
export const serviceProblems = (processes: ReadonlyArray<SeenProcess>) =>
  Effect.map(unhealthyWebhooks, (unhealthy) => [...problemsOf(processes), ...webhookProblems(unhealthy)])

/** The problems and alarms of the running processes, each once. */
export const problemsOf = (processes: ReadonlyArray<SeenProcess>): ReadonlyArray<Problem> => {
  const all = processes
    .filter(({ lost }) => !lost)
    .flatMap((process) =>
      String(told(process, "health")?.["problem"] ?? "")
        .split("; ")
        .filter((problem) => problem !== "")
        .map((problem) => ({ problem, name: process.name }))
    )
  return [...Map.groupBy(all, ({ problem }) => problem)].map(([problem, of]) => ({
    problem,
    advice: adviceOf(problem),
    processes: of.map(({ name }) => name)
  }))
}
