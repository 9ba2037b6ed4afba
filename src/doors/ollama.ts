// POST /api/chat and /api/generate.

import { ollamaAnswer } from '../protocols/ollama/answer.ts'
import { ollamaErrorBody, ollamaErrorStatus } from '../protocols/ollama/errors.ts'
import type { AnswerOptions } from '../protocols/ollama/line.ts'
import { fromOllamaChat, fromOllamaGenerate } from '../protocols/ollama/request-in.ts'
import { OllamaWriter } from '../protocols/ollama/write.ts'
import type { AnswerFacts, Door } from './door.ts'

const doorOf = (form: AnswerOptions['form'], fromRequest: typeof fromOllamaChat): Door => ({
  name: 'ollama',
  streamsByDefault: true,
  // The writer has a line for it: one that names the model.
  keepAlive: '',
  errorBody: ollamaErrorBody,
  errorStatus: ollamaErrorStatus,
  read(body, notes) {
    const { model, turn, showsThinking } = fromRequest(body, notes)
    const about = ({ createdAt, now }: AnswerFacts) => ({ model, createdAt, now, form, showsThinking })
    const standIn = untagged(model)
    return {
      model,
      ...(standIn === model ? {} : { standIn }),
      turn,
      streamType: 'application/x-ndjson',
      writer: (facts) => new OllamaWriter({ ...about(facts), lateNotes: facts.lateNotes }),
      answer: (collected, facts) => ollamaAnswer(collected, about(facts), facts.note),
    }
  },
})

export const ollamaChatDoor = doorOf('chat', fromOllamaChat)
export const ollamaGenerateDoor = doorOf('generate', fromOllamaGenerate)

/** Clients add the tag that a name without one has at Ollama. */
export const untagged = (model: string): string =>
  model.endsWith(':latest') ? model.slice(0, -':latest'.length) : model
