// The paths of Ollama's API.

const ollamaPrefix = '/api/'

/** Claude Code's own question is the only other path below it. */
export const isOllamaPath = (path: string): boolean =>
  path.startsWith(ollamaPrefix) && path !== '/api/hello' && !path.startsWith('/api/hello/')
