import { expect, it } from 'vitest'
import { mayNameSecret } from './names.ts'

const secret = ['authorization', 'x-api-key', 'X-Portkey-Api-Key', 'apikey', 'x-token-of-mine', 'my-secret']
it.each(secret)('%s may name a secret', (name) => expect(mayNameSecret(name)).toBe(true))

const innocent = ['x-portkey-provider', 'accept', 'x-provider', 'helicone-user-id']
it.each(innocent)('%s names none', (name) => expect(mayNameSecret(name)).toBe(false))
