// The last list of models of each provider, for a start without a network, or with a slow one. No secrets, no prompts.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomId } from '../core/ids.ts'
import type { ListedModel } from '../doors/models.ts'
import { isObject, parseJson } from '../protocols/json.ts'

export interface ModelCache {
  read(): Promise<ListedModel[]>
  write(models: readonly ListedModel[]): Promise<void>
}

export function createModelCache(stateFolder: string, provider: string): ModelCache {
  const path = join(stateFolder, 'opencode', `${provider}.json`)
  return {
    async read() {
      const content = parseJson(await readFile(path, 'utf8').catch(() => '[]'))
      return Array.isArray(content) ? content.filter(isModel) : []
    },
    async write(models) {
      const draft = `${path}.${randomId(8)}`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(draft, JSON.stringify(models), { mode: 0o600 })
      await rename(draft, path)
    },
  }
}

const isModel = (entry: unknown): entry is ListedModel =>
  isObject(entry) && typeof entry.id === 'string' && typeof entry.backend === 'string'
