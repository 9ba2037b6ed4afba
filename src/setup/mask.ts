// What a person may see of a configuration file: the lines around a change can hold secrets of other programs.

/** `"apiKey": "…"`, `TOKEN = '…'`, `api_key: …`; what stands for a secret, as `{env:NAME}`, is none. */
const named =
  /((?:key|token|secret|password|authorization)[\w.-]*["']?\s*[:=]\s*["']?(?:Bearer )?)(?![{$])([^\s"',]{8,})/gi
/** By how they begin: those of the services that people have keys of. */
const known = /\b(?:sk-|dgm_|crsr_|gh[a-z]_|github_pat_|xox[a-z]-|AIza|eyJ)[\w.-]{8,}/g

const hidden = (secret: string) => `${secret.slice(0, 4)}…`

/** Names of variables and numbers are no secrets. */
const isSecret = (value: string) => /[a-z]/.test(value) && !/[()/]/.test(value)

export const maskSecrets = (text: string) =>
  text
    .replace(named, (whole, lead: string, value: string) => (isSecret(value) ? lead + hidden(value) : whole))
    .replace(known, hidden)

export function maskKey(text: string, key: string): string {
  return text.replaceAll(key, hidden(key))
}
