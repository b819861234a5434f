import { expectLaws } from "./GeneratedNets.ts"

expectLaws({ panels: 5000, cables: 10_000, changes: 400 })
