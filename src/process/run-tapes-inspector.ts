// Runs the inspector of tapes for a command: a server on loopback, until it is stopped.

import { GatewayError } from '../core/errors.ts'
import { createGuard } from '../http/guard.ts'
import { RouteTable } from '../http/route.ts'
import { createHttpServer } from '../http/server.ts'
import { createTapesInspector, type TapesInspector } from '../inspector/tapes-inspector.ts'
import { createLog } from '../observe/log.ts'
import { Metrics } from '../observe/metrics.ts'
import { Scrubber } from '../observe/scrub.ts'
import { admit } from '../server/admit.ts'
import { refuse } from '../server/refuse.ts'
import type { RouteServices } from '../server/routes.ts'
import { CommandError } from './command-error.ts'

interface Running {
  inspector: TapesInspector
  url: string
  /** Logs in one browser, once. */
  link: string
  close(): Promise<void>
}

export async function startTapesInspector(path: string): Promise<Running> {
  const inspector = createTapesInspector(path)
  const scrubber = new Scrubber()
  const observing = { log: createLog({ level: 'error', scrubber }), metrics: new Metrics(), scrubber }
  const guard = createGuard({ hosts: [], origins: [], keys: [] })
  const routes = new RouteTable<RouteServices>(inspector.routes)
  const server = createHttpServer(async (exchange) => {
    try {
      const admitted = admit(exchange, { guard, routes, cluster: undefined, inspector, draining: false })
      // No route of the inspector uses the gateway's services.
      await admitted?.route.handle(exchange, {} as RouteServices, admitted.caller)
    } catch (thrown) {
      refuse(exchange, GatewayError.from(thrown), observing)
    }
  })
  const url = await server.listen('127.0.0.1', 0).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`No port of 127.0.0.1 can be listened on (${error.code ?? error.message}).`)
  })
  return {
    inspector,
    url,
    link: inspector.link(url),
    async close() {
      inspector.close()
      const closed = server.stopAccepting()
      server.closeAll()
      await closed
    },
  }
}
