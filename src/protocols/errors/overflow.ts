// Recognises errors about a conversation that is too long for the model. With the right error code clients shorten it; otherwise they
// end the session. The patterns are from observed error texts, one row per service with its own wording.

const words: readonly RegExp[] = [
  /context[ _](?:length|size|window|limit)|maximum (?:context|model length)|prompt is too long|too many tokens/i,
  /exceeds? the (?:model'?s )?(?:context|max(?:imum)? (?:number of )?(?:input |prompt |context )?(?:tokens?|length))/i,
  // Groq, Cerebras
  /reduce the length of the messages/i,
  // xAI
  /maximum prompt length is/i,
  // Kimi
  /exceeded model token limit/i,
  // DashScope
  /range of input length should be/i,
  // Z.ai
  /prompt exceeds max length/i,
  // GitHub Copilot
  /token count of \d+ exceeds the limit of \d/i,
  // Together
  /`inputs` tokens \+ `max_new_tokens` must be/i,
  // Bedrock
  /input is too long for/i,
]

/** A rate limit, not an overflow: the same request succeeds later. */
const rate = /rate[ _]limit|tokens per min/i

/** Codes and types of errors; 1261 is Z.ai's. */
const kinds = /context_length|exceed_context_size|max_prompt_tokens|(?:^| )1261(?: |$)/

export const isRateLimit = (kind: string, text: string): boolean => rate.test(kind) || rate.test(text)

/** `kind` is the service's error code and type. */
export const isOverflow = (kind: string, text: string): boolean =>
  kinds.test(kind) || (!isRateLimit(kind, text) && words.some((pattern) => pattern.test(text)))
