import { expectLaws } from "./GeneratedNets.ts"

expectLaws({ panels: 60, cables: 120, changes: 80 })
