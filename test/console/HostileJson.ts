/** JSON values that are long to show: many objects, long texts, deep lists. */
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])

export const hostileJson: ReadonlyArray<unknown> = [
  Array.from({ length: 100_000 }, (_, n) => ({ n, name: `<${n}>`, url: `https://a.example/${n}` })),
  '\\"'.repeat(1_000_000),
  "x".repeat(1_000_000),
  Array.from({ length: 2_000 }, () => deep(500))
]
