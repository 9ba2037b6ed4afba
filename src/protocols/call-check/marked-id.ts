// The mark in the id of a call that the client sees otherwise than the model made it. With it the gateway knows, also after a restart
// and on another instance, that the call in the client's history is not the one in the service's.

const mark = '_mended'
/** OpenAI takes ids of this length. A longer one stays without a mark. */
const longestId = 64

export const markId = (callId: string): string =>
  callId.length + mark.length > longestId ? callId : `${callId}${mark}`

export const isMarked = (callId: string): boolean => callId.endsWith(mark)

export const unmarkId = (callId: string): string =>
  isMarked(callId) ? callId.slice(0, -mark.length) : callId
