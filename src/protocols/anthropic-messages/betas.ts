// `anthropic-beta`: features that a client enables for its request. All are forwarded, unknown ones too, except those below.

/** Betas about the client's own login: the gateway calls the service with a key of its own. */
const withheld: readonly string[] = ['oauth-']

interface Betas {
  sent: string[]
  leftOut: string[]
}

export function sortBetas(features: readonly string[]): Betas {
  const isSent = (name: string) =>
    !withheld.some((prefix) => name.startsWith(prefix)) && /^[\w.-]+$/.test(name)
  const all = [...new Set(features)]
  return { sent: all.filter(isSent), leftOut: all.filter((name) => !isSent(name)) }
}
