// Takes over a changed configuration file: reads it again, checks it, and switches as a whole or not at all. One reload at a time;
// requests meanwhile share one more reload, which sees what was written in between.

import { changedSettings, restartProblems } from '../config/changes.ts'
import { ConfigError } from '../config/config-error.ts'
import { GatewayError } from '../core/errors.ts'
import type { NextConfig } from '../gateway.ts'
import { errorFields, type Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { ReloadOutcome } from '../server/control.ts'
import { CommandError } from './command-error.ts'
import { refuseProblems } from './listening.ts'

/** A configuration with what it was read from. */
export interface ReadConfig extends NextConfig {
  /** Files that local tools must not see. */
  privatePaths?: readonly string[]
  /** All files that it was read from. */
  files: readonly string[]
}

/** One gateway, or all workers. */
export interface Prepared {
  /** Backends that are new, other or gone. */
  replaced: readonly string[]
  commit(): void | Promise<void>
  discard(): Promise<void>
}

export interface ReloaderParts {
  prepare(next: ReadConfig): Promise<Prepared>
  log: Log
  scrub(text: string): string
  metrics: Metrics
}

interface ReloaderOptions extends ReloaderParts {
  file: string
  first: ReadConfig
  read(): ReadConfig
}

/** What asked for it, for the log. */
export type ReloadCause = 'SIGHUP' | 'command' | 'changed file'

/** More would fill the log. */
const mostProblems = 20

export class Reloader {
  readonly #options: ReloaderOptions
  #inForce: ReadConfig
  #running: Promise<unknown> | undefined
  #next: Promise<ReloadOutcome> | undefined
  #isRefused = false
  #isStopping = false

  constructor(options: ReloaderOptions) {
    this.#options = options
    this.#inForce = options.first
    options.metrics.gauge('dragoman_config_refused', () => Number(this.#isRefused))
    for (const outcome of ['taken', 'refused'])
      options.metrics.count('dragoman_config_reloads_total', { outcome }, 0)
  }

  get inForce(): ReadConfig {
    return this.#inForce
  }

  /** From now on nothing is taken over. */
  stop(): void {
    this.#isStopping = true
  }

  reload(by: ReloadCause): Promise<ReloadOutcome> {
    if (!this.#running) return this.#begin(by)
    const begin = () => {
      this.#next = undefined
      return this.#begin(by)
    }
    this.#next ??= this.#running.then(begin, begin)
    return this.#next
  }

  #begin(by: ReloadCause): Promise<ReloadOutcome> {
    const end = () => {
      this.#running = undefined
    }
    const outcome = this.#reload().then((found) => this.#report(found, by))
    this.#running = outcome
    outcome.then(end, end)
    return outcome
  }

  async #reload(): Promise<ReloadOutcome> {
    if (this.#isStopping) return refused(['the gateway is stopping'])
    try {
      const next = this.#options.read()
      const before = this.#inForce
      const problems = takeoverProblems(before, next)
      if (problems.length > 0) return refused(problems)
      refuseProblems(next.config)
      return await this.#takeOver(before, next)
    } catch (error) {
      if (!isExpected(error)) this.#options.log.error('a reload failed', errorFields(error))
      return refused(wordsOf(error))
    }
  }

  async #takeOver(before: ReadConfig, next: ReadConfig): Promise<ReloadOutcome> {
    const prepared = await this.#options.prepare(next)
    const changed = changesOf(before, next, prepared.replaced)
    if (this.#isStopping || changed.length === 0) await prepared.discard()
    else await prepared.commit()
    if (this.#isStopping) return refused(['the gateway is stopping'])
    this.#inForce = next
    return changed.length === 0 ? { state: 'unchanged' } : { state: 'taken', changed }
  }

  #report(found: ReloadOutcome, by: ReloadCause): ReloadOutcome {
    const { log, file, metrics, scrub } = this.#options
    this.#isRefused = found.state === 'refused'
    if (found.state !== 'unchanged') metrics.count('dragoman_config_reloads_total', { outcome: found.state })
    if (found.state === 'taken') log.info('the configuration was taken over', { file, by, ...found })
    if (found.state === 'unchanged') log.debug('the configuration is unchanged', { file, by })
    if (found.state !== 'refused') return found
    const problems = found.problems.slice(0, mostProblems).map(scrub)
    log.error('the configuration was refused; the last good one stays in force', { file, by, problems })
    return { ...found, problems }
  }
}

const refused = (problems: readonly string[]): ReloadOutcome => ({ state: 'refused', problems })

/** Settings that need a restart, all of them at once: nothing of such a change is taken over. */
function takeoverProblems(before: ReadConfig, next: ReadConfig): string[] {
  const problems = restartProblems(before.config, next.config)
  const known = new Set(before.privatePaths)
  const unhidden = next.config.exec.enabled
    ? (next.privatePaths ?? []).filter((path) => !known.has(path))
    : []
  return [
    ...problems,
    ...unhidden.map((path) => `exec: a restart is needed to hide ${path} from the local tools`),
  ]
}

/**
 * The generated key has no setting, and a backend also depends on the file of its authorities. A second key replaces backends, too:
 * they keep apart what each key stored. That is a part of the change of keys.
 */
function changesOf(before: ReadConfig, next: ReadConfig, replaced: readonly string[]): string[] {
  const settings = changedSettings(before.config, next.config)
  if (JSON.stringify(before.keys) === JSON.stringify(next.keys))
    return [...new Set([...settings, ...replaced.map((name) => `backends.${name}`)])]
  return settings.some((one) => one.startsWith('auth')) ? settings : ['auth', ...settings]
}

const isExpected = (error: unknown) =>
  error instanceof ConfigError || error instanceof CommandError || error instanceof GatewayError

function wordsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems
  return [error instanceof Error ? error.message : String(error)]
}
