// Names of Claude models → the ids of a cloud. A client that asks for `claude-sonnet-5-5` gets the cloud's model of that name; an id in
// the cloud's own form is used as it is.

import { checkModelInPath, noSuchModel } from '../requests/model-in-path.ts'

/** Models whose ids have a date on clouds. Newer ids have none. */
const dates = new Map([
  ['claude-haiku-4-5', '20251001'],
  ['claude-opus-4-5', '20251101'],
  ['claude-sonnet-4-5', '20250929'],
])

/** The part of an id before `.anthropic`: which regions may serve the request. */
export const geographies = ['us', 'eu', 'apac', 'jp', 'au', 'us-gov', 'global'] as const
export type Geography = (typeof geographies)[number]

/** The inference profile that covers a region. */
export function geographyOf(region: string): Geography {
  if (region.startsWith('us-gov-')) return 'us-gov'
  if (region.startsWith('eu-')) return 'eu'
  if (region === 'ap-northeast-1' || region === 'ap-northeast-3') return 'jp'
  if (region === 'ap-southeast-2' || region === 'ap-southeast-4') return 'au'
  return region.startsWith('ap-') ? 'apac' : 'us'
}

const plainId = /^[A-Za-z\d][\w.:/@-]{0,2047}$/

function checked(name: string): string {
  if (!plainId.test(name)) throw noSuchModel(name)
  checkModelInPath(name)
  return name
}

/** `-20250929` or `@20250929` at the end. */
const dated = /^(claude-.{1,60}?)[-@](\d{8})$/

function partsOf(name: string): { base: string; date: string | undefined } {
  const [, base = name, date = dates.get(name)] = dated.exec(name) ?? []
  return { base, date }
}

/** `profile`: the geography, or `none` for models that need no inference profile. */
export function bedrockModelId(name: string, profile: Geography | 'none'): string {
  checked(name)
  if (name.startsWith('arn:') || name.includes('anthropic.') || !name.startsWith('claude-')) return name
  const { base, date } = partsOf(name)
  const id = `anthropic.${base}${date === undefined ? '' : `-${date}-v1:0`}`
  return profile === 'none' ? id : `${profile}.${id}`
}

export function vertexModelId(name: string): string {
  checked(name)
  const { base, date } = partsOf(name)
  return date === undefined ? base : `${base}@${date}`
}
