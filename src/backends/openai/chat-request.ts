// The request of one turn. It is written again for each refusal that says what to change.

import type { Caller } from '../../core/caller.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { Notes } from '../../core/notes.ts'
import { type Recall, recalled } from '../../core/recall.ts'
import type { TurnRequest } from '../../core/request.ts'
import { toChatRequest } from '../../protocols/openai-chat/request-out.ts'
import type { StrictSetting } from '../../protocols/openai-chat/schemas-out.ts'
import type { Lesson } from '../../protocols/openai-chat/servers/lessons.ts'
import type { ServerTraits } from '../../protocols/openai-chat/servers.ts'
import { bodyBytes } from '../../protocols/requests/body-text.ts'
import {
  type StrictTools,
  strictNote,
  strictRefusedNote,
  undoCall,
} from '../../protocols/tool-schemas/strict-tools.ts'
import type { KeptTurns } from './kept-turns.ts'
import type { ServerLessons } from './server-lessons.ts'

/** Retries per turn. After that, the service's own error is the answer. */
const maxLessons = 4

interface ServerMemory {
  kept: KeptTurns
  lessons: ServerLessons
  /** The setting of the backend. */
  strict: StrictSetting
}

/** Of the turn. */
interface Asking {
  caller: Caller
  notes: TurnNotes
  recall?: Recall | undefined
}

type TurnNotes = Pick<Notes, 'add' | 'withdraw'>

export class ChatRequest {
  readonly #request: TurnRequest
  readonly #caller: Caller
  readonly #recall: Recall | undefined
  readonly #memory: ServerMemory
  readonly #notes: TurnNotes
  #body: Record<string, unknown>
  #learned: Lesson | undefined
  /** What the body was written with. */
  #traits!: ServerTraits
  #lessonsLeft = maxLessons
  #strict: StrictTools | undefined

  constructor(request: TurnRequest, { caller, recall, notes }: Asking, memory: ServerMemory) {
    this.#request = request
    this.#caller = caller
    this.#recall = recall
    this.#memory = memory
    this.#notes = notes
    this.#body = this.#write()
  }

  get body(): Readonly<Record<string, unknown>> {
    return this.#body
  }

  text(): string | Buffer {
    return bodyBytes(this.#body, this.#request.origin)
  }

  /** Arguments of some tools must be translated back, so calls are read as a whole. */
  get hasUndo(): boolean {
    return this.#strict !== undefined && this.#strict.undo.size > 0
  }

  undoInput(name: string, input: string): string {
    return this.#strict ? undoCall(this.#strict.undo, name, input) : input
  }

  /** False if the refusal does not say what to change, or the turn has learned enough. */
  correct(error: GatewayError): boolean {
    const { lessons } = this.#memory
    const isStrictAsked = this.#strict !== undefined
    const refused = { request: this.#request, body: this.#body, isStrictAsked, traits: this.#traits }
    const lesson = this.#lessonsLeft-- === 0 ? undefined : lessons.learn(refused, error)
    // With fewer tools it is another turn, with a search for the others: the server begins it.
    if (!lesson || lesson.mostTools !== undefined) return false
    if (this.#strict) this.#notes.withdraw(strictNote(this.#strict))
    if (this.#strict && lesson.strictTools === 'ignored') this.#notes.add(strictRefusedNote)
    this.#learned = { ...this.#learned, ...lesson }
    this.#body = this.#write()
    return true
  }

  #write(): Record<string, unknown> {
    const { model } = this.#request
    const caller = this.#caller
    const { kept, lessons, strict } = this.#memory
    const learned = recalled(this.#recall, 'lessons', () => lessons.learnedOf(model, this.#request))
    const known = lessons.traitsOf(model, this.#request, learned)
    const traits = this.#learned ? { ...known, ...this.#learned } : known
    this.#traits = traits
    return toChatRequest(this.#request, {
      traits,
      recall: (call) => recalled(this.#recall, 'turns', () => kept.recall(caller, model, call)),
      answered: recalled(this.#recall, 'reasoning field', () => kept.fieldOf(model)),
      note: (text) => this.#notes.add(text),
      strict,
      onStrict: (tools) => {
        this.#strict = tools
      },
    })
  }
}
