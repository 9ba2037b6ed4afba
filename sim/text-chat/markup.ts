// The markup that a prompt asks for: the tag around a call, the tag around a result, and what is inside a call.

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
