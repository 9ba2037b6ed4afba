// What `dragoman doctor` says of the port.

import net from 'node:net'
import type { LoadedConfig } from '../config/load.ts'
import { controlFolder, runningGateways } from '../process/control-file.ts'
import { portHolder } from '../process/port-holder.ts'
import type { Finding } from './check-safety.ts'

/** The gateway of this configuration holds its port. */
function ownGateway(
  {
    file,
    config: {
      listen: { port },
    },
  }: LoadedConfig,
  stateFolder: string,
): string | undefined {
  const all = runningGateways(controlFolder(stateFolder))
  const own = all.find((one) => one.file === file && Number(new URL(one.url).port) === port)
  return own && `${port}: your gateway runs there with this configuration (process ${own.pid})`
}

export function checkPort(loaded: LoadedConfig, stateFolder: string): Promise<Finding> {
  const { host, port } = loaded.config.listen
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', async (error: NodeJS.ErrnoException) => {
      const own = ownGateway(loaded, stateFolder)
      if (own) return resolve({ check: 'port', status: 'ok', message: own })
      const holder = error.code === 'EADDRINUSE' ? await portHolder({ host, port }) : ''
      const message =
        error.code === 'EADDRINUSE'
          ? `${port} is in use${holder === '' ? '' : ` ${holder}`}; to choose another, use --port`
          : `${host}:${port}: ${error.message}`
      resolve({ check: 'port', status: 'warning', message })
    })
    probe.listen(port, host, () =>
      probe.close(() =>
        resolve({
          check: 'port',
          status: 'ok',
          message: port === 0 ? 'any free port' : `${host}:${port} is free`,
        }),
      ),
    )
  })
}
