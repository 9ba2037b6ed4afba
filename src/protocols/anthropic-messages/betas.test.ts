import { expect, it } from 'vitest'
import { sortBetas } from './betas.ts'

it('betas: which ones are forwarded', () => {
  const all = ['context-1m-2025-08-07', 'oauth-2025-04-20', 'context-1m-2025-08-07', 'effort-x\r\nevil: 1']
  expect(sortBetas(all)).toEqual({
    sent: ['context-1m-2025-08-07'],
    leftOut: ['oauth-2025-04-20', 'effort-x\r\nevil: 1'],
  })
})
