// OpenCode 1 as far as a plugin sees it: a home of its own, credentials, a log; plugins are started, configured, let go.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import type { Fetch } from '../../src/plugin/fetch.ts'
import type { Hooks, HostAuth, HostConfig, HostModel, Plugin } from '../../src/plugin/host.ts'
import * as plugins from '../../src/plugin/opencode-1.ts'

const variables = [
  'CURSOR_API_KEY',
  'CURSOR_ACCESS_TOKEN',
  'DRAGOMAN_CONFIG',
  'OPENCODE_AUTH_CONTENT',
].concat('OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR')

export class FakeHost {
  readonly home = mkdtempSync(join(tmpdir(), 'dragoman-plugin-'))
  readonly logged: { level: string; message: string }[] = []
  readonly toasts: string[] = []
  readonly #started: Hooks[] = []

  constructor() {
    vi.stubEnv('HOME', this.home)
    for (const [name, folder] of [
      ['XDG_CONFIG_HOME', 'config'],
      ['XDG_DATA_HOME', 'data'],
      ['XDG_STATE_HOME', 'state'],
    ] as const)
      vi.stubEnv(name, join(this.home, folder))
    for (const name of variables) vi.stubEnv(name, undefined)
  }

  write(name: string, content: unknown): string {
    const path = join(this.home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
    return path
  }

  keep(credentials: Record<string, HostAuth>): void {
    this.write('data/opencode/auth.json', credentials)
  }

  async start(plugin: Plugin, options?: Record<string, unknown>, config: HostConfig = {}): Promise<Started> {
    const [started] = await this.startAll([plugin], options, config)
    return started as Started
  }

  /** As OpenCode does it: every plugin, then for each of them the configuration, one after the other. */
  async startAll(
    plugins: readonly Plugin[],
    options?: Record<string, unknown>,
    config: HostConfig = {},
  ): Promise<Started[]> {
    const input = { directory: this.home, client: this.#client() }
    const source = join(this.home, 'config/opencode/opencode.json')
    if (options) config.plugin_origins ??= [{ spec: ['file:///dragoman', options], source }]
    const all: Hooks[] = []
    for (const plugin of plugins) all.push(await plugin(input, options))
    this.#started.push(...all)
    for (const hooks of all) await hooks.config(config)
    return all.map((hooks) => new Started(hooks, config))
  }

  async close(): Promise<void> {
    for (const hooks of this.#started) await hooks.dispose()
    rmSync(this.home, { recursive: true })
    vi.unstubAllEnvs()
  }

  #client() {
    return {
      app: {
        log: async ({ body }: { body: { level: string; message: string } }) => void this.logged.push(body),
      },
      tui: {
        showToast: async ({ body }: { body: { message: string } }) => void this.toasts.push(body.message),
      },
    }
  }
}

export class Started {
  readonly hooks: Hooks
  readonly config: HostConfig

  constructor(hooks: Hooks, config: HostConfig) {
    this.hooks = hooks
    this.config = config
  }

  provider(id: string) {
    return this.config.provider?.[id]
  }

  models(id: string): Record<string, HostModel> {
    return this.provider(id)?.models ?? {}
  }

  fetch(id: string): Fetch {
    const fetch = this.provider(id)?.options?.fetch
    if (typeof fetch !== 'function') throw new Error(`${id} has no fetch`)
    return fetch as Fetch
  }
}

export { plugins }
