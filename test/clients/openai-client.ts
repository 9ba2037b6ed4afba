// What both of OpenAI's dialects have in common in the official package.

import type OpenAI from 'openai'
import type { DoorAsk, DoorClient } from '../contract/door-client.ts'

export const clientOf = (Sdk: typeof OpenAI, url: string, { headers, fetch }: DoorAsk) =>
  new Sdk({
    baseURL: `${url}/v1`,
    apiKey: 'any',
    maxRetries: 0,
    // Streams that tests cut on purpose need no log lines.
    logLevel: 'off',
    ...(headers ? { defaultHeaders: headers } : {}),
    ...(fetch ? { fetch } : {}),
  })

export const optionsOf = ({ signal }: DoorAsk) => (signal ? { signal } : {})

export const pictureOf = (data: string) => `data:image/png;base64,${data}`

export const openaiFailure = (Sdk: typeof OpenAI, error: unknown): ReturnType<DoorClient['failure']> =>
  error instanceof Sdk.APIError && typeof error.type === 'string'
    ? { status: error.status, message: error.message }
    : undefined
