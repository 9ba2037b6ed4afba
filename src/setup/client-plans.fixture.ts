// Facts and plans for the tests of setup clients.

import type { SetupClientName } from './client-names.ts'
import { setupClients } from './clients.ts'
import type { Facts } from './plan.ts'

export const key = 'dgm_abcdefghijklmnop'
export const keyFile = '/home/me/.local/share/dragoman/key'

export function factsFor(files: Record<string, string> = {}, more: Partial<Facts> = {}): Facts {
  const model = { id: 'cursor/composer-2', contextTokens: 200_000 }
  return {
    url: 'http://127.0.0.1:18741',
    key: { text: key, file: keyFile, needed: true },
    model,
    models: [model, { id: 'best' }, { id: 'claude/opus', contextTokens: 1000, outputTokens: 100 }],
    home: '/home/me',
    configHome: '/home/me/.config',
    projectFolder: '/work/it',
    project: false,
    plugin: undefined,
    shell: 'sh',
    system: 'linux',
    variable: () => undefined,
    exists: (path) => path in files,
    read: (path) => files[path],
    ...more,
  }
}

export const plan = (name: SetupClientName, files?: Record<string, string>, more?: Partial<Facts>) =>
  setupClients[name].plan(factsFor(files, more))

export const fileOf = (name: SetupClientName, files?: Record<string, string>, more?: Partial<Facts>) => {
  // A catalogue is a file of its own, which no user edits; the first of the others holds the provider.
  const [file] = plan(name, files, more).files.filter(({ summary }) => summary === undefined)
  if (!file) throw new Error('a file was expected')
  return file
}

export const textKey = { key: { text: key, file: undefined, needed: true } }
export const noKey = { key: { text: 'any', file: undefined, needed: false } }

export const homes = {
  opencode: '/home/me/.config/opencode/opencode.json',
  'claude-code': '/home/me/.claude/settings.json',
  codex: '/home/me/.codex/config.toml',
  'qwen-code': '/home/me/.qwen/settings.json',
  continue: '/home/me/.continue/config.yaml',
  cline: '/home/me/.cline/data/settings/providers.json',
  kimi: '/home/me/.kimi-code/config.toml',
  pi: '/home/me/.pi/agent/models.json',
  kilo: '/home/me/.config/kilo/kilo.json',
  'grok-build': '/home/me/.grok/config.toml',
  'grok-cli': '/home/me/.grok/user-settings.json',
  crush: '/home/me/.config/crush/crush.json',
  zed: '/home/me/.config/zed/settings.json',
} as const
export const written = Object.keys(homes) as (keyof typeof homes)[]
