// `npm run test:mutations` breaks each rule and takes an hour. That its changes still fit the code is known here at once.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Mutation {
  case: string
  rule: string
  file: string
  find: string
  replace: string
}

const root = new URL('../..', import.meta.url).pathname
const mutations: Mutation[] = JSON.parse(
  readFileSync(new URL('./mutations.json', import.meta.url), 'utf8'),
) as Mutation[]

it.each(mutations)('the mutation of $case ($rule) changes one place of its file', (mutation) => {
  const { file, find, replace } = mutation
  expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2)
  expect(replace).not.toBe(find)
})
