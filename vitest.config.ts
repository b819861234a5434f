import { defineConfig } from "vitest/config"

const needServers = ["test/**/*.{pg,redis,browser}.test.ts"]

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: more files at once only wait for each other.
    maxWorkers: 2,
    // As long as `eventually` waits.
    expect: { poll: { timeout: 15_000 } },
    // A value that is not as expected is shown whole: a report may hold nothing but the message.
    chaiConfig: { truncateThreshold: 0 },
    silent: "passed-only",
    // The gate's machine is shared: a bound in milliseconds may break without a cause of ours. The report names what was
    // run twice.
    retry: process.env["CI"] === undefined ? 0 : 1,
    projects: [
      { extends: true, test: { name: "pure", include: ["test/**/*.test.ts"], exclude: needServers } },
      // One Postgres and one Redis for all files; each file that needs them makes a database of its own.
      {
        extends: true,
        test: { name: "servers", include: needServers, globalSetup: ["test/support/Servers.ts"] }
      }
    ]
  }
})
