// What several instances need to know of each other.

import { isForbiddenAddress } from '../upstream/guard-address.ts'
import type { Config } from './schema.ts'

const wildcards = ['0.0.0.0', '::']

/** Looked at again once `--host` and `--workers` are known. */
export function peerProblems({ sessions, listen, workers }: Config): string[] {
  const { redis, peerUrl, peerSecret } = sessions
  if (redis === undefined) {
    const idle = Object.entries({ peerUrl, peerSecret }).filter(([, value]) => value !== undefined)
    return idle.map(
      ([name]) =>
        `sessions.${name}: does nothing without "sessions.redis", over which instances find each other`,
    )
  }
  const problems: string[] = []
  if (peerSecret === undefined)
    problems.push(
      'sessions.peerSecret: is needed with "sessions.redis"; choose at least 32 characters, the same for all instances',
    )
  if (peerUrl === undefined && wildcards.includes(listen.host))
    problems.push(
      `sessions.peerUrl: is needed, since ${listen.host} is no address to be called by; write how the other instances reach this one, e.g. http://10.0.0.7:${listen.port}`,
    )
  if (peerUrl !== undefined && workers > 1) problems.push(...workerPortProblems(peerUrl, { listen, workers }))
  const host = peerUrl === undefined ? '' : new URL(peerUrl).hostname.replace(/^\[|\]$/g, '')
  if (isForbiddenAddress(host))
    problems.push(`sessions.peerUrl: ${host} is a link-local or metadata address; instances do not call it`)
  return problems
}

/** Each worker listens for other instances by itself, one port after the other. */
function workerPortProblems(
  peerUrl: string,
  { listen, workers }: Pick<Config, 'listen' | 'workers'>,
): string[] {
  const url = new URL(peerUrl)
  const first = Number(url.port || 80)
  const last = first + workers - 1
  const ports = `with ${workers} workers, the ports ${first} to ${last} are where each of them listens for other instances`
  if (url.protocol !== 'http:')
    return [`sessions.peerUrl: ${ports}; they speak http://, so encrypt what is between the machines`]
  if (last > 65_535) return [`sessions.peerUrl: ${ports}, and there is no port ${last}`]
  if (listen.port < first || listen.port > last) return []
  return [`sessions.peerUrl: ${ports}; choose a port for it that leaves ${listen.port} to clients`]
}
