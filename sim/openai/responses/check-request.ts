// Checks the body of POST /v1/responses: its shape, then the rules across fields, with the service's error texts.

import { isRecord, type Wording } from '../../shape.ts'
import { estimateTokens } from '../../tokens.ts'
import { checkResponsesModel, contextOf } from '../openai-models.ts'
import { Refusal, toParam, WORDING } from '../refusal.ts'
import { strictProblem } from '../tool-schemas/strict.ts'
import { checkItems, checkNeighbours, checkPairs, type ItemRules, resolved } from './check-items.ts'
import { type Item, itemsOf, offeredTools, type ResponsesRequest, textOf } from './request.ts'
import { responsesShape } from './schema.ts'

interface CheckedRequest {
  readonly request: ResponsesRequest
  /** The whole conversation, stored items included. */
  readonly items: readonly Item[]
}

const words: Wording = {
  ...WORDING,
  unknown: (path) =>
    new Refusal(`Unknown parameter: '${toParam(path)}'.`, {
      param: toParam(path),
      code: 'unknown_parameter',
    }),
}

const lenientWords: Wording = { ...words, unknown: () => undefined }

export function checkResponsesRequest(
  body: unknown,
  rules: Omit<ItemRules, 'isStoring' | 'owner'> & { account: string; isLenient: boolean },
): CheckedRequest {
  responsesShape(body, [], rules.isLenient ? lenientWords : words)
  const request = body as ResponsesRequest
  const isStoring = request.store !== false
  const itemRules: ItemRules = {
    stored: rules.stored,
    isStoring,
    owner: { account: rules.account, model: request.model },
  }
  const own = itemsOf(request)
  checkItems(own, itemRules)
  const items = [...earlierItems(request, itemRules), ...resolved(own, itemRules)]
  checkPairs(items)
  checkNeighbours(items, itemRules)
  checkCombinations(request)
  checkTools(request, items)
  checkFormat(request, items)
  checkResponsesModel(request)
  checkContext(request, items)
  return { request, items }
}

function earlierItems({ previous_response_id: id }: ResponsesRequest, { stored }: ItemRules) {
  if (id == null) return []
  const found = stored.conversations.get(id)
  if (found) return found
  throw new Refusal(`Previous response with id '${id}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  })
}

function checkCombinations(request: ResponsesRequest): void {
  if (request.previous_response_id != null && request.conversation != null)
    throw new Refusal(
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Only one of these can be provided at a time.",
      { param: 'previous_response_id', code: 'mutually_exclusive_parameters' },
    )
  if (request.stream_options != null && request.stream !== true)
    throw new Refusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    })
}

function checkTools(request: ResponsesRequest, items: readonly Item[]): void {
  const tools = offeredTools(request, items)
  checkSearch(request)
  for (const [at, { name, type, strict, parameters }] of (request.tools ?? []).entries()) {
    if (type !== 'function') continue
    const problem =
      parameters != null && parameters.type !== 'object'
        ? `schema must be a JSON Schema of 'type: "object"', got 'type: "${parameters.type ?? 'None'}"'.`
        : strict === true
          ? strictProblem(parameters ?? {})
          : undefined
    if (problem !== undefined)
      throw new Refusal(`Invalid schema for function '${name}': ${problem}`, {
        param: `tools[${at}].parameters`,
        code: 'invalid_function_parameters',
      })
  }
  const choice = request.tool_choice
  if (choice != null && choice !== 'auto' && choice !== 'none' && tools.length === 0)
    throw new Refusal("Tool choice 'required' must be specified with 'tools' parameter.", {
      param: 'tool_choice',
      code: 'invalid_value',
    })
  if (!isRecord(choice) || (choice.type !== 'function' && choice.type !== 'custom')) return
  if (!tools.some(({ name, type }) => name === choice.name && type === choice.type))
    throw new Refusal(`Tool choice '${choice.name}' not found in 'tools' parameter.`, {
      param: 'tool_choice',
    })
}

/** The models before gpt-5.4 have no search. The text of the second refusal is not the service's. */
function checkSearch({ model, tools = [] }: ResponsesRequest): void {
  const list = tools ?? []
  const hasSearch = list.some(({ type }) => type === 'tool_search')
  if (hasSearch && /^(?:gpt-(?:4|5(?:\.[0-3])?(?![\d.]))|o\d)/.test(model))
    throw new Refusal(`Tool 'tool_search' is not supported with ${model}.`, { param: 'tools' })
  if (!hasSearch && list.some(({ defer_loading: isDeferred }) => isDeferred === true))
    throw new Refusal("Tools with 'defer_loading' need a tool of type 'tool_search'.", { param: 'tools' })
}

function checkFormat(request: ResponsesRequest, items: readonly Item[]): void {
  const format = request.text?.format
  if (format?.type === 'json_object') {
    const said = [request.instructions ?? '', ...items.map(({ content }) => textOf(content))].join('\n')
    if (/json/i.test(said)) return
    throw new Refusal(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      { param: 'input' },
    )
  }
  const problem =
    format?.type === 'json_schema' && format.strict === true ? strictProblem(format.schema) : undefined
  if (problem !== undefined)
    throw new Refusal(`Invalid schema for response_format '${format?.name}': ${problem}`, {
      param: 'text.format.schema',
      code: 'invalid_json_schema',
    })
}

function checkContext(request: ResponsesRequest, items: readonly Item[]): void {
  const most = contextOf(request.model)
  if (most === undefined || estimateTokens([items, request.instructions, request.tools ?? []]) <= most) return
  throw new Refusal(
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    { param: 'input', code: 'context_length_exceeded' },
  )
}
