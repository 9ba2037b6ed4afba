// The schemas of tools as the service takes them, and `strict`, by which a service holds its model to them.

import { type Fields, isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { SchemaLowering } from '../tool-schemas/lowered-tools.ts'
import { type StrictForm, type StrictTools, strictNote, toStrictTools } from '../tool-schemas/strict-tools.ts'
import { dialect } from './dialect.ts'
import type { ServerTraits } from './servers.ts'

/** auto: only where it is known to be safe. */
export type StrictSetting = 'auto' | 'on' | 'off'

export interface SchemaOptions {
  traits: ServerTraits
  /** Default: off. */
  strict?: StrictSetting | undefined
  /** Gets the tools for which `strict` is asked; undefined if it is not. */
  onStrict?(tools: StrictTools | undefined): void
  note(text: string): void
}

interface FunctionTool extends Fields {
  function: Fields & { parameters: Fields }
}

export function fitSchemas(body: Fields, request: TurnRequest, options: SchemaOptions): void {
  options.onStrict?.(undefined)
  if (!Array.isArray(body.tools)) return
  if (options.traits.evenStrict) evenOut(body, body.tools, options)
  const form = strictForm(request, options)
  if (form === undefined || !askStrict(body, form, options)) lower(body, options)
}

const isFunction = (tool: unknown): tool is FunctionTool =>
  isObject(tool) && isObject(tool.function) && isObject(tool.function.parameters)

/** The same list if nothing changed. */
function mapFunctions(body: Fields, change: (described: FunctionTool['function']) => Fields): void {
  let isChanged = false
  const tools = (body.tools as unknown[]).map((tool) => {
    if (!isFunction(tool)) return tool
    const described = change(tool.function)
    if (described === tool.function) return tool
    isChanged = true
    return { ...tool, function: described }
  })
  if (isChanged) body.tools = tools
}

/** Schemas that the service would refuse. */
function lower(body: Fields, { traits: { schemas, schemaKeywords }, note }: SchemaOptions): void {
  if (schemas === undefined && schemaKeywords.length === 0) return
  const lowering = new SchemaLowering({ subset: schemas, keywords: schemaKeywords })
  mapFunctions(body, (described) => {
    const parameters = lowering.lower(described.parameters)
    return parameters === described.parameters ? described : { ...described, parameters }
  })
  if (lowering.note !== undefined) note(lowering.note)
}

/** The service takes one value of `strict` for all tools: true only if the client asks for it everywhere. */
function evenOut(body: Fields, tools: readonly unknown[], { note }: SchemaOptions): void {
  const stated = tools.filter(isFunction).map(({ function: { strict } }) => strict === true)
  if (stated.every((strict) => strict === stated[0])) return
  mapFunctions(body, (described) =>
    described.strict === false ? described : { ...described, strict: false },
  )
  note('strict was left out: the service takes it only for all tools at once')
}

/** Never in a request of Chat's own clients, whose tools go out as they are, and never if the client has stated it for any tool. */
export const mayBeStrict = ({ origin, tools }: TurnRequest): boolean =>
  origin.dialect !== dialect && tools.every(({ strict }) => strict === undefined)

/** The form of `strict` to ask for; undefined if it is not asked for. */
function strictForm(request: TurnRequest, { traits, strict = 'off' }: SchemaOptions): StrictForm | undefined {
  const { strictTools, strictUnasked } = traits
  if (strict === 'off' || strictTools === 'ignored' || (strict === 'auto' && !strictUnasked)) return undefined
  if (!mayBeStrict(request)) return undefined
  return strictTools === 'unknown' ? 'xgrammar' : strictTools
}

/** False if no tool can be strict. */
function askStrict(body: Fields, form: StrictForm, options: SchemaOptions): boolean {
  const described = (body.tools as unknown[]).filter(isFunction).map((tool) => tool.function)
  const made = toStrictTools(
    described.map(({ name, parameters }) => ({ name: String(name), schema: parameters })),
    form,
  )
  if (!made) return false
  const written = new Map(described.map((one, at) => [one, made.tools[at]]))
  mapFunctions(body, (one) => {
    const tool = written.get(one)
    return tool ? { ...one, parameters: tool.schema, strict: tool.strict } : one
  })
  options.onStrict?.(made)
  options.note(strictNote(made))
  return true
}
