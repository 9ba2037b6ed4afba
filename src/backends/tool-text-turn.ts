// One turn of a model that writes its tool calls as text: what is asked is rendered, what is answered is parsed.

import type { TurnContext } from '../core/backend.ts'
import type { TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import type { ToolTextSettings } from '../protocols/tool-text/markup.ts'

export interface ToolTextTurn {
  request: TurnRequest
  context: TurnContext
  settings: ToolTextSettings
  /**
   * Asks the service in plain text: messages of system, user and assistant text only, no tools. `attempt` is 0, or 1 for
   * the second try, whose messages are those of the first, its answer, and what was wrong with it.
   */
  ask(request: TurnRequest, attempt: number): AsyncIterable<TurnEvent[]>
}

export async function* toolTextTurn(turn: ToolTextTurn): AsyncGenerator<TurnEvent[]> {
  yield* turn.ask(turn.request, 0)
}
