// One provider for OpenCode 2, from the stored credential to its place in the list.

import type { Environment } from '../../config/environment.ts'
import { createGatewayFetch } from '../fetch.ts'
import type { HostAuth } from '../host.ts'
import { openProvider } from '../open-provider.ts'
import { type PluginOptions, problemOf } from '../options.ts'
import type { ProviderKind } from '../providers.ts'
import type { Report } from '../report.ts'
import type { ModelInfo, ProviderInfo } from './host.ts'
import { openDoor } from './loopback.ts'
import { toModelInfos } from './models.ts'
import type { Draft } from './registry.ts'

interface ServedOptions {
  kind: ProviderKind
  /** The project's folder. */
  directory: string
  environment: Environment
  report: Report
  options(): PluginOptions
  credential(): Promise<HostAuth | undefined>
}

interface Entry {
  info: ProviderInfo
  models: ModelInfo[]
  close(): Promise<void>
}

export class ServedProvider {
  readonly kind: ProviderKind
  readonly #given: ServedOptions
  #entry: Entry | undefined
  /** The credential of the entry, as text; undefined before the first look. */
  #seen: string | undefined
  #work: Promise<unknown> = Promise.resolve()
  #gone = false

  constructor(given: ServedOptions) {
    this.kind = given.kind
    this.#given = given
  }

  /** Resolves with true if the entry has changed. Calls wait for each other. */
  refresh(): Promise<boolean> {
    const turn = this.#work.then(() => this.#refresh())
    this.#work = turn.catch(() => undefined)
    return turn
  }

  async #refresh(): Promise<boolean> {
    const { credential, report } = this.#given
    try {
      const auth = await credential()
      const seen = JSON.stringify(auth ?? null)
      if (this.#gone || seen === this.#seen) return false
      this.#seen = seen
      await this.#replace(await this.#open(auth))
    } catch (error) {
      report.problem(problemOf(this.kind.id, error))
      await this.#replace(undefined)
    }
    return true
  }

  async #open(auth: HostAuth | undefined): Promise<Entry | undefined> {
    const { kind, directory, environment, report, options } = this.#given
    const settings = await kind.settings({ options: options(), environment, auth })
    const open = settings && (await openProvider(kind, settings, { environment, report }))
    if (!open) return undefined
    const { lease, models } = open
    try {
      const door = await openDoor(createGatewayFetch({ gateway: lease.gateway, directory }))
      return {
        info: infoOf(kind, { baseURL: door.baseUrl, apiKey: door.key }),
        models: toModelInfos(models, kind),
        async close() {
          door.close()
          await lease.release()
        },
      }
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  async #replace(entry: Entry | undefined): Promise<void> {
    const before = this.#entry
    this.#entry = this.#gone ? undefined : entry
    await before?.close()
    if (this.#gone) await entry?.close()
  }

  /** Called at each reload of the list, with what the user's configuration has of this provider. */
  register(draft: Draft): void {
    const { kind } = this
    const there = draft.get(kind.id)
    // A provider without a login may be a separately running gateway.
    if (!kind.methods && there?.provider.settings?.baseURL !== undefined) return
    if (this.#entry) {
      const { info, models } = this.#entry
      const listed = new Set(models.map(({ id }) => id))
      const others = [...(there?.models.values() ?? [])].filter(({ id }) => !listed.has(id))
      const name = there && there.provider.name !== kind.id ? there.provider.name : info.name
      draft.put({ ...info, name, settings: { ...there?.provider.settings, ...info.settings } }, [
        ...models,
        ...others,
      ])
    } else if (there && kind.methods) {
      // OpenCode would send the key stored for our provider to an entry of this name from another source.
      draft.disable(kind.id)
    }
  }

  async close(): Promise<void> {
    this.#gone = true
    await this.#work
    await this.#replace(undefined)
  }
}

const infoOf = ({ id, name, npm }: ProviderKind, settings: Record<string, unknown>): ProviderInfo => ({
  id,
  name,
  activation: 'enabled',
  // What OpenCode 2 itself makes of version 1's `npm`: it runs its own client of this dialect.
  package: `aisdk:${npm}`,
  settings,
  // An integration without a login: of its own one, OpenCode would send the credential in place of the door's key.
  integrationID: `${id}-in-process`,
})
