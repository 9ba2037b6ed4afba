// The markup that a prompt asks for: the tags around a call and a result, and the format of a call.

export interface Markup {
  readonly format: 'json' | 'xml'
  readonly callTag: string
  readonly resultTag: string
}

/** The spelling that Qwen's models were trained on. */
export const NATIVE_TAG = 'tool_call'

export function toMarkup(callTag: string, format: Markup['format']): Markup {
  return { format, callTag, resultTag: callTag === NATIVE_TAG ? 'tool_response' : `${callTag}_result` }
}
