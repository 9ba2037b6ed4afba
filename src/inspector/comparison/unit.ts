// What a body consists of, in any dialect: units such as a text, a call, a result, a tool or a setting, each with its fields and
// their places. A unit is found by its shape, not by the dialect of its body: clients mix dialects in one body.
//
// This is no reader of requests. It judges and repairs nothing, and whatever it does not know is a unit too: the doors read a request
// as the gateway understands it, but a comparison must also show what they leave out.

export interface Field {
  /** The name that all dialects share. */
  term: string
  path: string
  value: unknown
  /** What the value says, if dialects write it in different ways. */
  meaning?: unknown
  /** How the dialect writes such a unit: of no interest in a comparison with another dialect. */
  isForm?: true
  /** What it is a field of, if not of the unit: of the message around it. */
  of?: string
}

export type UnitKind =
  | 'text'
  | 'reasoning'
  | 'call'
  | 'result'
  | 'image'
  | 'tool'
  | 'setting'
  | 'part'
  | 'empty'
  | 'rest'

export interface Unit {
  section: 'system' | 'messages' | 'tools' | 'settings'
  kind: UnitKind
  /** Of a text: whose it is. */
  role: string
  /** A call's id, a tool's name, a setting's term. */
  key: string
  /** In words. */
  label: string
  /** The one that says what the unit is about; its first field if it has none. */
  main: string
  fields: Field[]
}

export const mainOf = ({ fields, main }: Unit): Field =>
  (fields.find(({ term, isForm }) => term === main && !isForm) ??
    fields.find(({ isForm }) => !isForm) ??
    fields[0]) as Field

export const meaningOf = (field: Field): unknown =>
  field.meaning === undefined ? field.value : field.meaning
