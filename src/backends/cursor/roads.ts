// How runs reach the service, as the opener of runs sees it. A replay has its own: recorded runs in place of connections.

import type { GatewayError } from '../../core/errors.ts'
import type { ChosenTransport } from './transports.ts'

export interface Roads {
  choose(): Promise<ChosenTransport>
  instead(tried: ChosenTransport, failure: GatewayError): ChosenTransport | undefined
  prefer(chosen: ChosenTransport): void
  close(): Promise<void>
}
