// The rules about tools and generationConfig.

import { firstProblem } from '../openai/tool-schemas/visit.ts'
import type { GeminiModel } from './models.ts'
import { Refusal } from './refusal.ts'
import type { Declaration, GeminiRequest } from './request.ts'

const MOST_DECLARATIONS = 512
const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

export function checkSettings(request: GeminiRequest, model: GeminiModel): void {
  const { tools = [], toolConfig, generationConfig: config = {} } = request
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
  checkDeclarations(declared)
  checkChoice(toolConfig?.functionCallingConfig ?? {}, declared)
  const own = tools.some((tool) => Object.keys(tool).some((name) => name !== 'functionDeclarations'))
  if (own && declared.length > 0 && (model.generation < 3 || !toolConfig?.includeServerSideToolInvocations))
    throw new Refusal(
      'Built-in tools ({google_search}) and Function Calling cannot be combined in the same request.',
    )
  checkThinking(config.thinkingConfig, model)
  if ((config.stopSequences?.length ?? 0) > 5)
    throw new Refusal('* GenerateContentRequest.generation_config.stop_sequences: at most 5 stop sequences\n')
  const isJson = config.responseMimeType === 'application/json'
  if (isJson && declared.length > 0 && model.generation < 3)
    throw new Refusal("Function calling with a response mime type: 'application/json' is unsupported")
  if (config.responseJsonSchema !== undefined && !isJson)
    throw new Refusal('response_schema is only supported with response_mime_type application/json')
  if (config.responseJsonSchema !== undefined) checkJsonSchema(config.responseJsonSchema)
}

function checkDeclarations(declared: readonly Declaration[]): void {
  if (declared.length > MOST_DECLARATIONS)
    throw new Refusal(`At most ${MOST_DECLARATIONS} function declarations can be specified.`)
  const names = new Set<string>()
  for (const [at, { name = '', parameters, parametersJsonSchema: schema }] of declared.entries()) {
    const path = `GenerateContentRequest.tools[0].function_declarations[${at}]`
    if (!NAME.test(name))
      throw new Refusal(
        `* ${path}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
      )
    if (names.has(name)) throw new Refusal(`Duplicate function declaration found: ${name}`)
    names.add(name)
    if (parameters && schema)
      throw new Refusal(`* ${path}: parameters and parameters_json_schema are mutually exclusive\n`)
    if (schema !== undefined) checkJsonSchema(schema)
  }
}

function checkJsonSchema(schema: unknown): void {
  const problem = jsonSchemaProblem(schema)
  if (problem !== undefined) throw new Refusal(problem)
}

/** What is known to fail: a reference with other keywords beside it. Unknown keywords have no effect. */
export function jsonSchemaProblem(schema: unknown): string | undefined {
  return firstProblem(schema, (one) =>
    typeof one.$ref === 'string' && Object.keys(one).some((key) => !key.startsWith('$'))
      ? 'Request contains an invalid argument.'
      : undefined,
  )
}

function checkChoice(
  { mode, allowedFunctionNames: allowed = [] }: { mode?: string; allowedFunctionNames?: string[] },
  declared: readonly Declaration[],
): void {
  if (mode !== undefined && mode !== 'NONE' && declared.length === 0)
    throw new Refusal('Function calling config is set without function_declarations.')
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    throw new Refusal(
      'Function calling config: allowed_function_names is only supported with mode ANY or VALIDATED.',
    )
  for (const name of allowed)
    if (!declared.some((one) => one.name === name))
      throw new Refusal(`Function calling config: allowed_function_names has the unknown function ${name}.`)
}

function checkThinking(
  config: NonNullable<GeminiRequest['generationConfig']>['thinkingConfig'],
  { id, thinking, mayBeOff = false }: GeminiModel,
): void {
  if (config === undefined) return
  const { thinkingBudget: budget, thinkingLevel: level } = config
  if (thinking === undefined) throw new Refusal(`Thinking is not enabled for models/${id}`)
  if (budget !== undefined && level !== undefined)
    throw new Refusal('You can only set only one of thinking budget and thinking level.')
  if (level !== undefined && !('levels' in thinking && thinking.levels.includes(level.toLowerCase())))
    throw new Refusal(`Thinking level ${level} is not supported for this model.`)
  if (budget === undefined || budget === -1) return
  // Only the newest generation refuses a budget; those with levels before it still take one.
  if ('levels' in thinking) {
    if (id.startsWith('gemini-3')) return
    throw new Refusal('Thinking budget is not supported for this model; use thinking_level.')
  }
  const [least, most] = thinking.budget
  if (budget === 0 && mayBeOff) return
  if (budget === 0) throw new Refusal('Budget 0 is invalid. This model only works in thinking mode.')
  if (budget < least || budget > most)
    throw new Refusal(
      `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`,
    )
}
