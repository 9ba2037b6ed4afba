// What a task of the probe is: a conversation with tools, what the tools say, and how the outcome is judged. Tasks know no
// wire and no model.

export interface Tool {
  name: string
  description: string
  /** JSON Schema of an object, within what schema-check.ts reads. */
  schema: Record<string, unknown>
}

export type Input = Record<string, unknown>

export interface ToolCall {
  id: string
  name: string
  input: Input
}

export interface ToolResult {
  callId: string
  text: string
  isError?: boolean
}

export type Message =
  | { role: 'system' | 'user'; text: string }
  /** `echo`: the answer in its own dialect, as the next request sends it back. */
  | { role: 'assistant'; text: string; calls: readonly ToolCall[]; echo?: readonly unknown[] }
  | { role: 'tool'; results: readonly ToolResult[] }

export type ToolChoice = 'none' | 'required' | { name: string }

/** What a tool gives back; `{ error }` is marked as one where the dialect can. */
export type ToolReply = string | { error: string }

/** A call that was answered. `turn`: in which of the model's answers it stood, from 0. */
export interface MadeCall {
  name: string
  input: Input
  turn: number
  reply: ToolReply
}

/** What a judge looks at: all that the model did. */
export interface Transcript {
  calls: readonly MadeCall[]
  /** How many answers the model gave. */
  turns: number
  /** Of its last answer. */
  text: string
}

export interface Fault {
  expected: string
  came: string
}

/** Undefined: all is well. */
export type Check = (seen: Transcript) => Fault | undefined

/** One answer of a model that does everything right. */
export interface IdealTurn {
  calls?: readonly (readonly [name: string, input: Input])[]
  text?: string
}

export interface Task {
  /** GROUP.NAME */
  id: string
  title: string
  /** 1: easy, 2: what agents need every day, 3: hard. */
  weight: 1 | 2 | 3
  tools: readonly Tool[]
  /** Behind the system prompt that all tasks share. */
  messages: readonly Message[]
  /** Of the first request; the later ones leave the choice to the model. */
  toolChoice?: ToolChoice
  /** At most one call in each answer. */
  oneCallAtATime?: true
  /** The other side of the tools. `earlier`: the calls that were answered before this one. */
  reply(call: { name: string; input: Input }, earlier: readonly MadeCall[]): ToolReply
  /** What a good model does: the cost is estimated by it, and tests play it. */
  ideal: readonly IdealTurn[]
  /** The first one that complains says what went wrong. */
  judge: readonly Check[]
}

export const groupOf = ({ id }: Pick<Task, 'id'>): string => id.slice(0, id.indexOf('.'))

/** A model that goes round in circles is stopped: so many answers are enough for one that loses its way a little. */
export const maxTurns = ({ ideal }: Pick<Task, 'ideal'>): number => ideal.length + 3

/** Whether a good model would call anything. */
export const needsCalls = ({ ideal }: Pick<Task, 'ideal'>): boolean =>
  ideal.some(({ calls = [] }) => calls.length > 0)
