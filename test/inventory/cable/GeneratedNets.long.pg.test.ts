import { expectLaws } from "./GeneratedNets.ts"

expectLaws({ panels: 5500, cables: 10_000, changes: 60 })
