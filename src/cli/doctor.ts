// `dragoman doctor`: checks everything that can be checked before the first request; each finding says what to do.

import { existsSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isLoopback } from '../base/loopback.ts'
import type { Style } from '../base/painted.ts'
import { isOpenToOthers } from '../base/platform/owner-only.ts'
import { version } from '../base/version.ts'
import { countInstances } from '../cluster/count-instances.ts'
import { ConfigError } from '../config/config-error.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { aliasWords, modelsOfAlias, rowsOfAlias } from '../config/routes.ts'
import type { Config } from '../config/schema.ts'
import type { Model } from '../core/backend.ts'
import { createGateway } from '../gateway.ts'
import { auditProblem } from '../local-tools/audit.ts'
import { createWorkshop } from '../local-tools/workshop.ts'
import { Prices } from '../observe/prices.ts'
import { CommandError } from '../process/command-error.ts'
import { chosenPort } from '../process/listening.ts'
import { outJson, outLine } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import type { Catalog } from '../server/catalog.ts'
import { listingReason } from '../server/listing-reason.ts'
import { checkPort } from './check-port.ts'
import { checkSafety, type Finding } from './check-safety.ts'
import { checkSearch } from './check-search.ts'
import { checkTraces } from './check-traces.ts'
import { keyFilePath, keyProblem } from './key-file.ts'
import { auditFilePath, privatePaths } from './private-paths.ts'

export async function doctor(flags: { config?: string; json?: boolean }): Promise<void> {
  const findings = await withProgress('checking', examine(flags.config))
  const failed = findings.some((finding) => finding.status === 'problem')
  if (flags.json) outJson({ version, ok: !failed, findings })
  else printFindings(findings)
  if (failed) process.exitCode = 1
}

const marks: Record<Finding['status'], readonly [style: Style, mark: string]> = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'warning'],
  problem: ['red', 'PROBLEM'],
}

/** Messages in one column; further lines of a message stand below its first. */
function printFindings(findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length))
  for (const { check, status, message } of findings) {
    const [first = '', ...more] = message.split('\n')
    outLine([marks[status], ' ', ['bold', `${check}:`], ' '.repeat(width - check.length + 1), first])
    for (const line of more) outLine([' '.repeat(marks[status][1].length + width + 3), line])
  }
}

async function examine(configFlag: string | undefined): Promise<Finding[]> {
  const environment = readEnvironment()
  const findings: Finding[] = [checkVersions()]
  let loaded: LoadedConfig
  try {
    loaded = loadConfig(configFlag, environment)
    loaded.config.listen.port = chosenPort(undefined, environment.port, loaded.config.listen.port)
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof CommandError)) throw error
    return [...findings, { check: 'config', status: 'problem', message: error.message }]
  }
  findings.push({ check: 'config', status: 'ok', message: String(loaded.file) })
  for (const message of loaded.notes) findings.push({ check: 'config', status: 'warning', message })
  findings.push(
    checkKey(loaded, environment.dataFolder),
    await checkPort(loaded, environment.stateFolder),
    ...checkWorkers(loaded),
  )
  // First: checkBackends silences the log in the configuration, and the safety check must see the real setting.
  const safety = checkSafety(loaded, environment)
  const [peers, traces, searching, local, backends] = await Promise.all([
    checkPeers(loaded),
    checkTraces(loaded.config, environment),
    checkSearch(loaded.config, environment),
    checkLocalTools(loaded, environment),
    checkBackends(loaded, environment),
  ])
  return [...findings, ...safety, ...local, ...peers, ...traces, ...searching, ...backends]
}

function checkVersions(): Finding {
  const message = `dragoman ${version}, Node ${process.versions.node}`
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return { check: 'versions', status: 'ok', message }
  return { check: 'versions', status: 'problem', message: `${message}; Node 20.19 or newer is needed` }
}

