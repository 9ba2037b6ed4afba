// Tool calls for a backend whose model has none: around any backend that answers text.

import type { Backend } from '../../core/backend.ts'
import type { ToolTextSettings } from '../../protocols/tool-text/markup.ts'
import { toolTextTurn } from './tool-text-turn.ts'

export function withToolText(backend: Backend, settings: ToolTextSettings): Backend {
  return {
    ...backend,
    run: (request, context) =>
      toolTextTurn({
        request,
        context,
        settings,
        jsonMode: true,
        ask: (text) => backend.run(text, context),
      }),
  }
}
