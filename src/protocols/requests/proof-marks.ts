// The marks of reasoning proofs that are not the service's own text: the gateway wrapped what only one service can read. Backends of
// other services leave them out.

/** A reasoning item of a Responses service. */
export const itemMark = 'openai1.'
/** The thought signature of a call by a Gemini model. */
export const signatureMark = 'gemini1.'

export const isWrappedProof = (proof: string | undefined): boolean =>
  proof !== undefined && (proof.startsWith(itemMark) || proof.startsWith(signatureMark))
