import { expectLaws } from "./GeneratedNets.ts"

expectLaws({ panels: 1500, cables: 3000, changes: 160 })
