/** Bodies of deliveries that are longer than a page shows: texts, numbers, markup and deep lists. */
export const longBodies: ReadonlyArray<string> = [
  `["${String.raw`\"`.repeat(300_000)}"]`,
  `[${"1,".repeat(300_000)}1]`,
  "<".repeat(600_000),
  "[[1],".repeat(200_000)
]
