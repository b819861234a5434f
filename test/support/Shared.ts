/** Servers that the run shares with this worker (Servers.ts), requested once. */
import { inject } from "vitest"
import type { WorkerServers } from "./Servers.ts"

const requested = async <A>(path: string): Promise<A> => {
  const reply = await fetch(inject("shared") + path)
  if (!reply.ok) throw new Error(await reply.text())
  return (await reply.json()) as A
}

/** The servers of this worker. */
export const workerServers = (): Promise<WorkerServers> => requested(`/servers/${process.env["VITEST_POOL_ID"] ?? "1"}`)
