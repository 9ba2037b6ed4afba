// The gateways that this user runs, for commands that ask one of them.

import { resolve } from 'node:path'
import { isObject } from '../base/json.ts'
import { thisSystem } from '../base/platform/system.ts'
import type { Environment } from '../config/environment.ts'
import { CommandError } from '../process/command-error.ts'
import { controlFolder, type RunningGateway, runningGateways } from '../process/control-file.ts'
import { controlHeader } from '../server/control.ts'

/** Workers may be busy. */
const patienceMs = 60_000

/** No configuration is read for this: the file may be wrong, which is what the answer is to say. */
export function chosenGateway(
  flags: { config?: string; port?: number },
  environment: Environment,
  /** What else does it, where the command does not reach the gateway. */
  instead = 'run this command there',
): RunningGateway {
  const folder = controlFolder(environment.stateFolder)
  const all = runningGateways(folder)
  const fits = ({ url, file }: RunningGateway) =>
    (flags.port === undefined || new URL(url).port === String(flags.port)) &&
    (flags.config === undefined || file === resolve(flags.config))
  const [gateway, ...others] = all.filter(fits)
  if (gateway && others.length === 0) return gateway
  if (!gateway)
    throw new CommandError(
      `No such gateway of this user runs here (${folder} names ${all.length === 0 ? 'none' : shown(all)}). Start one by \`dragoman serve\`; in a container, or as another user, ${instead}.`,
    )
  throw new CommandError(`Several gateways run; say which one by --port: ${shown([gateway, ...others])}.`, 2)
}

const shown = (gateways: readonly RunningGateway[]) =>
  gateways.map(({ url, file }) => `${url} (${file})`).join(', ')

interface Ask {
  /** Absent: nothing is to be changed. */
  body?: unknown
  /** What to do if the gateway lives and does not answer. */
  hint?(pid: number): string
}

export async function askGateway(
  { url, token, pid }: RunningGateway,
  path: string,
  { body, hint = () => '' }: Ask = {},
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${reachable(url)}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      [controlHeader]: token,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error) => {
    const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
    throw new CommandError(
      // Nothing listens: it was killed, and its number may be another program's by now, which must get no signal.
      code === 'ECONNREFUSED'
        ? `The gateway at ${url} has ended without a word (process ${pid} was it). Start it again: dragoman serve`
        : `The gateway at ${url} (process ${pid}) does not answer (${typeof code === 'string' ? code : message}).${hint(pid)}`,
    )
  })
  const found: unknown = await answer.json().catch(() => undefined)
  if (answer.ok && isObject(found)) return found
  const said = isObject(found) && isObject(found.error) ? found.error.message : undefined
  if (typeof said === 'string' && (answer.status === 404 || answer.status === 409))
    throw new CommandError(said, 2)
  throw new CommandError(
    `What answers at ${url} is not the gateway that was started there (HTTP ${answer.status}).`,
  )
}

/** What does the same as a reload. */
export const withoutCommand = (pid?: number) => {
  if (thisSystem === 'windows') return 'stop it and start it again'
  return `send SIGHUP to its process${pid === undefined ? '' : `: kill -HUP ${pid}`}`
}

/** A wildcard address cannot be called. */
export const reachable = (url: string) =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
