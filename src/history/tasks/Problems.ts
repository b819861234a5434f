/** Problems that keep processes from their work, in words, and advice about them. */
import { Effect } from "effect"
import { problemKindOf, problemKinds, problemsIn } from "../../telemetry/ProblemKinds.ts"
import { type Unhealthy, unhealthySentence, unhealthyWebhooks } from "../health/Unhealthy.ts"
import { type SeenProcess, told } from "./Processes.ts"

export interface Problem {
  readonly problem: string
  /** Advice to the operator. */
  readonly advice: string
  /** The processes that report it. */
  readonly processes: ReadonlyArray<string>
}

const adviceOf = (problem: string): string => problemKinds[problemKindOf(problem)].advice

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
      problemsIn(String(told(process, "health")?.["problem"] ?? "")).map((problem) => ({ problem, name: process.name }))
    )
  return [...Map.groupBy(all, ({ problem }) => problem)].map(([problem, of]) => ({
    problem,
    advice: adviceOf(problem),
    processes: of.map(({ name }) => name)
  }))
}
