// OpenAI's own models on Chat Completions and on Responses: what each refuses, with the service's error texts.

import { Refusal } from './refusal.ts'
import type { ChatRequest } from './request.ts'
import type { ResponsesRequest } from './responses/request.ts'

/** When the model takes function tools: always; with the effort `none` or unstated; only with a stated `none`; never. */
type ToolsTaken = 'always' | 'unless-stated' | 'with-none' | 'never'

interface OpenAIModel {
  readonly names: RegExp
  readonly contextTokens: number
  /** Absent: the model does not reason. */
  readonly reasoning?: {
    readonly efforts: readonly string[]
    readonly byDefault: boolean
    readonly tools: ToolsTaken
    readonly stop?: boolean
    /** Further efforts on Responses. */
    readonly moreEfforts?: readonly string[]
  }
  /** Does not exist on Chat Completions. */
  readonly isResponsesOnly?: true
}

const LOW_TO_HIGH = ['low', 'medium', 'high']
const NONE_TO_XHIGH = ['none', ...LOW_TO_HIGH, 'xhigh']
const NONE_TO_MAX = [...NONE_TO_XHIGH, 'max']

const reasons = (efforts: readonly string[], tools: ToolsTaken, byDefault = true) => ({
  contextTokens: 400_000,
  reasoning: { efforts, tools, byDefault },
})

/** The first matching row counts. */
const MODELS: readonly OpenAIModel[] = [
  { names: /^o[13]-pro|^codex-mini/, ...reasons(LOW_TO_HIGH, 'always'), isResponsesOnly: true },
  { names: /^gpt-5-pro/, ...reasons(['high'], 'always'), isResponsesOnly: true },
  {
    names: /^gpt-5\.[245]-pro/,
    ...reasons(['medium', 'high', 'xhigh'], 'always'),
    isResponsesOnly: true,
  },
  {
    names: /^o1/,
    contextTokens: 200_000,
    reasoning: { efforts: LOW_TO_HIGH, byDefault: true, tools: 'always', stop: true },
  },
  { names: /^o[34]/, ...reasons(LOW_TO_HIGH, 'always') },
  { names: /^gpt-5(\.\d)?-chat/, contextTokens: 128_000 },
  {
    names: /^gpt-5-codex|^gpt-5\.1-codex(?!-max)/,
    ...reasons(LOW_TO_HIGH, 'always'),
    isResponsesOnly: true,
  },
  {
    names: /^gpt-5\.1-codex-max|^gpt-5\.[23]-codex/,
    ...reasons([...LOW_TO_HIGH, 'xhigh'], 'always'),
    isResponsesOnly: true,
  },
  { names: /^gpt-5(?!\.)/, ...reasons(['minimal', ...LOW_TO_HIGH], 'always') },
  { names: /^gpt-5\.1/, ...reasons(['none', ...LOW_TO_HIGH], 'always', false) },
  { names: /^gpt-5\.[23]/, ...reasons(NONE_TO_XHIGH, 'always', false) },
  { names: /^gpt-5\.4/, ...reasons(NONE_TO_XHIGH, 'unless-stated', false) },
  { names: /^gpt-5\.5/, ...reasons(NONE_TO_XHIGH, 'unless-stated') },
  { names: /^gpt-5\.6|^gpt-6-(sol|luna)|^gpt-6\.1-terra/, ...reasons(NONE_TO_MAX, 'with-none') },
  {
    names: /^gpt-6-astra|^gpt-6\.1-sol/,
    contextTokens: 400_000,
    reasoning: {
      efforts: [...LOW_TO_HIGH, 'xhigh'],
      moreEfforts: ['max'],
      tools: 'never',
      byDefault: true,
    },
  },
  { names: /^gpt-(4\.1|3)|^chatgpt/, contextTokens: 1_000_000 },
  { names: /^gpt-4o/, contextTokens: 128_000 },
]

/** Undefined for models that are not OpenAI's. */
export const contextOf = (model: string) => findModel(model)?.contextTokens

const findModel = (model: string) => MODELS.find(({ names }) => names.test(model))

/** True if the model reasons in answer to a request with this effort. */
export function isReasoning(model: string, effort: string | null | undefined): boolean {
  const facts = findModel(model)?.reasoning
  return facts !== undefined && (effort == null ? facts.byDefault : effort !== 'none')
}

export function checkOpenAIModel(request: ChatRequest): void {
  const model = findModel(request.model)
  if (model?.isResponsesOnly)
    throw new Refusal('This model is only supported in v1/responses and not in v1/chat/completions.', {
      status: 404,
      param: 'model',
    })
  const facts = model?.reasoning
  if (facts === undefined) return
  const { max_tokens: limit, reasoning_effort: stated, stop } = request
  if (limit != null) {
    throw new Refusal(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: 'max_tokens', code: 'unsupported_parameter' },
    )
  }
  if (stop != null && !facts.stop) throw unsupported('stop')
  if (stated != null && !facts.efforts.includes(stated))
    throw unsupportedEffort(request.model, stated, facts.efforts, 'reasoning_effort')
  if (isReasoning(request.model, stated)) checkSampling(request)
  checkTools(request, facts.tools)
}

function checkSampling(request: ChatRequest): void {
  const { temperature } = request
  if (temperature != null && temperature !== 1) {
    throw new Refusal(
      `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      { param: 'temperature', code: 'unsupported_value' },
    )
  }
  const defaults = { top_p: 1, presence_penalty: 0, frequency_penalty: 0, logprobs: false, top_logprobs: 0 }
  for (const [name, value] of Object.entries(defaults))
    if (request[name] != null && request[name] !== value) throw unsupported(name)
}

function checkTools({ model, tools, reasoning_effort: effort }: ChatRequest, taken: ToolsTaken): void {
  if (tools === undefined || taken === 'always') return
  const isTaken = effort === 'none' || (taken === 'unless-stated' && effort == null)
  if (taken !== 'never' && isTaken) return
  const advice =
    taken === 'with-none'
      ? "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
      : 'Please use /v1/responses instead.'
  throw new Refusal(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${advice}`,
    { param: 'reasoning_effort' },
  )
}

const unsupported = (name: string) =>
  new Refusal(`Unsupported parameter: '${name}' is not supported with this model.`, {
    param: name,
    code: 'unsupported_parameter',
  })

function unsupportedEffort(model: string, effort: string, efforts: readonly string[], param: string) {
  const quoted = efforts.map((value) => `'${value}'`)
  const list = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}` : quoted[0]
  return new Refusal(
    `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${list}.`,
    { param, code: 'unsupported_value' },
  )
}

/** The same models on Responses. */
export function checkResponsesModel(request: ResponsesRequest): void {
  const model = findModel(request.model)
  if (model === undefined) return
  const { reasoning: facts } = model
  const { effort, summary } = request.reasoning ?? {}
  if (facts === undefined) {
    for (const [name, value] of Object.entries({ effort, summary }))
      if (value != null) throw unsupported(`reasoning.${name}`)
    return
  }
  const efforts = [...facts.efforts, ...(facts.moreEfforts ?? [])]
  if (effort != null && !efforts.includes(effort))
    throw unsupportedEffort(request.model, effort, efforts, 'reasoning.effort')
  if (!isReasoning(request.model, effort)) return
  for (const name of ['temperature', 'top_p', 'top_logprobs'])
    if (request[name] != null) throw unsupported(name)
}
