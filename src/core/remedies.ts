// Advice for each error code. docs/errors.md has more.

import type { ErrorCode } from './errors.ts'

const ofCodes: Readonly<Record<ErrorCode, string>> = {
  'invalid-request':
    'Correct the request: the message names the field. If an agent made it, report it there.',
  unsupported: 'Remove the feature that the message names, or use a model of another backend.',
  unauthenticated:
    '`dragoman doctor` says which key is wrong. For a backend, correct its "apiKey"; for a Cursor account, run `dragoman login cursor`.',
  forbidden: 'The account or the address may not do this; the message says which.',
  'not-found': 'Check the model’s name: GET /v1/models lists the models.',
  'method-not-allowed': 'Use the method that the message names.',
  conflict:
    'Wait for the first answer, then send the request again; if the conflict persists, start a new conversation.',
  'payload-too-large': 'Send less (images are the usual cause), or raise "limits.bodyBytes".',
  'unsupported-media': 'Send the body as application/json, uncompressed.',
  misdirected: 'Call the gateway by its address, or add the name to "allow.hosts".',
  'rate-limited': 'Wait, ask for less at once, or give the alias a second backend.',
  'quota-exhausted': 'Top up the account; an alias with a second backend continues meanwhile.',
  'context-overflow': 'Compact the conversation or start a new one, or use a model with a larger window.',
  'upstream-unavailable':
    'The service failed or ended its answer early: try again. `dragoman doctor` checks whether it is reachable.',
  'upstream-credential':
    "The service refuses the gateway's own key: correct it in the configuration, or log in again.",
  'upstream-protocol': 'Check "baseUrl" first. If it is right, export the tape and report it.',
  'upstream-challenge': 'Open the service in your browser; docs/qwen-web.md names the supported alternative.',
  timeout: 'Raise "firstByteMs" or "sessions.progressMs" if the model really thinks that long.',
  canceled: 'Nothing: the client went away before the end.',
  internal: 'A bug in the gateway: export the tape and report it with the log’s lines of this turn.',
}

/** By code; codes on tapes may be of another version. */
export const remedies: Readonly<Record<string, string>> = ofCodes
