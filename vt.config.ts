import { defineConfig } from "vitest/config"
const needServers = ["test/**/*.{pg,redis,browser}.test.ts"]
export default defineConfig({ test: { testTimeout: 120000, hookTimeout: 120000, maxWorkers: 2, 
 isolate: process.env.ISO === "1", experimental: { viteModuleRunner: process.env.NATIVE !== "1" },
 projects: [ { extends: true, test: { name: "pure", include: ["test/**/*.test.ts"], exclude: needServers } },
 { extends: true, test: { name: "servers", include: needServers, globalSetup: ["test/support/Servers.ts"] } } ] } })
