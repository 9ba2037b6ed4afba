// Opens the gateway of a provider and lists its models.

import type { Environment } from '../config/environment.ts'
import type { ListedModel } from '../doors/models.ts'
import { findModels } from './find-models.ts'
import { type GatewaySettings, type Lease, leaseGateway } from './gateways.ts'
import type { ProviderKind } from './providers.ts'
import type { Report } from './report.ts'

interface OpenProvider {
  lease: Lease
  models: ListedModel[]
}

/** Undefined if there are no models. */
export async function openProvider(
  kind: ProviderKind,
  settings: GatewaySettings,
  { environment, report }: { environment: Environment; report: Report },
): Promise<OpenProvider | undefined> {
  const lease = await leaseGateway(settings, report.line)
  try {
    const models = await findModels({
      provider: kind.id,
      gateway: lease.gateway,
      config: settings.config,
      stateFolder: environment.stateFolder,
      fallback: kind.fallback,
      report,
    })
    if (models.length > 0) return { lease, models }
  } catch (error) {
    await lease.release()
    throw error
  }
  await lease.release()
  return undefined
}
