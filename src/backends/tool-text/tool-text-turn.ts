// One turn of a model that writes its tool calls as text: renders the request, parses the answer. After an answer with an
// unreadable call it asks once more, before any part of that call has reached the client.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TurnContext } from '../../core/backend.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import { longestInput } from '../../protocols/requests/tool-input.ts'
import { askAgain, demandCall } from '../../protocols/tool-text/ask-again.ts'
import { echoOf } from '../../protocols/tool-text/echo.ts'
import { familiesOf } from '../../protocols/tool-text/families.ts'
import { type Markup, markupFor, type ToolTextSettings } from '../../protocols/tool-text/markup.ts'
import { type Complaint, TextTurnReader } from '../../protocols/tool-text/read.ts'
import { type TextRequest, toTextRequest } from '../../protocols/tool-text/render.ts'
import { offersTools } from '../../protocols/tool-text/tools-section.ts'

interface ToolTextTurn {
  request: TurnRequest
  context: TurnContext
  settings: ToolTextSettings
  /** The service has a JSON mode. */
  jsonMode?: boolean
  /**
   * Asks the service in plain text: system, user and assistant messages, no tools. `attempt` is 0, or 1 for the second try,
   * whose messages are those of the first, its answer, and the complaint about it.
   */
  ask(request: TurnRequest, attempt: number): AsyncIterable<TurnEvent[]>
}

export async function* toolTextTurn(turn: ToolTextTurn): AsyncGenerator<TurnEvent[]> {
  const { request, context, settings, jsonMode = false, ask } = turn
  const markup = markupFor(settings, request.model)
  const note = (text: string) => context.notes.add(text)
  const rendered = toTextRequest(request, {
    markup,
    systemRole: settings.systemRole,
    markers: familiesOf(markup).markers,
    jsonMode,
    note,
  })
  if (!offersTools(request)) {
    yield* ask(rendered.request, 0)
    return
  }
  const reader = createReader(turn, markup, rendered)
  yield* answer(ask(rendered.request, 0), reader)
  if (!reader.complaint) return
  const again = complain(rendered.request, reader.complaint, { markup, request })
  reader.goOn()
  try {
    yield* answer(ask(again, 1), reader)
    if (!reader.ended) throw new Error('the second answer did not end')
  } catch (error) {
    yield reader.giveUp(error)
  }
}

/** Parsing takes time: if much text comes at once, the event loop serves other clients in between. */
const sliceMs = 10

async function* answer(
  batches: AsyncIterable<TurnEvent[]>,
  reader: TextTurnReader,
): AsyncGenerator<TurnEvent[]> {
  let busyMs = 0
  for await (const batch of batches) {
    const began = performance.now()
    const events = reader.push(batch)
    busyMs += performance.now() - began
    if (reader.heldLength > longestInput)
      throw new GatewayError('upstream-protocol', 'The model wrote a tool call of more than 8 MiB.')
    if (events.length > 0) yield events
    if (reader.ended || reader.complaint) return
    if (busyMs < sliceMs) continue
    await nextTurn()
    busyMs = 0
  }
}

function createReader({ request, context, settings }: ToolTextTurn, markup: Markup, rendered: TextRequest) {
  const { toolChoice, responseFormat } = request
  return new TextTurnReader({
    markup,
    tools: request.tools,
    // With a response format, JSON is the answer.
    salvage: responseFormat === undefined,
    isEcho: echoOf(request),
    turnId: context.turnId,
    parallelCalls: request.parallelToolCalls !== false,
    callRequired: toolChoice?.type === 'required' || toolChoice?.type === 'tool',
    onlyTool: toolChoice?.type === 'tool' ? toolChoice.name : undefined,
    secondTry: settings.secondTry && !context.isSecondTry,
    unescape: rendered.unescape,
    isCanceled: () => context.signal.aborted,
    budget: context.budget,
    calls: context.calls,
    note: (text) => context.notes.add(text),
    onRepair: (kind) => context.onRepair?.(kind),
  })
}

function complain(
  asked: TurnRequest,
  complaint: Complaint,
  { markup, request }: { markup: Markup; request: TurnRequest },
): TurnRequest {
  if (complaint.type === 'no-call') {
    const name = request.toolChoice?.type === 'tool' ? request.toolChoice.name : undefined
    return demandCall(asked, complaint.said, markup, name)
  }
  return askAgain(asked, complaint.said, complaint, markup)
}
