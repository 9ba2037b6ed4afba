// `toMatchObject({ message: /…/ })` holds for every message: a pattern has no fields of its own that could differ. Here it holds
// for none, so that whoever writes it finds `expect.stringMatching`.

import { expect } from 'vitest'

const isGuarded = Symbol.for('dragoman.pattern-guard')
const worker = globalThis as { [isGuarded]?: true }

const againstPattern = (actual: unknown, expected: unknown) =>
  expected instanceof RegExp && !(actual instanceof RegExp) ? false : undefined

// Files share their worker.
if (!worker[isGuarded]) expect.addEqualityTesters([againstPattern])
worker[isGuarded] = true
