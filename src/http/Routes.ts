/** The routes of the API. */
import { Layer } from "effect"
import { provisionRoutes } from "./account/Provision.ts"
import { statusRoutes } from "./describe/Status.ts"
import { Imports } from "./files/ImportFile.ts"
import { allocationRoutes } from "./objects/Allocation.ts"
import { objectRoutes } from "./objects/Objects.ts"
import type { Route } from "./Route.ts"
import { backgroundRoutes } from "./system/BackgroundTasks.ts"
import { deliveryDetails, deliveryRoutes } from "./webhooks/Deliveries.ts"
import { operationDetails, operationRoutes } from "./webhooks/Operations.ts"
import { explainRoutes } from "./explain/Explain.ts"
import { historyRoutes } from "./explain/History.ts"
import { journeyRoutes } from "./explain/Journeys.ts"
import { pluginRoutes } from "./webhooks/Plugins.ts"
import { captureRoutes } from "./system/Capture.ts"
import { sendingRoutes } from "./system/Sending.ts"
import { serviceRoutes } from "./system/Service.ts"
import { trialRoutes } from "./webhooks/Trial.ts"
import { tryOutRoutes } from "./webhooks/TryOut.ts"
import { TryOutLimits } from "./webhooks/TryOutLimits.ts"
import { healthRoutes } from "./webhooks/WebhookHealth.ts"
import { waitingRoutes } from "./webhooks/Waiting.ts"
import { webhookDetails, webhookRoutes } from "./webhooks/Webhooks.ts"

/** The services that requests to these routes share within a process. */
export const apiLayer = Layer.mergeAll(Imports.layer, TryOutLimits.layer)

export const apiRoutes: ReadonlyArray<Route> = [
  ...objectRoutes({ ...deliveryDetails, ...operationDetails, ...webhookDetails }),
  ...allocationRoutes,
  ...waitingRoutes,
  ...deliveryRoutes,
  ...operationRoutes,
  ...explainRoutes,
  ...historyRoutes,
  ...journeyRoutes,
  ...webhookRoutes,
  ...healthRoutes,
  ...backgroundRoutes,
  ...sendingRoutes,
  ...captureRoutes,
  ...serviceRoutes,
  ...tryOutRoutes,
  ...trialRoutes,
  ...pluginRoutes,
  ...provisionRoutes,
  ...statusRoutes
]
