/** The progress of a move: what a terminal shows, and what a log has. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, test } from "vitest"
import { progressOn, progressText } from "../../src/command/move/Progress.ts"

describe("the text of progress", () => {
  test("has the rate and the time that is left, once there is a rate", () => {
    expect(progressText("dcim.site", 1000, 5000, 900)).toBe("dcim.site: 1000 of 5000")
    expect(progressText("dcim.site", 1000, 5000, 2000)).toBe("dcim.site: 1000 of 5000, 500/s, 8 s left")
    expect(progressText("dcim.site", 1000, 500_000, 2000)).toBe("dcim.site: 1000 of 500000, 500/s, 17 min left")
    expect(progressText("dcim.site", 5000, 5000, 10_000)).toBe("dcim.site: 5000 of 5000, 500/s")
    expect(progressText("dcim.site", 0, 0, 10_000)).toBe("dcim.site: 0 of 0")
  })
})

/** A stream, whose methods need it. */
class Output {
  readonly texts: Array<string> = []
  readonly isTTY: boolean
  constructor(isTTY: boolean) {
    this.isTTY = isTTY
  }
  write(text: string) {
    this.texts.push(text)
  }
}

const written = (isTTY: boolean) => {
  const output = new Output(isTTY)
  const { progress, end } = progressOn(output)
  const run = Effect.gen(function* () {
    for (let second = 0; second < 30; second++) {
      yield* progress(second < 15 ? "dcim.site" : "dcim.rack", second * 1000, 30_000)
      yield* TestClock.adjust("1 second")
    }
    yield* end
    return output.texts
  })
  return Effect.runPromise(Effect.provide(run, TestClock.layer()))
}

describe("progress", () => {
  test("is one line on a terminal, which is removed at the end", async () => {
    const texts = await written(true)
    expect(texts).toHaveLength(30)
    expect(texts.every((text) => text.startsWith("\r\u{1B}[K") && !text.includes("\n"))).toBe(true)
    expect(texts.at(-1)).toBe("\r\u{1B}[K")
  })

  test("is a line each ten seconds elsewhere, by the rate of the type", async () => {
    expect(await written(false)).toEqual([
      "dcim.site: 10000 of 30000, 1000/s, 20 s left\n",
      "dcim.rack: 20000 of 30000, 3333/s, 3 s left\n"
    ])
  })
})
