/**
 * The kinds of problems that the health of the service names. A problem is a sentence of the part that has it, and its
 * beginning shows its kind; advice, alarms and their filters follow from the kind.
 */

interface ProblemDeclaration {
  /** Its title, and the subject of an alarm that is about the service as a whole. */
  readonly label: string
  /** Sentences of this kind. The first kind that fits counts. */
  readonly pattern: RegExp
  /** Advice to the operator. */
  readonly advice: string
  /** Whether a row in Postgres states it, so that its end is known at once. */
  readonly isStored?: boolean
  /** Whether its sentences name webhooks, which not everybody may view. */
  readonly namesWebhooks?: boolean
}

const declared = {
  secret_key: {
    label: "Secret key",
    pattern: /^SECRET_KEY/,
    advice: "Restart the process with the SECRET_KEY of the others, or with it in SECRET_KEY_FALLBACKS."
  },
  webhook_unusable: {
    label: "Unusable webhooks",
    pattern: /^webhooks? .* cannot be used/,
    advice: "Take the step that the sentence names: the deliveries are sent then.",
    namesWebhooks: true
  },
  webhook_unread: {
    label: "Unread webhooks",
    pattern: /^webhook .* could not be read/,
    advice: "Check that Redis runs and answers in time.",
    namesWebhooks: true
  },
  webhook_failing: {
    label: "Failing webhook",
    pattern: /^\d+ webhooks? (?:is failing|are failing|needs? attention)\b/,
    advice: "See the webhooks: each shows why its deliveries wait, and can be probed.",
    isStored: true,
    namesWebhooks: true
  },
  loop: {
    label: "Loop of deliveries",
    pattern: /^a loop/,
    advice: "Find the deliveries that failed with the reason Loop, and narrow the conditions of their webhooks.",
    namesWebhooks: true
  },
  gap: {
    label: "Gap",
    pattern: /^(?:a|\d+) gaps?\b/,
    advice: "See System > Capture: replay the gap, then acknowledge it.",
    isStored: true
  },
  capture: {
    label: "Capture",
    pattern: /^capture/,
    advice: "See System > Capture, and run rackwire check."
  },
  sweep: {
    label: "Sweep",
    pattern: /^no sweep has/,
    advice: "Check that Postgres and Redis answer in time."
  },
  delivery_log: {
    label: "Delivery log",
    pattern: /^the delivery log/,
    advice: "Check that Postgres takes writes. A delivery whose outcome is not written is sent again."
  },
  redis: {
    label: "Redis",
    pattern: /redis/i,
    advice: "Check that Redis runs, has memory and space, and takes writes. Deliveries wait meanwhile."
  },
  database: {
    label: "Database",
    pattern: /^the database/,
    advice: "Check that Postgres runs and takes writes, and DATABASE_URL."
  },
  disk: {
    label: "Disk",
    pattern: /\b(disk|space)\b/i,
    advice: "Free space on the disk: the service continues by itself."
  },
  other: { label: "Other", pattern: /^/, advice: "The log of the process says more." }
} satisfies Readonly<Record<string, ProblemDeclaration>>

export type ProblemKind = keyof typeof declared

export const problemKinds: Readonly<Record<ProblemKind, ProblemDeclaration>> = declared

const names = Object.keys(declared) as ReadonlyArray<ProblemKind>

/** The kind of a problem by its sentence. */
export const problemKindOf = (sentence: string): ProblemKind =>
  names.find((kind) => problemKinds[kind].pattern.test(sentence))!

/** Titles by kind. */
export const problemLabels = Object.fromEntries(names.map((kind) => [kind, problemKinds[kind].label])) as Readonly<
  Record<ProblemKind, string>
>

/** The kinds whose sentences name webhooks. */
export const kindsNamingWebhooks: ReadonlyArray<ProblemKind> = names.filter(
  (kind) => problemKinds[kind].namesWebhooks === true
)

/** The problems of a process as one text of its status. */
export const problemText = (sentences: ReadonlyArray<string>): string =>
  sentences.map((sentence) => sentence.replaceAll(/\s+/g, " ")).join("\n")

/** The problems of a text that `problemText` made. */
export const problemsIn = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((sentence) => sentence !== "")
