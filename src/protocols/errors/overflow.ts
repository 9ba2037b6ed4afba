// How services say that a conversation is too long for the model. Clients shorten it when they are told so, and end the
// session when they are not. Words of errors that were seen; one row a service where its words are its own.

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

/** Too much at once, not too long: the same request is taken later. */
const rate = /rate[ _]limit|tokens per min/i

/** Codes and types of errors; 1261 is Z.ai's. */
const kinds = /context_length|exceed_context_size|max_prompt_tokens|(?:^| )1261(?: |$)/

export const isRateLimit = (kind: string, said: string): boolean => rate.test(kind) || rate.test(said)

/** `kind` is the service's own code and type. */
export const isOverflow = (kind: string, said: string): boolean =>
  kinds.test(kind) || (!isRateLimit(kind, said) && words.some((pattern) => pattern.test(said)))
