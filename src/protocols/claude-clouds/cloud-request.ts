// A Messages request on its way to a cloud.

import type { Fields } from '../../base/json.ts'

export interface MessagesRequest {
  model: string
  stream: boolean
  body: Fields
  headers: Record<string, string>
  note(text: string): void
}

export interface CloudRequest {
  path: string
  body: Fields
  headers: Record<string, string>
}

/** The betas of the header, and the headers without it and without those that `isDropped` names. */
export function splitBetas(
  headers: Readonly<Record<string, string>>,
  isDropped: (name: string) => boolean,
): { betas: string[]; others: Record<string, string> } {
  const betas: string[] = []
  const others: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'anthropic-beta') betas.push(...value.split(',').map((beta) => beta.trim()))
    else if (!isDropped(name.toLowerCase())) others[name] = value
  }
  return { betas: betas.filter(Boolean), others }
}
