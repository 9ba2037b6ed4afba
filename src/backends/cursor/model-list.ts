// The models of this account. The agent service lists them; another service knows their sizes and parameters, and its answer is
// optional.

import {
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
} from '../../../proto/gen/agent/v1/model_pb.ts'
import { type Fields, isObject } from '../../base/json.ts'
import type { Model } from '../../core/backend.ts'
import { GatewayError } from '../../core/errors.ts'
import type { ReasoningEffort } from '../../core/request.ts'
import {
  formatModelName,
  type ModelParameter,
  maxParameter,
} from '../../protocols/cursor-agent/model-name.ts'
import { efforts as knownEfforts } from '../../protocols/requests/reasoning-effort.ts'
import type { Rpc } from './rpc.ts'

interface Listed {
  model: Model
  aliases: string[]
}

interface Parameter {
  id: string
  values: string[]
}

interface Variant {
  parameters: ModelParameter[]
  isMax: boolean
}

interface ModelFacts {
  /** The facts that a model list shows. */
  listed: Pick<Model, 'contextTokens' | 'reasoning' | 'efforts' | 'images'>
  parameters: Parameter[]
  variants: Variant[]
  /** The service refuses the model without max mode. */
  isMaxOnly: boolean
  /** The context window in max mode. */
  maxContextTokens: number | undefined
}

const patienceMs = 3_000
const retryMs = 60_000

export class ModelList {
  readonly #rpc: Rpc
  #ids = new Map<string, string>()
  #facts = new Map<string, ModelFacts>()
  /** Models that the agent service lists with max mode. */
  #maxOnly = new Set<string>()
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
      const known = facts.get(model.id)
      const described = { ...model, ...known?.listed }
      const named = aliases.filter(
        (alias) => alias !== model.id && !listed.some((one) => one.model.id === alias),
      )
      const variants = known ? variantsOf(described, known) : []
      return [described, ...named.map((id) => ({ ...described, id })), ...variants]
    })
  }

  /** Resolves when the list is known, or the service does not answer in time: a run does not need the list. */
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

  /** The model of an alias; any other name is unchanged. */
  resolve(id: string): string {
    return this.#ids.get(id) ?? id
  }

  /** The model's parameter for this effort; undefined if the model does not list it. */
  effort(id: string, effort: ReasoningEffort): ModelParameter | undefined {
    const parameter = effortParameter(this.#facts.get(id)?.parameters)
    const value = parameter?.values.find((one) => one.toLowerCase() === effort)
    return parameter && value !== undefined ? { id: parameter.id, value } : undefined
  }

  /** True if the service refuses the model without max mode. Max mode costs more, so it is never used otherwise. */
  needsMaxMode(id: string, parameters: readonly ModelParameter[]): boolean {
    const facts = this.#facts.get(id)
    if (this.#maxOnly.has(id) || facts?.isMaxOnly) return true
    const fits = (variant: Variant) =>
      variant.parameters.every((one) =>
        parameters.some(({ id, value }) => id === one.id && value === one.value),
      )
    const fitting = facts?.variants.filter((variant) => variant.parameters.length > 0 && fits(variant)) ?? []
    return fitting.length > 0 && fitting.every(({ isMax }) => isMax)
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
      this.#maxOnly = new Set(models.flatMap(({ modelId, maxMode }) => (maxMode ? [modelId] : [])))
      return models.map(({ modelId, displayName, aliases }) => toListed(modelId, displayName, aliases))
    } catch (error) {
      const { code } = GatewayError.from(error)
      // Services without this call have the list that the official SDK reads.
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

/** JSON of protobuf messages has either spelling. */
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
    variants: objectsOf(entry.variants).map((variant) => ({
      parameters: objectsOf(field(variant, 'parameterValues')).map(({ id, value }) => ({
        id: String(id),
        value: String(value),
      })),
      isMax: field(variant, 'isMaxMode') === true,
    })),
    isMaxOnly: field(entry, 'supportsNonMaxMode') === false,
    maxContextTokens: positive(field(entry, 'contextTokenLimitForMaxMode')),
  }
}

const positive = (value: unknown) => (Number(value) > 0 ? Number(value) : undefined)

/** Each variant under the name that selects it, with its context window. */
function variantsOf(model: Model, { variants, maxContextTokens, isMaxOnly }: ModelFacts): Model[] {
  const wider = (maxContextTokens ?? 0) > (model.contextTokens ?? Number.POSITIVE_INFINITY)
  const hasMax = isMaxOnly || variants.some(({ isMax }) => isMax)
  const all = wider && !hasMax ? [...variants, { parameters: [], isMax: true }] : variants
  return all.flatMap(({ parameters, isMax }) => {
    const named = isMax && parameters.length === 0 ? [maxParameter] : parameters
    if (named.length === 0) return []
    const window = windowOf(parameters) ?? (isMax ? maxContextTokens : undefined)
    const variant = { ...model, id: formatModelName({ id: model.id, parameters: named }) }
    return [window === undefined ? variant : { ...variant, contextTokens: window }]
  })
}

/** `200k` and `1m`, as values of a model's parameter `context`. */
function windowOf(parameters: readonly ModelParameter[]): number | undefined {
  const [, digits, unit] =
    /^(\d{1,6})([km])$/i.exec(parameters.find(({ id }) => id === 'context')?.value ?? '') ?? []
  return digits === undefined ? undefined : Number(digits) * (unit?.toLowerCase() === 'm' ? 1_000_000 : 1_000)
}

const effortParameter = (parameters: readonly Parameter[] = []) =>
  parameters.find(({ id }) => id === 'effort' || id === 'reasoning' || id === 'reasoning_effort')

function toListedFacts(entry: Fields, parameters: readonly Parameter[]): ModelFacts['listed'] {
  const isMaxOnly = field(entry, 'supportsNonMaxMode') === false
  const maxTokens = isMaxOnly ? Number(field(entry, 'contextTokenLimitForMaxMode')) : 0
  // A model's name may promise a larger window than it has without max mode.
  const contextTokens = maxTokens > 0 ? maxTokens : Number(field(entry, 'contextTokenLimit'))
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
