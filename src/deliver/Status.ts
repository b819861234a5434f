/** The status of deliver in this process, and its metrics. */
import type { Actors } from "./actor/Actors.ts"
import { statusMetrics } from "../telemetry/StatusMetrics.ts"
import { lookups } from "../transport/Lookups.ts"

export const statusOf = (actors: Actors) => ({
  isStopped: actors.intake.isStopped,
  webhooks: actors.count(),
  lookups: lookups.counts.running,
  lookupsWaiting: lookups.counts.waiting,
  inFlight: actors.all().reduce((sum, [, actor]) => sum + actor.held().length, 0),
  breakersOpen: actors.all().filter(([, actor]) => actor.isOpen()).length
})

statusMetrics("deliver", {
  inFlight: {
    name: "rackwire_deliveries_in_flight",
    help: "Deliveries in this process: attempted, to be logged, or about to begin.",
    symptom: "queueGrows"
  },
  breakersOpen: {
    name: "rackwire_breakers_open",
    help: "Webhooks whose circuit breaker is open in this process.",
    symptom: "held"
  },
  isStopped: {
    name: "rackwire_sending_stopped",
    help: "1 while this process starts no attempts, because sending is paused or the process is quiet.",
    symptom: "held"
  },
  lookups: { name: "rackwire_lookups", help: "Lookups of receivers' names under way.", symptom: "limits" },
  lookupsWaiting: {
    name: "rackwire_lookups_waiting",
    help: "Names of receivers that wait to be looked up.",
    symptom: "limits"
  }
})
