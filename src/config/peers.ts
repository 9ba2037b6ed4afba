// Checks the settings of several instances.

import { type System, thisSystem } from '../base/platform/system.ts'
import { isForbiddenAddress } from '../upstream/guard-address.ts'
import type { Config } from './schema.ts'

const wildcards = ['0.0.0.0', '::']

/** Checked again once `--host` and `--workers` are known. */
export function peerProblems({ sessions, listen, workers }: Config, system: System = thisSystem): string[] {
  const { redis, peerUrl, peerSecret } = sessions
  if (redis === undefined) {
    const idle = Object.entries({ peerUrl, peerSecret }).filter(([, value]) => value !== undefined)
    return idle.map(
      ([name]) =>
        `sessions.${name}: has no effect without "sessions.redis", through which instances find each other`,
    )
  }
  const problems: string[] = []
  if (system === 'windows' && redis.startsWith('unix:'))
    problems.push('sessions.redis: Redis has no socket in a file on Windows; use redis://HOST:PORT')
  if (peerSecret === undefined)
    problems.push(
      'sessions.peerSecret: is required with "sessions.redis"; choose at least 32 characters, the same for all instances',
    )
  if (peerUrl === undefined && wildcards.includes(listen.host))
    problems.push(
      `sessions.peerUrl: is required, because ${listen.host} is a wildcard address; set the URL of this instance for the others, e.g. http://10.0.0.7:${listen.port}`,
    )
  if (peerUrl !== undefined && workers > 1) problems.push(...workerPortProblems(peerUrl, { listen, workers }))
  const host = peerUrl === undefined ? '' : new URL(peerUrl).hostname.replace(/^\[|\]$/g, '')
  if (isForbiddenAddress(host))
    problems.push(`sessions.peerUrl: ${host} is a link-local or metadata address, which is not allowed`)
  return problems
}

/** Each worker listens for other instances on its own port; the ports are consecutive. */
function workerPortProblems(
  peerUrl: string,
  { listen, workers }: Pick<Config, 'listen' | 'workers'>,
): string[] {
  const url = new URL(peerUrl)
  const first = Number(url.port || 80)
  const last = first + workers - 1
  const ports = `${workers} workers listen for other instances on the ports ${first} to ${last}`
  if (url.protocol !== 'http:')
    return [
      `sessions.peerUrl: ${ports}; they use plain http://, so encrypt the connection between the machines`,
    ]
  if (last > 65_535) return [`sessions.peerUrl: ${ports}, but ${last} is not a port`]
  if (listen.port < first || listen.port > last) return []
  return [`sessions.peerUrl: ${ports}; choose a range without the port ${listen.port}, which is for clients`]
}
