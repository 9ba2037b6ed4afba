// The last model list of each backend, for a start without a network or with a slow one. It holds no secrets and no prompts.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomId } from '../base/ids.ts'
import { isObject, parseJson } from '../base/json.ts'
import { replaceFile } from '../base/platform/replace-file.ts'
import type { Model } from '../core/backend.ts'

/** Keyed by the backend's name. */
export type KnownModels = Record<string, { baseUrl: string; models: readonly Model[] }>

interface ModelCache {
  read(): Promise<KnownModels>
  write(models: KnownModels): Promise<void>
}

export function createModelCache(stateFolder: string, provider: string): ModelCache {
  const path = join(stateFolder, 'opencode', `${provider}.json`)
  return {
    async read() {
      const content = parseJson(await readFile(path, 'utf8').catch(() => '{}'))
      return isObject(content) ? Object.fromEntries(Object.entries(content).filter(isEntry)) : {}
    },
    async write(models) {
      const draft = `${path}.${randomId(8)}`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(draft, JSON.stringify(models), { mode: 0o600 })
      await replaceFile(draft, path)
    },
  }
}

const isEntry = (entry: [string, unknown]): entry is [string, KnownModels[string]] => {
  const [, value] = entry
  return isObject(value) && Array.isArray(value.models) && value.models.every(isModel)
}

const isModel = (entry: unknown) => isObject(entry) && typeof entry.id === 'string'
