// Types of values that several settings share, with their error messages.

import { z } from 'zod'

export const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'use letters, digits, ".", "_" and "-"')
// Not z.url(): editors would reject `{env:NAME}` because of its format.
export const url = z
  .string()
  .refine(
    (value) => /^https?:\/\/[^/]/i.test(value) && URL.canParse(value),
    'must be an http:// or https:// URL',
  )
/** Refuses the parts of a URL that requests would drop. */
export const baseUrl = url.refine((value) => {
  if (!URL.canParse(value)) return true
  const { search, hash, username, password } = new URL(value)
  return search + hash + username + password === ''
}, 'must have no query, fragment, user or password: paths are appended to it, credentials belong in "apiKey" or "headers"')
export const headerText = z
  .string()
  .min(1, 'must not be empty')
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII on one line')
export const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not a valid header name')
export const headerValue = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')

/** The limit of Node's timers: longer ones fire at once. */
export const milliseconds = z.int().min(100).max(2_147_483_647)
