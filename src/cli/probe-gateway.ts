// The gateway that a probe asks: one in this process on the user's configuration, or one that runs at a URL.

import { isLoopback } from '../base/loopback.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { GatewayError } from '../core/errors.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { FailureLog, type FailureSource, failureSeen } from '../judge/probe/failure.ts'
import { CommandError } from '../process/command-error.ts'
import type { Target } from '../server/catalog.ts'
import { runningGateway } from './setup-gateway.ts'

export interface Subject {
  fetch(request: Request): Promise<Response>
  /** The names of the gateway's backends. */
  backends: readonly string[]
  failures: FailureSource
  /** All services that the probe reaches are on this machine. */
  isLocal: boolean
  /** Advice for a model without tools. */
  noToolsHint: string
  /** After this, all tapes are on disk. */
  close(): Promise<void>
}

/** The settings of the gateway's tapes. */
type Tapes = Config['tapes']

/** Creates a gateway for a probe, and changes the configuration for it. */
export async function openGateway(
  { config, secrets }: LoadedConfig,
  environment: Environment,
  tapes: Tapes | undefined,
): Promise<{ gateway: Gateway; failures: FailureLog }> {
  const failures = new FailureLog()
  // The probe reads the log lines and does not print them. No local tools, no kept sessions, no other instances.
  config.log.level = 'info'
  config.exec.enabled = false
  config.sessions.keep = 'memory'
  delete config.sessions.redis
  if (tapes) config.tapes = tapes
  else config.tapes.record = 'off'
  const gateway = await createGateway({
    ...{ config, keys: [], secrets, connect: environment, writeLog: failures.onLine },
    // The breaker must not skip a task because earlier ones failed.
    breaker: { failures: Number.POSITIVE_INFINITY },
  })
  return { gateway, failures }
}

export async function openConfigured(
  model: string,
  file: string | undefined,
  tapes: Tapes,
): Promise<Subject> {
  const environment = readEnvironment()
  const loaded = loadConfig(file, environment)
  const { config } = loaded
  const { gateway, failures } = await openGateway(loaded, environment, tapes)
  try {
    const targets = await findTargets(gateway, model)
    return {
      fetch: (request) => gateway.fetch(request),
      backends: Object.keys(config.backends),
      failures,
      isLocal: targets.every((target) => isOnThisMachine(target, config)),
      noToolsHint: noToolsHint(targets, config),
      close: () => gateway.close(),
    }
  } catch (error) {
    await gateway.close()
    throw error
  }
}

export async function findTargets(gateway: Gateway, model: string): Promise<Target[]> {
  try {
    return await gateway.catalog.resolve(model)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw new CommandError(gateway.scrub(error.message), 2)
  }
}

export const isOnThisMachine = ({ backendName }: Target, { backends }: Config): boolean => {
  const backend = backends[backendName]
  return backend !== undefined && isLoopback(new URL(backend.baseUrl).hostname)
}

const lookAtTapes = 'Look at the tapes for what it answers. --all runs the remaining tasks anyway.'

function noToolsHint([target]: readonly Target[], { backends }: Config): string {
  const name = target?.backendName ?? ''
  const backend = backends[name]
  if (backend?.kind === 'openai' && backend.tools === 'native')
    return `Try "tools": "text" for this backend ("${name}"): docs/tool-text.md; --tune finds out whether that helps. --all runs the remaining tasks anyway.`
  return lookAtTapes
}

interface RemoteFlags {
  url: string
  keyFile?: string | undefined
}

/** A gateway that runs already. The services of its models are not known here. */
export async function openRunning({ url, keyFile }: RemoteFlags): Promise<Subject> {
  const environment = readEnvironment()
  const facts = await runningGateway({ url, keyFile }, environment)
  const names = facts.models.map(({ id }) => id)
  return {
    fetch: (request) => forward(request, facts.url, facts.key.needed ? facts.key.text : undefined),
    backends: [...new Set(names.flatMap((name) => (name.includes('/') ? (name.split('/')[0] ?? []) : [])))],
    failures: { take: (_turn, answer) => failureSeen(answer) },
    isLocal: false,
    noToolsHint: '--all runs the remaining tasks anyway.',
    close: async () => undefined,
  }
}

async function forward(request: Request, url: string, key: string | undefined): Promise<Response> {
  const { pathname } = new URL(request.url)
  const headers = new Headers(request.headers)
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  try {
    return await fetch(`${url}${pathname}`, {
      method: request.method,
      headers,
      body: await request.text(),
      redirect: 'manual',
      signal: request.signal,
    })
  } catch (error) {
    if (request.signal.aborted || !(error instanceof TypeError)) throw error
    const { code = error.message } = (error.cause ?? {}) as { code?: string }
    throw new Error(`the gateway at ${url} did not answer (${code})`)
  }
}
