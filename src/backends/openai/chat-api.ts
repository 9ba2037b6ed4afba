// Chat Completions, as any server of this kind speaks it. The protocol modules repair the server's mistakes.

import type { TurnContext } from '../../core/backend.ts'
import type { KnownCall } from '../../core/call-key.ts'
import type { TurnRequest } from '../../core/request.ts'
import { dialect } from '../../protocols/openai-chat/dialect.ts'
import { fromChatError } from '../../protocols/openai-chat/errors.ts'
import { withFittingNames } from '../../protocols/openai-chat/fitting-names.ts'
import { ChatReader } from '../../protocols/openai-chat/read.ts'
import { isOpenAIHost } from '../../protocols/openai-chat/servers/gpt.ts'
import { chatIds } from '../../protocols/openai-chat/stored-ids.ts'
import { withoutForeignTools } from '../../protocols/requests/opaque-parts.ts'
import { StoredIds } from '../http/stored-ids.ts'
import type { Api, ApiOptions, ApiTurn } from './api.ts'
import { ChatRequest } from './chat-request.ts'
import { KeptTurns } from './kept-turns.ts'
import { ServerLessons } from './server-lessons.ts'

export function createChatApi({ name, host, isShared }: ApiOptions): Api {
  const kept = new KeptTurns()
  const lessons = new ServerLessons(host)
  const memory = { kept, lessons }
  const storedIds = isShared ? new StoredIds(name, chatIds) : undefined

  function open(request: TurnRequest, context: TurnContext): ApiTurn {
    const { turnId, wholeArguments, budget, caller } = context
    const { model } = request
    const note = (text: string) => context.notes.add(text)
    // OpenAI's own Chat API takes functions and custom tools only.
    const offered =
      request.opaqueTools && isOpenAIHost(host) ? withoutForeignTools(request, [], note) : request
    const fitting = withFittingNames(offered, note)
    const sent = new ChatRequest(fitting.request, caller, memory, note)
    const lane =
      context.mayOpenLane && fitting.request === offered ? laneFor(request, wholeArguments) : undefined
    const reader = new ChatReader({ turnId, wholeArguments, budget, model, backend: name, note, lane })
    const calls: KnownCall[] = []
    return {
      reader,
      text() {
        storedIds?.check(caller.key, sent.body)
        return sent.text()
      },
      onJson: storedIds && ((text) => storedIds.see(caller.key, text)),
      toError: (refusal) => fromChatError(refusal, lessons.traitsOf(model)),
      correct: (error) => sent.correct(error),
      onEvents(events) {
        for (const event of events) {
          if (event.type === 'tool-call-end') calls.push(event)
          else if (event.type === 'turn-end') kept.keep(caller, model, calls, reader)
        }
        return fitting.back(events)
      },
    }
  }

  return { path: '/chat/completions', dialect, open }
}

/** Undefined if the client must not see the server's own chunks: it speaks another dialect, or gets calls in another form. */
function laneFor({ origin, stream, tools }: TurnRequest, wholeArguments: boolean) {
  if (origin.dialect !== dialect || tools.some(({ custom }) => custom)) return undefined
  // A call can be repaired only before the client has seen a part of it.
  if (stream && !wholeArguments) return undefined
  return { dialect, form: stream ? ('message' as const) : ('answer' as const) }
}
