// The paths of the Gemini API: a version, the model, a verb.

export const geminiPrefix = '/v1beta/models'
/**
 * What stands before the model, or before `models/` and the model: the AI SDK leaves that word out if the model has a slash. Clients that
 * are told to use version 1 call it there.
 */
export const prefixes = ['/v1beta', '/v1/models'] as const
export const verbs = {
  whole: ':generateContent',
  stream: ':streamGenerateContent',
  count: ':countTokens',
} as const

/** A path that asks a model, with any method. */
export const endsInVerb = (path: string): boolean => Object.values(verbs).some((verb) => path.endsWith(verb))

/** Whatever the method. Models may have a colon in their names: below `/v1/models` only a known verb counts. */
export const isGeminiPath = (path: string): boolean =>
  path.startsWith('/v1beta/') || path === '/v1beta' || (path.startsWith('/v1/models/') && endsInVerb(path))
