// One kind of tool call as models make it: what is emitted, which tools the client offers, and what must reach the client.

export interface OfferedTool {
  name: string
  /** Absent: the client gives none, and nothing is checked. */
  schema?: Record<string, unknown>
}

export interface EmittedCall {
  name: string
  /** The text of the arguments, byte for byte. */
  arguments: string
}

/**
 * - fits: the call is right, however odd it looks
 * - mended: wrong, and one reading alone is possible: `becomes`
 * - ambiguous: wrong, with more than one reading
 * - unfit: wrong, with no reading
 * - broken: no call can be made of it
 */
export type CallClass = 'fits' | 'mended' | 'ambiguous' | 'unfit' | 'broken'

export interface Kind {
  id: string
  tools: readonly OfferedTool[]
  call: EmittedCall
  class: CallClass
  /** Of what is mended. */
  becomes?: EmittedCall
  /** The reader of the dialect puts it right before anything is checked, whatever the setting. */
  always?: true
  /** Of an unfit call: what could be put right is, and it still does not fit. */
  partly?: EmittedCall
  /** A call that fits, as a model makes it when it is asked once more. */
  again?: EmittedCall
  /** The parser of calls in text takes it as something else; `says` is what stands in place of the usual block. */
  inText?: { says?: string; class?: CallClass; becomes?: EmittedCall; always?: true }
}

export const callOf = (name: string, input: string): EmittedCall => ({ name, arguments: input })

type Schema = Record<string, unknown>

/** A closed object is asked for by `closed`. */
export const objectOf = (
  properties: Schema,
  required: string[] = Object.keys(properties),
  more: Schema = {},
): Schema => ({
  type: 'object',
  properties,
  required,
  ...more,
})

export const closed = { additionalProperties: false }
export const string = { type: 'string' }
export const integer = { type: 'integer' }
export const number = { type: 'number' }
export const boolean = { type: 'boolean' }
export const listOf = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })

export const toolOf = (name: string, schema?: Schema): OfferedTool => (schema ? { name, schema } : { name })

/** The tool that most kinds call. */
export const readFile = toolOf(
  'read_file',
  objectOf({ path: string, limit: integer, follow: boolean }, ['path']),
)
export const readCall = (input: string) => callOf('read_file', input)

/** Offered beside the tools of every kind; its calls always fit. */
export const bystander = toolOf('get_time', objectOf({ zone: string, label: string }, ['zone'], closed))
export const bystanderCall = (zone: string) => callOf('get_time', `{"zone": "${zone}"}`)
