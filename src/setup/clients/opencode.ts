// OpenCode: a provider in opencode.json that calls the gateway by Chat Completions, or the plugin, which needs no server.

import { join } from 'node:path'
import { isObject } from '../../base/json.ts'
import { editJson, type JsonChange, jsonValue } from '../json-edit.ts'
import {
  CannotEdit,
  editFile,
  exportKey,
  type Facts,
  type Plan,
  type SetupModel,
  slashed,
  tilde,
} from '../plan.ts'
import { planAbove, type Session } from '../session.ts'

const provider = ['provider', 'dragoman']
const opencodeSchema = 'https://opencode.ai/config.json'
/** OpenCode's bundled client packages that the gateway has a door for. */
const packages = ['@ai-sdk/openai-compatible', '@ai-sdk/openai', '@ai-sdk/anthropic']
/** OpenCode's own default limit. */
const usualOutput = 32_000

export function opencode(facts: Facts): Plan {
  const folder = facts.project ? facts.projectFolder : join(facts.configHome, 'opencode')
  // If both files exist, OpenCode reads both and the second overrides.
  const commented = join(folder, 'opencode.jsonc')
  const path = facts.exists(commented) ? commented : join(folder, 'opencode.json')
  return facts.plugin === undefined
    ? providerPlan(facts, { path, start: 'opencode', schema: opencodeSchema })
    : withPlugin(facts, facts.plugin, path)
}

/**
 * Names the plugin by its folder: OpenCode installs a bare name from npm, where the package is not published yet. The key
 * `plugin` and a folder are what both versions of OpenCode read; version 1 ignores `plugins`, version 2 refuses a file.
 */
function withPlugin(facts: Facts, plugin: string, path: string): Plan {
  const file = editFile(facts, path, (text) => {
    const changes: JsonChange[] = hasPlugin(text, plugin)
      ? []
      : [...schemaOf(text), { path: ['plugin'], value: plugin, append: true }]
    if (facts.model.id !== '') changes.push({ path: ['model'], value: pluginModel(facts.model.id) })
    return changes.length === 0 ? text : editJson(text, changes)
  })
  return {
    files: [file],
    steps: [
      'No gateway needs to run: the plugin is one, inside OpenCode. It reads your own configuration.',
      'For a Cursor account: opencode auth login -p dragoman-cursor',
    ],
    start: 'opencode',
  }
}

function hasPlugin(text: string, plugin: string): boolean {
  const isOurs = (entry: unknown) => {
    const named = isObject(entry) ? entry.package : entry
    const place = String(Array.isArray(named) ? named[0] : named)
    return place === plugin || /^dragoman-gateway(?:@|$)/.test(place)
  }
  return ['plugin', 'plugins'].some((key) => {
    const entries = jsonValue(text, [key])
    return Array.isArray(entries) && entries.some(isOurs)
  })
}

/** The plugin's own names begin with its provider; the gateway's are those of the provider `dragoman`. */
const pluginModel = (id: string) =>
  /^dragoman(?:-cursor|-anthropic|-openai)?\//.test(id) ? id : `dragoman/${id}`

interface ConfigFile {
  path: string
  /** The command that starts the client. */
  start: string
  /** For a new file. */
  schema: string
}

/** The plan for OpenCode and for what was made from it. */
export function providerPlan(facts: Facts, { path, start, schema }: ConfigFile): Plan {
  const file = editFile(facts, path, (text) => {
    checkProvider(text)
    return editJson(text, [...schemaOf(text, schema), ...providerChanges(facts, text)])
  })
  const copied = facts.project && facts.key.needed && facts.key.file === undefined
  return {
    files: [file],
    steps: copied ? [`Before you start it: ${exportKey(facts)}`] : [],
    start,
  }
}

export const opencodeSession = (facts: Facts): Session =>
  sessionContent(facts, 'OPENCODE_CONFIG_CONTENT', opencodeSchema)

/** A variable that holds a whole configuration is read above all files; one that the user has set is kept. */
export function sessionContent(facts: Facts, variable: string, schema: string): Session {
  const there = planAbove(facts, facts.variable(variable) || undefined)
  const [file] = providerPlan(there, { path: variable, start: '', schema }).files
  return { variables: { [variable]: file?.after ?? '' } }
}

function checkProvider(text: string): void {
  const there = jsonValue(text, provider)
  if (there === undefined) return
  const { npm, options } = isObject(there) ? there : {}
  const known = npm === undefined || packages.includes(String(npm))
  const baseUrl = isObject(options) ? options.baseURL : undefined
  const like = baseUrl === undefined || /\/v1\/?$/.test(String(baseUrl))
  if (!isObject(there) || !known || !like) throw new CannotEdit('"provider.dragoman" is not this gateway')
}

function providerChanges(facts: Facts, text: string): JsonChange[] {
  const unlessThere = (path: string[], value: unknown): JsonChange[] =>
    jsonValue(text, path) === undefined ? [{ path, value }] : []
  return [
    ...unlessThere([...provider, 'npm'], packages[0]),
    ...unlessThere([...provider, 'name'], 'Dragoman'),
    { path: [...provider, 'options', 'baseURL'], value: `${facts.url}/v1` },
    { path: [...provider, 'options', 'apiKey'], value: apiKey(facts) },
    ...facts.models
      .flatMap((model) => {
        const path = [...provider, 'models', model.id]
        if (!isObject(jsonValue(text, path))) return unlessThere(path, modelEntry(model))
        // Entries of an earlier set-up lack it.
        const more = Object.entries(model.images ? withImages : {})
        return more.flatMap(([name, value]) => unlessThere([...path, name], value))
      })
      .map((change) => ({ ...change, oneLine: true })),
    { path: ['model'], value: `dragoman/${facts.model.id}` },
  ]
}

function apiKey({ key, home, project }: Facts): string {
  if (key.file !== undefined && !key.file.includes('}')) return `{file:${slashed(tilde(key.file, home))}}`
  return project && key.needed ? '{env:DRAGOMAN_KEY}' : key.text
}

/** OpenCode takes images out of a request unless the model's entry has this. */
const withImages = { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } }

/** OpenCode needs both limits or none. */
function modelEntry({ contextTokens, outputTokens, images }: SetupModel): unknown {
  const entry = { tool_call: true, ...(images ? withImages : {}) }
  if (contextTokens === undefined) return entry
  const output = outputTokens ?? Math.min(usualOutput, Math.floor(contextTokens / 2))
  return { ...entry, limit: { context: contextTokens, output } }
}

const schemaOf = (text: string, schema = opencodeSchema): JsonChange[] =>
  text.trim() === '' ? [{ path: ['$schema'], value: schema }] : []
