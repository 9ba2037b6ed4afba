// The backend for Qwen's web chat with the user's own account. The service has no tools and takes no history. Tools are
// described and called as text; each conversation is a chat at the service, which is continued if it is known.

import type { Backend, Finding, TurnContext } from '../../core/backend.ts'
import { longestRemembered, TurnCollector } from '../../core/collect.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import { expiryInWords } from '../../credentials/expiry.ts'
import { expiryOf } from '../../credentials/jwt.ts'
import { answerEnd } from '../../protocols/qwen-web/read.ts'
import { noteLeftOut, refuseUnsupported, type Thinking } from '../../protocols/qwen-web/request-out.ts'
import { StopFilter } from '../../protocols/streams/stop-filter.ts'
import { markupFor, type ToolTextSettings } from '../../protocols/tool-text/markup.ts'
import { toolTextTurn } from '../tool-text/tool-text-turn.ts'
import { Chats } from './chats.ts'
import { Conversation } from './conversation.ts'
import { Deletions } from './deletions.ts'
import { QwenWebService, type QwenWebServiceOptions } from './service.ts'

export interface QwenWebBackendOptions extends QwenWebServiceOptions {
  thinking: Thinking
  /** Chats that are no longer continued are deleted from the account. */
  deleteChats: boolean
  toolText: ToolTextSettings
  progressMs: number
  firstByteMs: number
  busyWaitMs?: number
}

const defaultBusyWaitMs = 2_000

export function createQwenWebBackend(options: QwenWebBackendOptions): Backend {
  const { name, client, toolText, busyWaitMs = defaultBusyWaitMs } = options
  const service = new QwenWebService(options)
  const deletions = new Deletions((id, signal) => service.deleteChat(id, signal))
  const chats = new Chats({
    onGone: ({ id }) => {
      if (options.deleteChats) deletions.add(id)
    },
  })

  async function* run(request: TurnRequest, context: TurnContext): AsyncGenerator<TurnEvent[]> {
    refuseUnsupported(request, name)
    noteLeftOut(request, (note) => context.notes.add(note))
    const markup = markupFor(toolText, request.model)
    const conversation = new Conversation(request, context, {
      ...options,
      service,
      chats,
      markup,
      busyWaitMs,
    })
    const stop = new StopFilter(request.stop ?? [])
    const collector = new TurnCollector({ maxLength: longestRemembered })
    const ask = (rendered: TurnRequest, attempt: number) => conversation.ask(rendered, attempt)
    try {
      for await (const batch of toolTextTurn({ request, context, settings: toolText, ask })) {
        const events = stop.push(batch)
        collector.push(events)
        // The chat is kept and released before the batch goes out: the client may reply at once.
        const last = events.at(-1)
        if (last?.type === 'turn-end') {
          // The service has more of an answer that the gateway cut: made-up results, surplus calls.
          if (last.rawReason === answerEnd && !collector.tooLong) conversation.keep(collector.turn)
          conversation.release()
        }
        yield events
        if (stop.cut) return
      }
    } finally {
      conversation.release()
    }
  }

  /** The service lists its models without a token, so a list proves nothing about the token. */
  async function describe(): Promise<Finding[]> {
    const expiresAt = expiryOf(options.token)
    const ended = expiresAt !== undefined && expiresAt <= Date.now()
    const remedy = ended ? '; log in on the web page and put the new one into "token"' : ''
    return [
      {
        status: ended ? 'warning' : 'ok',
        message: `token: ${expiryInWords(expiresAt, Date.now())}${remedy}`,
      },
      {
        status: 'warning',
        message:
          'this is a personal web chat, not an API: it is unofficial, and any change or captcha of the service stops it; ' +
          'the supported way to use Qwen models is a DashScope key with kind "openai" (docs/qwen-web.md)',
      },
    ]
  }

  async function close(): Promise<void> {
    chats.dropAll()
    await deletions.settle()
    await client.close()
  }

  return { kind: 'qwen-web', models: (signal) => service.models(signal), run, describe, close }
}
