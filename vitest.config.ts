import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // One Postgres and one Redis for all files; each file that needs them makes a database of its own.
    globalSetup: ["test/support/Servers.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: more files at once only wait for each other.
    maxWorkers: 2,
    silent: "passed-only"
  }
})