function checkKey({ config }: LoadedConfig, dataFolder: string): Finding {
  if (config.auth === 'none')
    return {
      check: 'key',
      status: 'warning',
      message:
        'none is required: every program on this machine can use your backends; remove "auth" to create a key',
    }
  if (config.auth)
    return {
      check: 'key',
      status: 'ok',
      message: `${config.auth.keys.length} from "auth.keys": ${config.auth.keys.map((key) => key.name).join(', ')}`,
    }
  const path = keyFilePath(dataFolder)
  if (!existsSync(path)) {
    const problem = keyProblem(dataFolder)
    const message = problem ?? `will be created on the first run, in ${path}`
    return { check: 'key', status: problem === undefined ? 'ok' : 'problem', message }
  }
  const open = isOpenToOthers(statSync(path).mode)
  return {
    check: 'key',
    status: open ? 'warning' : 'ok',
    message: open ? `${path} can be read by other users; run: chmod 600 ${path}` : `in ${path}`,
  }
}

function checkWorkers({ config: { workers } }: LoadedConfig): Finding[] {
  const cores = availableParallelism()
  if (workers === 1) return []
  if (workers <= cores) return [{ check: 'workers', status: 'ok', message: `${workers}, on ${cores} cores` }]
  const message = `${workers} workers on ${cores} core${cores === 1 ? '' : 's'}: the extra ones only use memory; lower "workers"`
  return [{ check: 'workers', status: 'warning', message }]
}

/** The protection of local tools on this machine. */
async function checkLocalTools(loaded: LoadedConfig, environment: Environment): Promise<Finding[]> {
  const { exec } = loaded.config
  if (!exec.enabled) return []
  const check = 'local tools'
  const hidden = privatePaths(loaded, environment)
  try {
    const workshop = await createWorkshop({ ...exec, ...environment.localPrograms, hidden })
    await workshop.close()
    const auditFile = auditFilePath(environment)
    const unnoted = auditProblem(auditFile)
    const place = `in ${workshop.root}; the audit log of all runs is ${auditFile}`
    return [
      { check, status: unnoted ? 'problem' : 'ok', message: unnoted ?? place },
      ...workshop.findings.map((found) => ({ check, ...found })),
    ]
  } catch (error) {
    return [{ check, status: 'problem', message: `exec.root: ${(error as Error).message}` }]
  }
}

async function checkPeers({ config }: LoadedConfig): Promise<Finding[]> {
  const { redis, peerUrl } = config.sessions
  if (redis === undefined) return []
  const findings: Finding[] = []
  const url = new URL(peerUrl ?? `http://${config.listen.host.includes(':') ? '[::1]' : config.listen.host}`)
  if (isLoopback(url.hostname))
    findings.push({
      check: 'peers',
      status: 'warning',
      message: `this instance announces ${url.hostname} as its address: only instances on this machine can reach it; set "sessions.peerUrl"`,
    })
  const place = redis.startsWith('unix:') ? redis : new URL(redis).host
  try {
    const count = await countInstances(redis)
    const announced = `${count} instance${count === 1 ? ' is' : 's are'} announced`
    findings.push({ check: 'redis', status: 'ok', message: `${place} reached; ${announced}` })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    findings.push({
      check: 'redis',
      status: 'problem',
      message: `${place} cannot be used (${reason}): instances would not find each other's sessions; start Redis or correct "sessions.redis"`,
    })
  }
  return findings
}

