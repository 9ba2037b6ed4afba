// Tool calls for models without native ones: extends any backend that answers text.

import { withOverrides } from '../../base/with-overrides.ts'
import type { Backend, TurnContext } from '../../core/backend.ts'
import type { TurnRequest } from '../../core/request.ts'
import type { ToolTextSettings } from '../../protocols/tool-text/markup.ts'
import { toolTextTurn } from './tool-text-turn.ts'

export function withToolText(backend: Backend, settings: ToolTextSettings): Backend {
  return withOverrides(backend, {
    // The model gets text alone.
    dialects: [],
    toolFacts: () => ({}),
    run: (request: TurnRequest, context: TurnContext) =>
      toolTextTurn({
        request,
        context,
        settings,
        jsonMode: true,
        // Calls are in the text: the service's own messages must not reach the client, and structured calls are checked with the others.
        ask: (text) => backend.run(text, { ...context, mayOpenLane: false, calls: undefined }),
      }),
  })
}
