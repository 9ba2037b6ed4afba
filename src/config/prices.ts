// Prices of models in the configuration. They win over the list prices that the program knows.

import { z } from 'zod'

const perMillion = z.number().min(0).max(1_000_000)

const priceSchema = z.strictObject({
  input: perMillion.describe('US dollars per million input tokens.'),
  output: perMillion.describe('US dollars per million output tokens, reasoning included.'),
  cacheRead: perMillion.optional().describe('Per million input tokens from the cache. Default: `input`.'),
  cacheWrite: perMillion
    .optional()
    .describe('Per million input tokens that are written to the cache. Default: `input`.'),
})

export const pricesSchema = z.union([z.literal('off'), z.record(z.string().min(1), priceSchema)], {
  error: 'must be "off" or { "MODEL": { "input": …, "output": … } }',
})
