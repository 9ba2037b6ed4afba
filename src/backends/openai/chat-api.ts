// Chat Completions, as any server of this kind speaks it. The protocol modules repair the server's mistakes.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { Fields } from '../../base/json.ts'
import type { TurnContext } from '../../core/backend.ts'
import { asMade } from '../../core/call-check.ts'
import type { KnownCall } from '../../core/call-key.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import { dialect } from '../../protocols/openai-chat/dialect.ts'
import { fromChatError } from '../../protocols/openai-chat/errors.ts'
import { rescuedAnswer, rescuedNote } from '../../protocols/openai-chat/failed-generation.ts'
import { withFittingNames } from '../../protocols/openai-chat/fitting-names.ts'
import { ChatReader } from '../../protocols/openai-chat/read.ts'
import { mayBeStrict } from '../../protocols/openai-chat/schemas-out.ts'
import { isOpenAIHost } from '../../protocols/openai-chat/servers/gpt.ts'
import { chatIds } from '../../protocols/openai-chat/stored-ids.ts'
import { withoutForeignTools } from '../../protocols/requests/opaque-parts.ts'
import { StoredIds } from '../http/stored-ids.ts'
import type { Api, ApiOptions, ApiTurn } from './api.ts'
import { ChatRequest } from './chat-request.ts'
import { KeptTurns } from './kept-turns.ts'
import { ServerLessons } from './server-lessons.ts'

/** What was learned expires, because services change. */
const limits = { maxEntries: 1_000, ttlMs: 6 * 60 * 60 * 1000 }

export function createChatApi({ name, host, baseUrl, isShared, strict = 'auto' }: ApiOptions): Api {
  const kept = new KeptTurns()
  const lessons = new ServerLessons(host, baseUrl)
  const memory = { kept, lessons, strict }
  const storedIds = isShared ? new StoredIds(name, chatIds) : undefined
  /** Models whose service refused tools that are neither functions nor custom tools, as OpenAI does. */
  const onlyFunctions = new BoundedMap<string, true>(limits)
  const takesFunctionsOnly = (model: string) => isOpenAIHost(host) || onlyFunctions.get(model) === true

  function open(request: TurnRequest, context: TurnContext): ApiTurn {
    const { turnId, wholeArguments, budget, caller } = context
    const { model } = request
    const note = (text: string) => context.notes.add(text)
    let offered =
      request.opaqueTools && takesFunctionsOnly(model) ? withoutForeignTools(request, [], note) : request
    const fitting = withFittingNames(offered, note)
    let sent = new ChatRequest(fitting.request, context, memory)
    const lane =
      context.mayOpenLane && fitting.request === offered ? laneFor(request, wholeArguments) : undefined
    const calls = fitting.check(context.calls)
    let rescued: Fields | undefined
    const toRescued = (body: unknown) => {
      const answer = rescuedAnswer(body, fitting.request.tools)
      if (answer) note(rescuedNote)
      return answer
    }
    const facts = { turnId, budget, model, backend: name, note, lane, calls, rescue: toRescued }
    const createReader = () => {
      const isWhole = wholeArguments || sent.hasUndo
      const undoInput = (tool: string, input: string) => sent.undoInput(tool, input)
      return new ChatReader({ wholeArguments: isWhole, undoInput, ...facts })
    }
    let reader = createReader()
    const made: KnownCall[] = []
    return {
      reader: () => reader,
      text() {
        storedIds?.check(caller.key, sent.body)
        return sent.text()
      },
      onJson: storedIds && ((text) => storedIds.see(caller.key, text)),
      toError(refusal) {
        rescued = toRescued(refusal.body)
        return fromChatError(refusal, lessons.traitsOf(model))
      },
      rescue: () => rescued,
      correct(error) {
        if (!offered.opaqueTools?.length || !refusesKind(error)) {
          const isCorrected = sent.correct(error)
          if (isCorrected) reader = createReader()
          return isCorrected
        }
        onlyFunctions.set(model, true)
        offered = withoutForeignTools(fitting.request, [], note)
        sent = new ChatRequest(offered, context, memory)
        return true
      },
      onEvents(events) {
        for (const event of events) {
          if (event.type === 'tool-call-end') made.push(asMade(event))
          else if (event.type === 'turn-end') kept.keep(caller, model, made, reader)
        }
        return fitting.back(events)
      },
    }
  }

  const isUnknown = (request: TurnRequest) =>
    strict === 'auto' &&
    mayBeStrict(request) &&
    request.tools.length > 0 &&
    lessons.traitsOf(request.model).strictTools === 'unknown'
  const learnedLimit = (model: string) => lessons.learnedOf(model)?.mostTools
  const onListed = (entries: readonly Fields[]) => lessons.onListed(entries)
  return { path: '/chat/completions', dialect, open, isUnknown, learnedLimit, onListed }
}

/** `Invalid value: 'web_search'. Supported values are: 'function' and 'custom'.`, and the like. */
const refusesKind = ({ code, message, param = '' }: GatewayError) =>
  (code === 'invalid-request' || code === 'unsupported') &&
  /\btools?\b/i.test(`${param} ${message}`.slice(0, 1_000)) &&
  /\bfunction\b|\btype\b/i.test(message.slice(0, 1_000))

/** Undefined if the client must not see the server's own chunks: it speaks another dialect, or gets calls in another form. */
function laneFor({ origin, stream, tools }: TurnRequest, wholeArguments: boolean) {
  if (origin.dialect !== dialect || tools.some(({ custom }) => custom)) return undefined
  // A call can be repaired only before the client has seen a part of it.
  if (stream && !wholeArguments) return undefined
  return { dialect, form: stream ? ('message' as const) : ('answer' as const) }
}
