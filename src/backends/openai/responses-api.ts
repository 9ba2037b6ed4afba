// The Responses API: OpenAI's models from gpt-5.4 on take function tools beside reasoning only there.

import type { TurnContext } from '../../core/backend.ts'
import { asMade } from '../../core/call-check.ts'
import type { TurnRequest } from '../../core/request.ts'
import { withFittingNames } from '../../protocols/openai-chat/fitting-names.ts'
import { dialect } from '../../protocols/openai-responses/dialect.ts'
import { ResponsesReader } from '../../protocols/openai-responses/read.ts'
import { reasoningSource } from '../../protocols/openai-responses/reasoning-items.ts'
import { responsesIds } from '../../protocols/openai-responses/stored-ids.ts'
import { fromResponsesError } from '../../protocols/openai-responses/upstream-errors.ts'
import { StopFilter } from '../../protocols/streams/stop-filter.ts'
import { StoredIds } from '../http/stored-ids.ts'
import type { Api, ApiOptions, ApiTurn } from './api.ts'
import { KeptReasoning } from './kept-reasoning.ts'
import { ResponsesLessons } from './responses-lessons.ts'
import { ResponsesRequest } from './responses-request.ts'

/** The longest tool name; Chat takes 64 characters. */
const longestName = 128

export function createResponsesApi(options: ApiOptions): Api {
  const { name, host, reasoningSources, isShared } = options
  const asksStrict = options.strict === 'on'
  const kept = new KeptReasoning(reasoningSources)
  const lessons = new ResponsesLessons(host)
  const storedIds = isShared ? new StoredIds(name, responsesIds) : undefined

  function open(request: TurnRequest, context: TurnContext): ApiTurn {
    const { turnId, wholeArguments, budget, caller } = context
    const { model } = request
    const note = (text: string) => context.notes.add(text)
    const fitting = withFittingNames(request, note, { longest: longestName })
    const source = reasoningSource(name, host, model)
    const mayForward = context.mayOpenLane === true && fitting.request === request
    const sent = new ResponsesRequest(
      fitting.request,
      context,
      { kept, lessons, source, asksStrict },
      mayForward,
    )
    const offered = new Set(fitting.request.tools.map((tool) => tool.name))
    const form = request.stream ? ('message' as const) : ('answer' as const)
    const createReader = () =>
      new ResponsesReader({
        turnId,
        wholeArguments: wholeArguments || sent.hasUndo,
        undoInput: (tool, input) => sent.undoInput(tool, input),
        budget,
        calls: fitting.check(context.calls),
        model,
        backend: name,
        note,
        source,
        offered,
        onReasoning: (item) => kept.see(item, source),
        lane: sent.isVerbatim ? { dialect, form } : undefined,
      })
    let reader = createReader()
    // The API has no stop sequences: the gateway cuts the text.
    const stop = request.stop ? new StopFilter(request.stop) : undefined
    return {
      reader: () => reader,
      text() {
        storedIds?.check(caller.key, sent.body)
        return sent.text()
      },
      onJson: storedIds && ((text) => storedIds.see(caller.key, text)),
      toError: fromResponsesError,
      correct(error) {
        const isCorrected = sent.correct(error)
        if (isCorrected) reader = createReader()
        return isCorrected
      },
      onEvents(events) {
        for (const event of events) {
          if (event.type !== 'tool-call-end') continue
          const call = asMade(event)
          const reasoning = reader.keptWith(call.callId)
          if (reasoning) kept.keep(caller, model, call, reasoning)
        }
        return fitting.back(stop ? stop.push(events) : events)
      },
    }
  }

  return { path: '/responses', dialect, open }
}