async function checkBackends(
  { config, secrets }: LoadedConfig,
  environment: ReturnType<typeof readEnvironment>,
): Promise<Finding[]> {
  config.log.level = 'silent'
  const gateway = await createGateway({ config, keys: [], secrets, connect: environment })
  try {
    const listings = await gateway.catalog.listings()
    const backends = listings.map(({ backendName, listing }): Finding => {
      const check = `backend ${backendName}`
      if (!listing.error)
        return { check, status: 'ok', message: listingWords(backendName, listing.models, config) }
      // A server without a model list may still work; far more often the address is wrong.
      if (listing.error.code !== 'not-found')
        return { check, status: 'problem', message: listingReason(backendName, listing.error) }
      const { kind, baseUrl } = config.backends[backendName] as Config['backends'][string]
      const doubtful = kind === 'openai' && !/\/v\d/.test(new URL(baseUrl).pathname)
      const hint = doubtful
        ? '"baseUrl" usually ends in /v1'
        : 'either "baseUrl" is wrong, or the server has no model list; then request models as BACKEND/MODEL'
      return {
        check,
        status: doubtful ? 'problem' : 'warning',
        message: `no model list at ${baseUrl} (HTTP 404): ${hint}`,
      }
    })
    const aliases = [...checkRoutes(config, listings), ...checkAliases(config, listings)]
    const found = [...backends, ...(await describeBackends(listings)), ...aliases]
    return found.map((finding) => ({ ...finding, message: gateway.scrub(finding.message) }))
  } finally {
    await gateway.close()
  }
}

/** How much is known of the models, where anything is. */
function listingWords(backend: string, models: readonly Model[], config: Config): string {
  const prices = new Prices(config)
  const sized = models.filter(({ contextTokens }) => contextTokens !== undefined).length
  const priced = models.filter(({ id }) => typeof prices.of({ backend, model: id }) === 'object').length
  const known = [
    ...(sized > 0 ? [`${sized} with a context window`] : []),
    ...(priced > 0 ? [`${priced} with a price`] : []),
  ]
  return [`reached, lists ${models.length} models`, ...known].join(', ')
}

type Listings = Awaited<ReturnType<Catalog['listings']>>

/** Details of a backend that answered. */
async function describeBackends(listings: Listings): Promise<Finding[]> {
  const found = await Promise.all(
    listings.map(async ({ backendName, backend, listing }) => {
      if (listing.error && listing.error.code !== 'not-found') return []
      const found = (await backend.describe?.(AbortSignal.timeout(describeTimeoutMs))) ?? []
      return found.map((finding): Finding => ({ check: `backend ${backendName}`, ...finding }))
    }),
  )
  return found.flat()
}

const describeTimeoutMs = 10_000

/** Aliases with several rows, and models that are too small for what a row sends them. */
function checkRoutes(config: Config, listings: Listings): Finding[] {
  const windowOf = (name: string) =>
    listings
      .find(({ backendName }) => name.startsWith(`${backendName}/`))
      ?.listing.models.find(({ id }) => name.endsWith(`/${id}`))?.contextTokens
  return Object.entries(config.models).flatMap(([alias, setting]) => {
    const rows = rowsOfAlias(setting)
    const check = `alias ${alias}`
    if (rows.length < 2) return []
    const small = rows.flatMap(({ when, use }) =>
      use.flatMap((name): Finding[] => {
        const longest = windowOf(name)
        const least = Number(/^>=? ?(\d+)$/.exec(when?.inputTokens ?? '')?.[1] ?? 0)
        if (longest === undefined || longest > least) return []
        const message = `${name} takes ${longest} tokens, too few for its row (inputTokens ${when?.inputTokens})`
        return [{ check, status: 'warning', message }]
      }),
    )
    return [{ check, status: 'ok', message: aliasWords(setting) }, ...small]
  })
}

/** An alias to a model that its backend does not list is usually a typo. */
function checkAliases(config: Config, listings: Listings): Finding[] {
  return Object.entries(config.models).flatMap(([alias, target]) =>
    modelsOfAlias(target).flatMap((name): Finding[] => {
      const listed = listings.find(({ backendName }) => name.startsWith(`${backendName}/`))?.listing
      if (!listed || listed.error || listed.models.some((model) => name.endsWith(`/${model.id}`))) return []
      return [
        {
          check: `alias ${alias}`,
          status: 'warning',
          message: `${name} is not in the model list of its backend`,
        },
      ]
    }),
  )
}
