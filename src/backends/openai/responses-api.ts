// The Responses API: OpenAI's models from gpt-5.4 on take function tools beside reasoning only there.

import type { TurnContext } from '../../core/backend.ts'
import type { TurnRequest } from '../../core/request.ts'
import { withFittingNames } from '../../protocols/openai-chat/fitting-names.ts'
import { ResponsesReader } from '../../protocols/openai-responses/read.ts'
import { reasoningSource } from '../../protocols/openai-responses/reasoning-items.ts'
import { fromResponsesError } from '../../protocols/openai-responses/upstream-errors.ts'
import type { Api, ApiOptions, ApiTurn } from './api.ts'
import { KeptReasoning } from './kept-reasoning.ts'
import { ResponsesLessons } from './responses-lessons.ts'
import { ResponsesRequest } from './responses-request.ts'

/** The longest tool name; Chat takes 64 characters. */
const longestName = 128

export function createResponsesApi({ name, host }: ApiOptions): Api {
  const kept = new KeptReasoning()
  const lessons = new ResponsesLessons(host)

  function open(request: TurnRequest, context: TurnContext): ApiTurn {
    const { turnId, wholeArguments, budget, caller } = context
    const { model } = request
    const note = (text: string) => context.notes.add(text)
    const fitting = withFittingNames(request, note, longestName)
    const source = reasoningSource(name, host, model)
    const sent = new ResponsesRequest(fitting.request, context, { kept, lessons, source })
    const offered = new Set(fitting.request.tools.map((tool) => tool.name))
    const reader = new ResponsesReader({
      turnId,
      wholeArguments,
      budget,
      model,
      backend: name,
      note,
      source,
      offered,
    })
    return {
      reader,
      text: () => sent.text(),
      toError: fromResponsesError,
      correct: (error) => sent.correct(error),
      onEvents(events) {
        for (const event of events) {
          if (event.type !== 'tool-call-end') continue
          const reasoning = reader.keptWith(event.callId)
          if (reasoning) kept.keep(caller, model, event, reasoning)
        }
        return fitting.back(events)
      },
    }
  }

  return { path: '/responses', open }
}
