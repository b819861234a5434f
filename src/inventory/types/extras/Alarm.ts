import { problemLabels } from "../../../telemetry/ProblemKinds.ts"
import { choice, defineObjectType, integer, ref, text, time } from "../../ObjectType.ts"

/** A problem of the service that needs attention, from its begin to its end: written by deliver (AlarmWatch.ts). */
export default defineObjectType({
  app: "extras",
  name: "alarm",
  plural: "alarms",
  menu: "Logging",
  isReadOnly: true,
  fields: {
    kind: choice(problemLabels),
    // The same for each alarm about the same thing: `webhook 7`, `gap 3`, or the label of the kind.
    subject: text({ max: 100 }),
    webhook: ref("extras.webhook", { optional: true, onDelete: "keep" }),
    // As of the begin.
    message: text(),
    since: time({ now: true }),
    // Null while it lasts.
    ended: time(),
    // Above 1 if the problem recurred soon after its end.
    occurrences: integer({ default: 1 })
  },
  // Several processes write the same alarm once.
  unique: [{ fields: ["kind", "subject"], whereNull: "ended" }],
  search: ["subject", "message"],
  ordering: ["-since"],
  listed: ["kind", "webhook", "message", "since", "ended"],
  brief: ["subject"],
  display: (row) => row.subject
})
