// POST /v1beta/models/MODEL:generateContent and :streamGenerateContent.

import { geminiAnswer } from '../protocols/gemini/answer.ts'
import { geminiErrorBody, geminiErrorStatus } from '../protocols/gemini/errors.ts'
import { fromGeminiRequest } from '../protocols/gemini/request-in.ts'
import { GeminiWriter, geminiKeepAlive } from '../protocols/gemini/write.ts'
import { modelName } from '../protocols/requests/decode.ts'
import type { AnswerFacts, Door } from './door.ts'

/** What the path and the query say of a request. */
export interface GeminiTarget {
  model: string
  stream: boolean
  /** Without `alt=sse`, a stream is one JSON array. */
  form: 'sse' | 'array'
}

/** The model for names that only Google has. */
const helperModelHeader = 'x-dragoman-helper-model'
/** Gemini CLI asks models by fixed names for summaries, corrections and searches, whatever model its user has chosen. */
const helperNames = /^gemini-[^/]+$/

/** Of a name that is not checked yet. */
const longestName = 200

export const geminiDoor = ({ model: named, stream, form }: GeminiTarget): Door => ({
  name: 'gemini',
  named: { model: named.replace(/^(?:models\/)+/, '').slice(0, longestName), stream },
  keepAlive: geminiKeepAlive,
  errorBody: geminiErrorBody,
  errorStatus: geminiErrorStatus,
  read(body, notes, header) {
    const model = modelName(named.replace(/^(?:models\/)+/, ''), 'model')
    const { turn, showsThoughts } = fromGeminiRequest(body, notes, { model, stream })
    const standIn = helperNames.test(model) ? header(helperModelHeader) : undefined
    const about = ({ id }: AnswerFacts) => ({ id, model, showsThoughts })
    return {
      model,
      ...(standIn ? { standIn } : {}),
      turn,
      ...(form === 'array' ? { streamType: 'application/json' } : {}),
      writer: (facts) => {
        const { lateNotes, budget, client } = facts
        const { repeatsServerErrors } = client
        return new GeminiWriter({ ...about(facts), form, lateNotes, budget, repeatsServerErrors })
      },
      answer: (collected, facts) => geminiAnswer(collected, about(facts)),
    }
  },
})
