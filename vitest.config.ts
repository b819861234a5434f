import { defineConfig } from "vitest/config"
import { patienceMillis } from "./test/support/Eventually.ts"
import { FileOrder } from "./test/support/FileOrder.ts"

// The seed of all generated data (test/support/Seed.ts), inherited by workers. The first two tiers find the same on every
// machine; test:long and test:stress draw other seeds.
process.env["RACKWIRE_SEED"] ??= "1"

/** A tier has the files whose names say so: `X.gate.test.ts`, `X.long.pg.redis.test.ts`; those of the first say nothing. */
const gate = ["test/**/*.gate.*test.ts", "test/**/*.gate.test.ts"]
const long = ["test/**/*.long.*test.ts", "test/**/*.long.test.ts"]

export default defineConfig({
  test: {
    // For a test of several waits.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // For two cores. A third worker would use the little time in which a file waits, and cost more: servers of its own.
    maxWorkers: 2,
    // Effect and the sources are loaded once for each worker.
    isolate: false,
    sequence: { sequencer: FileOrder },
    // Node itself loads the sources, as in production: coverage and stack traces need no source maps.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // As long as `eventually` waits.
    expect: { poll: { timeout: patienceMillis } },
    // A value that is not as expected is shown whole: a report may hold nothing but the message.
    chaiConfig: { truncateThreshold: 0 },
    silent: "passed-only",
    globalSetup: ["test/support/Servers.ts"],
    setupFiles: ["test/support/Setup.ts"],
    projects: [
      { extends: true, test: { name: "test", include: ["test/**/*.test.ts"], exclude: [...gate, ...long] } },
      { extends: true, test: { name: "gate", include: gate } },
      { extends: true, test: { name: "long", include: long } }
    ]
  }
})
