// What this account can call. The agent service lists the models; another service knows their sizes and parameters,
// and is asked as well, but not needed.

import {
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
} from '../../../proto/gen/agent/v1/model_pb.ts'
import type { Model } from '../../core/backend.ts'
import { GatewayError } from '../../core/errors.ts'
import type { ReasoningEffort } from '../../core/request.ts'
import { formatModelName, type ModelParameter } from '../../protocols/cursor-agent/model-name.ts'
import { type Fields, isObject } from '../../protocols/json.ts'
import { efforts as knownEfforts } from '../../protocols/reasoning-effort.ts'
import type { Rpc } from './rpc.ts'

interface Listed {
  model: Model
  aliases: string[]
}

interface Parameter {
  id: string
  values: string[]
}

interface ModelFacts {
  /** As a listing shows them. */
  listed: Pick<Model, 'contextTokens' | 'reasoning' | 'efforts' | 'images'>
  parameters: Parameter[]
  variants: ModelParameter[][]
}

const patienceMs = 3_000
const retryMs = 60_000

export class ModelList {
  readonly #rpc: Rpc
  #ids = new Map<string, string>()
  #facts = new Map<string, ModelFacts>()
  #isRead = false
  #asking: Promise<unknown> | undefined
  #askAgainAt = 0

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  async read(signal: AbortSignal): Promise<Model[]> {
    const [listed, facts] = await Promise.all([this.#list(signal), this.#readFacts(signal)])
    this.#isRead = true
    this.#facts = facts
    this.#ids = new Map(listed.flatMap(({ model, aliases }) => aliases.map((alias) => [alias, model.id])))
    for (const { model } of listed) this.#ids.set(model.id, model.id)
    return listed.flatMap(({ model, aliases }) => {
      const { listed: known, variants = [] } = facts.get(model.id) ?? {}
      const described = { ...model, ...known }
      const named = aliases.filter(
        (alias) => alias !== model.id && !listed.some((one) => one.model.id === alias),
      )
      const others = variants
        .filter((parameters) => parameters.length > 0)
        .map((parameters) => formatModelName({ id: model.id, parameters }))
      return [described, ...[...named, ...others].map((id) => ({ ...described, id }))]
    })
  }

  /** Resolves when names can be resolved, as far as the service answers in time; a run does not fail for want of it. */
  async ready(): Promise<void> {
    if (this.#isRead || performance.now() < this.#askAgainAt) return
    this.#asking ??= this.read(AbortSignal.timeout(patienceMs))
      .catch(() => {
        this.#askAgainAt = performance.now() + retryMs
      })
      .finally(() => {
        this.#asking = undefined
      })
    await this.#asking
  }

  /** An alias's own model; any other name goes out as it is. */
  resolve(id: string): string {
    return this.#ids.get(id) ?? id
  }

  /** The listed setting that comes nearest to this effort. */
  effort(id: string, effort: ReasoningEffort): ModelParameter | undefined {
    const parameter = effortParameter(this.#facts.get(id)?.parameters)
    const value = parameter?.values.find((one) => one.toLowerCase() === effort)
    return parameter && value !== undefined ? { id: parameter.id, value } : undefined
  }

  parameters(id: string): readonly string[] | undefined {
    return this.#facts.get(id)?.parameters.map((parameter) => parameter.id)
  }

  async #list(signal: AbortSignal): Promise<Listed[]> {
    try {
      const { models } = await this.#rpc.call({
        path: '/agent.v1.AgentService/GetUsableModels',
        input: GetUsableModelsRequestSchema,
        output: GetUsableModelsResponseSchema,
        message: {},
        signal,
      })
      return models.map(({ modelId, displayName, aliases }) => toListed(modelId, displayName, aliases))
    } catch (error) {
      const { code } = GatewayError.from(error)
      // Services that have no such call have the list that the official SDK reads.
      if (code !== 'not-found' && code !== 'unsupported') throw error
      return this.#listByRest(signal)
    }
  }

  async #listByRest(signal: AbortSignal): Promise<Listed[]> {
    const answer = await this.#rpc.json({ method: 'GET', path: '/v1/models', signal })
    return entriesOf(answer, 'items').map((item) =>
      toListed(String(item.id), String(item.displayName ?? ''), stringsOf(item.aliases)),
    )
  }

  async #readFacts(signal: AbortSignal): Promise<Map<string, ModelFacts>> {
    try {
      const answer = await this.#rpc.json({
        method: 'POST',
        path: '/aiserver.v1.AiService/AvailableModels',
        body: '{"includeLongContextModels":true,"useModelParameters":true}',
        signal,
      })
      return new Map(entriesOf(answer, 'models').map((entry) => [String(entry.name), toFacts(entry)]))
    } catch {
      return new Map()
    }
  }
}

function toListed(id: string, displayName: string, aliases: string[]): Listed {
  const model: Model = { id, ownedBy: 'cursor', ...(displayName === '' ? {} : { displayName }) }
  return { model, aliases }
}

/** JSON of protobuf messages is written in either spelling. */
const field = (entry: Fields, camel: string) =>
  entry[camel] ?? entry[camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]

function toFacts(entry: Fields): ModelFacts {
  const parameters = objectsOf(field(entry, 'parameterDefinitions')).map((parameter) => ({
    id: String(parameter.id),
    values: [
      ...stringsOf(parameter.values),
      ...objectsOf(parameter.values).map((value) => String(value.value)),
      ...objectsOf((parameter.enum as Fields | undefined)?.values).map((value) => String(value.value)),
    ],
  }))
  return {
    listed: toListedFacts(entry, parameters),
    parameters,
    variants: objectsOf(entry.variants).map((variant) =>
      objectsOf(field(variant, 'parameterValues')).map(({ id, value }) => ({
        id: String(id),
        value: String(value),
      })),
    ),
  }
}

const effortParameter = (parameters: readonly Parameter[] = []) =>
  parameters.find(({ id }) => id === 'effort' || id === 'reasoning' || id === 'reasoning_effort')

function toListedFacts(entry: Fields, parameters: readonly Parameter[]): ModelFacts['listed'] {
  const contextTokens = Number(field(entry, 'contextTokenLimit'))
  const [thinking, images] = [field(entry, 'supportsThinking'), field(entry, 'supportsImages')]
  const values = effortParameter(parameters)?.values.map((value) => value.toLowerCase()) ?? []
  const efforts = knownEfforts.filter((effort) => values.includes(effort))
  return {
    ...(contextTokens > 0 ? { contextTokens } : {}),
    ...(typeof thinking === 'boolean' || efforts.length > 0
      ? { reasoning: thinking === true || efforts.length > 0 }
      : {}),
    ...(efforts.length > 0 ? { efforts } : {}),
    ...(typeof images === 'boolean' ? { images } : {}),
  }
}

const entriesOf = (answer: unknown, key: string) => (isObject(answer) ? objectsOf(answer[key]) : [])
const objectsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])
const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
