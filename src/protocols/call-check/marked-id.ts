// The mark in the id of a call that the client sees otherwise than the model made it. With it the gateway knows, also after a restart
// and on another instance, that the call in the client's history is not the one in the service's. A part of the turn's id makes the
// marked id unique: some servers number their calls from zero in every conversation.

const mark = /_mended(?:_[A-Za-z0-9]{6})?$/
/** OpenAI takes ids of this length. A longer one stays without a mark. */
const longestId = 64

/** `turnId`: of the turn that made the call. */
export function markId(callId: string, turnId = ''): string {
  const part = turnId
    .replace(/^turn_/, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 6)
  const marked = `${callId}_mended${part.length === 6 ? `_${part}` : ''}`
  return marked.length > longestId ? callId : marked
}

export const isMarked = (callId: string): boolean => mark.test(callId)

export const unmarkId = (callId: string): string => callId.replace(mark, '')
